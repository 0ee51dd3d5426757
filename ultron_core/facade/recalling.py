"""What `Ultron` reminds an agent of, and what each of its sessions was shown already."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ultron_core.recall import Recall
from ultron_core.steps import given
from ultron_core.steps import recall as recall_step
from ultron_core.steps.runtime import Runtime

if TYPE_CHECKING:
    from ultron_core.recall.handbook import Handbook

__all__ = ["Recalling"]

#: sessions whose shown memories are kept in mind
_MOST_SESSIONS = 1_000


class Recalling(ABC):
    """`recall`, `wake_up` and `handbook`."""

    def __init__(self) -> None:
        self._shown = _ShownInSession()

    @property
    @abstractmethod
    def runtime(self) -> Runtime:
        """What steps work with."""

    def recall(
        self,
        query: str,
        *,
        agent_id: str | None = None,
        session_id: str | None = None,
        project: str | None = None,
        top_k: int = 5,
        budget_tokens: int = 600,
        as_of: datetime | None = None,
        lanes: Sequence[str] | None = None,
        rerank: bool | None = None,
    ) -> Recall:
        """A block for an agent's next message: memories, and passages of this agent's own logs (without `agent_id`
        none). What the same `session_id` was shown is not repeated. `project` may be a folder. Counts no hits.
        """
        given.check_search(query, top_k, agent_id, None, as_of)
        given.check_count("budget_tokens", budget_tokens)
        given.check_names_of("lanes", lanes, recall_step.LANES)
        found = recall_step.recall(
            self.runtime,
            query,
            agent_id=agent_id,
            project=project,
            top_k=top_k,
            budget_tokens=budget_tokens,
            as_of=as_of,
            lanes=lanes or recall_step.LANES,
            rerank=rerank,
            shown=self._shown.of(session_id),
        )
        self._shown.add(session_id, [item.pointer for item in found.items])
        return found

    def wake_up(
        self,
        agent_id: str | None = None,
        project: str | None = None,
        budget_tokens: int = 800,
        *,
        session_id: str | None = None,
    ) -> Recall:
        """What an agent should know of a project (a name or a folder) when it begins; empty when nothing is known."""
        given.check_agent("agent_id", agent_id, optional=True)
        given.check_count("budget_tokens", budget_tokens)
        found = recall_step.wake_up(
            self.runtime, agent_id=agent_id, project=project, budget_tokens=budget_tokens
        )
        self._shown.add(session_id, [item.pointer for item in found.items])
        return found

    def handbook(self, project: str | None = None, *, budget_tokens: int = 800) -> Handbook:
        """What people said for good about a project and what its logs prove, as a section for a file that agents read.
        `project` None: that of the working folder. Raises InputError where that has none."""
        # with it come the rules that read transcripts, which a search needs not
        from ultron_core.steps import handbook as handbook_step

        given.check_count("budget_tokens", budget_tokens)
        return handbook_step.handbook(self.runtime, project, budget_tokens)


class _ShownInSession:
    """Which pointers each session of an agent was shown, so that no block repeats them; safe between threads."""

    def __init__(self) -> None:
        self._shown: OrderedDict[str, set[str]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, session_id: str | None) -> Collection[str]:
        with self._lock:
            return frozenset(self._shown.get(session_id or "", ()))

    def add(self, session_id: str | None, pointers: Sequence[str]) -> None:
        if not session_id:
            return
        with self._lock:
            self._shown.setdefault(session_id, set()).update(pointers)
            self._shown.move_to_end(session_id)
            if len(self._shown) > _MOST_SESSIONS:
                self._shown.popitem(last=False)
