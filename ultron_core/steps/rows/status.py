"""Memories that change shelves, are archived, deleted, or lose their last source, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from ultron_core.errors import InputError
from ultron_core.models import Status
from ultron_core.steps.clusters.members import follow_status
from ultron_core.steps.ids import segment_tag
from ultron_core.steps.rows import origins
from ultron_core.steps.rows.lexical import count_words, forget_words
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.rows.memories import write_tags
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables.verdicts import JUNK

__all__ = [
    "archive_orphans",
    "bring_back",
    "delete_memories",
    "lose_segments",
    "retract_from_segment",
    "set_status",
    "settle",
    "shelve",
]

#: causes that are somebody's decision; all others are the rules'
_BY_PERSON = frozenset({"by_hand", "by_tag", JUNK, "confirmed", "judged_useful"})


def set_status(
    runtime: Runtime, conn: Connection, ids: Sequence[UUID], status: Status, cause: str
) -> list[UUID]:
    """Put memories elsewhere; only active ones are in clusters, and the words of archived ones are not counted. When
    one is archived, or comes back, that is kept with its `cause`."""
    by = "person" if cause in _BY_PERSON else "rules"
    values = {"ids": sorted(ids), "status": status, "cause": cause, "decided_by": by, "now": runtime.clock()}
    rows = store.fetch(conn, "set_status", {**runtime.account, **values})
    changed = [row["id"] for row in rows]
    crossing = [row["id"] for row in rows if "archived" in (status, row["status"])]
    count_words(runtime, conn, crossing, -1 if status == "archived" else 1)
    if changed:
        follow_status(runtime, conn, changed, status)
    return changed


def bring_back(runtime: Runtime, conn: Connection, ids: Sequence[UUID], cause: str) -> None:
    """Put memories that were archived, for whatever reason, on their shelves again. Raises InputError when the last
    source of one is gone."""
    shelve(runtime, conn, ids, back=ids, cause=cause)
    gone = [str(row["id"]) for row in store.fetch(conn, "orphans", {"ids": list(ids)})]
    if gone:
        raise InputError(
            f"Memory {', '.join(gone)} cannot come back: its last source is gone. Upload it again instead."
        )


def shelve(
    runtime: Runtime,
    conn: Connection,
    ids: Collection[UUID],
    *,
    back: Collection[UUID] = (),
    cause: str = "given_again",
) -> None:
    """Put memories on the shelf that what stands behind them now gives them: after every change of it. Archived ones
    stay out, but for those that come `back`, for this `cause`. The caller holds the locks."""
    if not ids:
        return
    asked = {"ids": sorted(ids), "back": sorted(back)}
    rows = store.fetch(conn, "shelve", {**runtime.account, **asked})
    shelves: tuple[Status, ...] = ("active", "claimed")
    for shelf in shelves:
        moved = [row["id"] for row in rows if row["shelf"] == shelf]
        if moved:
            set_status(runtime, conn, moved, shelf, cause)


def delete_memories(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> None:
    """Remove memories with everything made from them, down to the counts of their words."""
    # out of their clusters first, so that the centroids forget them as well
    set_status(runtime, conn, ids, "archived", "deleted")
    forget_words(runtime, conn, ids)
    store.run(conn, "delete", {**runtime.account, "ids": list(ids)})


def archive_orphans(runtime: Runtime, conn: Connection, memory_ids: Sequence[UUID]) -> int:
    """Archive those of the memories that have no source left; in the caller's transaction."""
    if not memory_ids:
        return 0
    lock_memories(runtime, conn)
    orphans = [row["id"] for row in store.fetch(conn, "orphans", {"ids": list(memory_ids)})]
    return len(set_status(runtime, conn, orphans, "archived", "no_source_left"))


def retract_from_segment(runtime: Runtime, conn: Connection, segment_id: UUID, kept: Sequence[UUID]) -> int:
    """Memories that a segment no longer gives lose it as a source; those without another are archived."""
    params = {**runtime.account, "segment_id": segment_id, "kept": list(kept)}
    rows = origins.fetch(conn, "retract_sources", params)
    return lose_segments(runtime, conn, [segment_id], [row["memory_id"] for row in rows])


def lose_segments(
    runtime: Runtime, conn: Connection, segment_ids: Sequence[UUID], memory_ids: Sequence[UUID]
) -> int:
    """Memories that these segments no longer give lose their tags, so that archiving by such a tag spares what
    another segment supports; those without any source are archived. Returns how many."""
    if not memory_ids:
        return 0
    lock_memories(runtime, conn)
    lost = {segment_tag(segment_id) for segment_id in segment_ids}
    tagged = [r for r in store.by_ids(conn, runtime.account_id, memory_ids) if lost & set(r.tags)]
    write_tags(runtime, conn, {r.id: [tag for tag in r.tags if tag not in lost] for r in tagged})
    settle(runtime, conn, memory_ids)
    return archive_orphans(runtime, conn, memory_ids)


def settle(runtime: Runtime, conn: Connection, memory_ids: Sequence[UUID]) -> None:
    """After a source went: who still stands behind memories, and so their shelves. The caller holds the locks."""
    store.run(conn, "settle", {**runtime.account, "ids": list(memory_ids)})
    shelve(runtime, conn, memory_ids)
