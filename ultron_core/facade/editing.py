"""What `Ultron` changes of single memories; the steps behind it are loaded when one is changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args
from uuid import UUID

from ultron_core.models import WORTHS, Trust, Worth
from ultron_core.steps import given
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.memories import MemoryRecord

if TYPE_CHECKING:
    from ultron_core.lessons.taste import Taste
    from ultron_core.steps.upkeep.erase import Erased

__all__ = ["Editing"]


class Editing(ABC):
    """Change, judge, archive, delete, undo a merge."""

    @property
    @abstractmethod
    def runtime(self) -> Runtime:
        """What steps work with."""

    def update_memory(
        self,
        memory_id: str | UUID,
        *,
        content: str | None = None,
        context: str | None = None,
        resolution: str | None = None,
        tags: Sequence[str] | None = None,
        changed_by: str = "",
        trust: Trust = "human",
        if_version: int | None = None,
        purge: bool = False,
    ) -> MemoryRecord:
        """Change fields of a memory; a field that is None stays. What it said before is kept with `changed_by`. The new
        words are the owner's; `trust` "upload" where they are an agent's or anybody else's. With `purge` no older words
        stay: not in its versions, in what was given to it and merged, nor in quotes; no merge can be undone then.

        Raises NotFoundError, InputError, and ConflictError when it is not at `if_version` any more.
        """
        for name, text in (("content", content), ("context", context), ("resolution", resolution)):
            if text is not None:
                given.check_text(name, text)
        given.check_tags(tags)
        given.check_one_of("trust", trust, get_args(Trust))
        from ultron_core.steps import edit as curate

        return curate.update_memory(
            self.runtime,
            memory_id,
            content=content,
            context=context,
            resolution=resolution,
            tags=tags,
            changed_by=changed_by,
            trust=trust,
            if_version=if_version,
            purge=purge,
        )

    def confirm_memory(self, memory_id: str | UUID, *, given_by: str = "") -> MemoryRecord:
        """The owner's verdict that a memory holds as it stands: it is handed on like a person's words, also where it
        was held. Raises NotFoundError."""
        from ultron_core.steps.verdicts import give_verdict

        return give_verdict(self.runtime, memory_id, "confirmed", given_by=given_by)

    def judge_memory(self, memory_id: str | UUID, verdict: Worth, *, given_by: str = "") -> MemoryRecord:
        """A person's verdict that a memory, as it stands, is `useful` (it is handed on like their own words, unless
        it is held) or `junk` (it is archived, and stays so when its words are found again). The later of two by one
        person replaces the earlier. Raises NotFoundError, and InputError for another verdict."""
        given.check_one_of("verdict", verdict, WORTHS)
        given.check_name("given_by", given_by or None, optional=True)
        from ultron_core.steps.verdicts import give_verdict

        return give_verdict(self.runtime, memory_id, verdict, given_by=given_by)

    def memories_to_judge(self, limit: int = 20) -> Sequence[MemoryRecord]:
        """Memories that nobody has judged: those that the ranker was least sure of first, then the newest."""
        given.check_count("limit", limit)
        from ultron_core.steps.verdicts import memories_to_judge

        return memories_to_judge(self.runtime, limit)

    def refit_taste(self) -> Taste:
        """Learn from all verdicts how this account's taste differs from the ranker's; used from then on where that is
        better on sessions left out, else the ranker is left as it is, with the reason."""
        from ultron_core.steps.taste import refit_taste

        return refit_taste(self.runtime)

    def get_taste_status(self) -> dict[str, Any]:
        """`{judged, taste}`: how many verdicts of each kind hold, and what was learned the last time, None if never."""
        from ultron_core.steps.taste import taste_status

        return taste_status(self.runtime)

    def archive_memory(self, memory_id: str | UUID) -> MemoryRecord:
        """Leave a memory out of searches until it is unarchived. Raises NotFoundError."""
        return self.archive_memories([memory_id])[0]

    def archive_memories(self, ids: Sequence[str | UUID]) -> Sequence[MemoryRecord]:
        """The same of several, of all or none. Raises NotFoundError."""
        from ultron_core.steps import edit as curate

        return curate.archive_memories(self.runtime, given.items_of("ids", ids))

    def unarchive_memory(self, memory_id: str | UUID) -> MemoryRecord:
        """Bring an archived memory back; that it is junk is withdrawn. Raises NotFoundError, and
        InputError when its last source is gone."""
        return self.unarchive_memories([memory_id])[0]

    def unarchive_memories(self, ids: Sequence[str | UUID]) -> Sequence[MemoryRecord]:
        """The same of several, of all or none. Raises NotFoundError and InputError."""
        from ultron_core.steps import edit as curate

        return curate.unarchive_memories(self.runtime, given.items_of("ids", ids))

    def get_memory_history(self, memory_id: str | UUID) -> dict[str, Any]:
        """`{version, hits, versions, decisions, verdicts, links}`: how often it was hit, what it said before, every
        merge, every time it was archived or came back, and what it is linked with. Raises NotFoundError."""
        from ultron_core.steps import edit as curate

        return curate.history(self.runtime, memory_id)

    def delete_memory(self, memory_id: str | UUID) -> None:
        """Remove a memory and everything derived from it. Raises NotFoundError."""
        self.delete_memories([memory_id])

    def delete_memories(self, ids: Sequence[str | UUID]) -> None:
        """The same of several, of all or none. Raises NotFoundError."""
        from ultron_core.steps import edit as curate

        curate.delete_memories(self.runtime, given.items_of("ids", ids))

    def erase_session(self, session: str, *, dry_run: bool = False, datasets: bool = False) -> Erased:
        """Erase a session named by key, id or `<agent>/<file>`, with what was made of it; `dry_run` only says what.

        `datasets` also deletes datasets and adapters that hold it. Raises NotFoundError.
        """
        return self.erase(session=session, dry_run=dry_run, datasets=datasets)

    def erase(
        self,
        *,
        memory: str | UUID | None = None,
        session: str | None = None,
        message: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        before: datetime | None = None,
        account: str | None = None,
        dry_run: bool = False,
        datasets: bool = False,
        with_file: bool = False,
    ) -> Erased:
        """Erase what exactly one scope takes, with everything made of it; `dry_run` only says what.

        `memory`: what its agent gave to it. `session`: by key, id or `<agent>/<file>`. `message`: its lines, as
        `<session>:LINE`, `<session>:FIRST-LAST`, or the pointer `d:...` of a block. `project`, `agent`: all of theirs.
        `before`: sessions, texts and uploads that ended before that time. `account`: everything; it must be named.

        `datasets` also deletes datasets and adapters that hold it, `with_file` the files outside the drop folder that
        it was read from. The same call goes on with one that was killed. Raises InputError, NotFoundError,
        UnknownNameError, and ConflictError while another erasure runs.
        """
        named = {"memory": memory, "session": session, "message": message, "project": project, "agent": agent}
        from ultron_core.steps.upkeep.erase import erase, scope_of

        scope = scope_of(self.runtime, {**named, "before": before, "account": account})
        return erase(self.runtime, scope, dry_run=dry_run, with_datasets=datasets, with_file=with_file)

    def unmerge(self, decision_id: str | UUID) -> MemoryRecord:
        """Undo one merge: the contribution is restored as a separate memory."""
        from ultron_core.steps import edit as curate

        return curate.unmerge(self.runtime, decision_id)

    def archive_memories_by_tag(self, tag: str) -> int:
        """Archive every active memory that carries the tag; returns how many."""
        given.check_name("tag", tag)
        from ultron_core.steps import edit as curate

        return curate.archive_memories_by_tag(self.runtime, tag)
