"""What `Ultron` changes of single memories; the steps behind it are loaded when one is changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args
from uuid import UUID

from ultron_core.models import Trust
from ultron_core.steps import given
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.memories import MemoryRecord

if TYPE_CHECKING:
    from ultron_core.steps.upkeep.erase import Erased

__all__ = ["Editing"]


class Editing(ABC):
    """Change, confirm, archive, delete, undo a merge."""

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
    ) -> MemoryRecord:
        """Change fields of a memory; a field that is None stays. What it said before is kept with `changed_by`. The new
        words are the owner's; `trust` "upload" where they are an agent's or anybody else's.

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
        )

    def confirm_memory(self, memory_id: str | UUID, *, given_by: str = "") -> MemoryRecord:
        """The owner's verdict that a memory holds as it stands: it is handed on like a person's words, also where it
        was held. Raises NotFoundError."""
        from ultron_core.steps import edit as curate

        return curate.confirm_memory(self.runtime, memory_id, given_by=given_by)

    def archive_memory(self, memory_id: str | UUID) -> MemoryRecord:
        """Leave a memory out of searches until it is unarchived. Raises NotFoundError."""
        from ultron_core.steps import edit as curate

        return curate.archive_memory(self.runtime, memory_id)

    def unarchive_memory(self, memory_id: str | UUID) -> MemoryRecord:
        """Bring an archived memory back. Raises NotFoundError, and InputError when its last source is gone."""
        from ultron_core.steps import edit as curate

        return curate.unarchive_memory(self.runtime, memory_id)

    def get_memory_history(self, memory_id: str | UUID) -> dict[str, Any]:
        """`{version, versions, decisions}`: what it said before, and every merge. Raises NotFoundError."""
        from ultron_core.steps import edit as curate

        return curate.history(self.runtime, memory_id)

    def delete_memory(self, memory_id: str | UUID) -> None:
        """Remove a memory and everything derived from it. Raises NotFoundError."""
        from ultron_core.steps import edit as curate

        curate.delete_memory(self.runtime, memory_id)

    def erase_session(self, session: str, *, dry_run: bool = False, datasets: bool = False) -> Erased:
        """Erase a session named by key, id or `<agent>/<file>`, with what was made of it; `dry_run` only says what.

        `datasets` also deletes datasets and adapters that hold it. Raises NotFoundError.
        """
        given.check_text("session", session, most=2 * given.MOST_NAME + 1)
        from ultron_core.steps.upkeep.erase import erase_session

        return erase_session(self.runtime, session, dry_run=dry_run, with_datasets=datasets)

    def unmerge(self, decision_id: str | UUID) -> MemoryRecord:
        """Undo one merge: the contribution is restored as a separate memory."""
        from ultron_core.steps import edit as curate

        return curate.unmerge(self.runtime, decision_id)

    def archive_memories_by_tag(self, tag: str) -> int:
        """Archive every active memory that carries the tag; returns how many."""
        given.check_name("tag", tag)
        from ultron_core.steps import edit as curate

        return curate.archive_memories_by_tag(self.runtime, tag)
