"""What to remind an agent of: for its next message, and when it begins. Being shown is not being used: no hits."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from ultron_core.errors import InputError, UnknownNameError
from ultron_core.recall import Recall, RecallItem, make_block
from ultron_core.steps.browse import known_of_project, list_sessions, read_lines, segments
from ultron_core.steps.handing import for_message, for_session_start, is_harmless
from ultron_core.steps.projects import Scope, project_at
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.memories import search_memories
from ultron_core.steps.search.sessions import search_sessions
from ultron_core.store.tables.memories import MemoryRecord
from ultron_core.transcript.own import own_words

__all__ = ["LANES", "named_project", "recall", "wake_up"]

LANES = ("memories", "log")
#: memories looked at when an agent begins: more than a block of 1,000 tokens holds
_KNOWN = 40
#: a word of a title, e.g. `parser`, `慢`
_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff]+|[\u3040-\u30ff\u3400-\u9fff]")
#: tasks of the last session that are named
_LAST_TASKS = 3


def named_project(runtime: Runtime, project: str | None) -> str | None:
    """The stored project of a name, or of a folder on this machine; None for one that nothing is known of."""
    if project is None:
        return None
    if project.startswith(("/", "~")):
        try:
            folder = Path(project).expanduser()
        except RuntimeError as error:
            raise InputError("project: `~` names no user of this machine.") from error
        return project_at(runtime, folder)
    try:
        return project_at(runtime, project)
    except UnknownNameError:
        return None


def recall(
    runtime: Runtime,
    query: str,
    *,
    agent_id: str | None,
    project: str | None,
    top_k: int,
    budget_tokens: int,
    as_of: datetime | None,
    lanes: Collection[str],
    rerank: bool | None,
    shown: Collection[str],
) -> Recall:
    """Memories and, with an agent, what a person said to it in its own logs that speaks to a message, the best first by
    score: not what was quoted to it, what a tool printed or what an agent made of either.

    What is in `shown` already is left out.
    """
    scope = Scope(first=named_project(runtime, project))
    items: list[RecallItem] = []
    notes: list[str] = []
    # as many more as may be left out again
    wanted = top_k + len(shown)
    if "memories" in lanes:
        hits = search_memories(
            runtime, query, limit=wanted, until=as_of, record_hits=False, rerank=rerank, scope=scope
        )
        notes += hits.notes
        items += [
            _of_memory(hit.record, hit.score) for hit in hits if not hit.weak and for_message(hit.record)
        ]
    if "log" in lanes and agent_id is not None:
        found = search_sessions(runtime, query, wanted, agent_id=agent_id, until=as_of, scope=scope)
        items += [
            RecallItem(
                pointer=f"d:{str(hit.session_id)[:8]}/{hit.start_line}-{hit.end_line}",
                kind="drawer",
                text=f"A person said: {hit.own_words}",
                score=hit.score,
                lane="log",
                sent_at=hit.sent_at,
                source=hit.session_file + (f", {hit.sent_at:%Y-%m-%d}" if hit.sent_at else ""),
            )
            for hit in found
            if not hit.weak and hit.own_words and is_harmless(hit.own_words)
        ]
    fresh = [item for item in items if item.pointer not in shown]
    fresh.sort(key=lambda item: -item.score)
    return make_block(fresh[:top_k], budget_tokens, notes=notes)


def wake_up(runtime: Runtime, *, agent_id: str | None, project: str | None, budget_tokens: int) -> Recall:
    """What is known of a project when an agent begins: rules that people gave, what was used most, the last tasks.
    Nothing that somebody else handed in, and nothing that is held.

    Empty for a project that nothing is known of.
    """
    name = named_project(runtime, project)
    if name is None:
        return make_block([], budget_tokens, route="wake_up")
    known = known_of_project(runtime, name, _KNOWN)
    items = [_of_memory(record, 1.0) for record in known if for_session_start(record)]
    # what was done last comes second: it is short, and a long list of memories must not keep it out
    last = _last_tasks(runtime, agent_id, name)
    return make_block([*items[:1], *last, *items[1:]], budget_tokens, route="wake_up")


def _last_tasks(runtime: Runtime, agent_id: str | None, project: str) -> Sequence[RecallItem]:
    if agent_id is None:
        return []
    found = list_sessions(runtime, limit=1, agent_id=agent_id, project=project).rows
    if not found:
        return []
    last = found[0]
    named = [task for task in segments(runtime, last["id"]) if task["topic"] and is_harmless(task["topic"])]
    tasks = [task for task in named[-_LAST_TASKS:] if _is_asked(runtime, last["id"], task)]
    if not tasks:
        return []
    return [
        RecallItem(
            pointer=f"d:{str(last['id'])[:8]}/{tasks[0]['start_line']}-{tasks[-1]['end_line']}",
            kind="drawer",
            text="Last session here: " + "; ".join(task["topic"] for task in tasks),
            score=1.0,
            lane="log",
            sent_at=last["changed_at"],
            source=f"{last['changed_at']:%Y-%m-%d}",
        )
    ]


def _is_asked(runtime: Runtime, session_id: UUID, task: Mapping[str, Any]) -> bool:
    """Whether a task is called by what a person asked as their own; a name that a model made is as good as all that it
    may have been made of."""
    rows = read_lines(runtime, session_id, task["start_line"], task["end_line"])
    said = [row["content"] for row in rows if row["role"] == "user" and row["origin"] == "human"]
    own = [own_words(text) for text in said]
    words = set(_WORD.findall("\n".join(own).casefold()))
    if words.issuperset(_WORD.findall(task["topic"].casefold())):
        return True
    return all(text.split() == kept.split() for text, kept in zip(said, own, strict=True)) and bool(said)


def _of_memory(record: MemoryRecord, score: float) -> RecallItem:
    text = record.overview_l1 or record.summary_l0 or record.content
    where = f", {record.project}" if record.project else ""
    return RecallItem(
        pointer=f"m:{str(record.id)[:8]}",
        kind="memory",
        text=text,
        score=score,
        lane="memories",
        sent_at=record.created_at,
        source=f"{record.memory_type}, said by {record.trust}{where}{record.doubt}",
    )
