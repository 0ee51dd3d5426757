"""Memories that are archived, re-activated, deleted, or lose their last source, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from ultron_core.errors import InputError
from ultron_core.steps.clusters.members import follow_status
from ultron_core.steps.ids import segment_tag
from ultron_core.steps.rows import origins
from ultron_core.steps.rows.lexical import count_words, forget_words
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.rows.memories import write_tags
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store

__all__ = [
    "archive_orphans",
    "bring_back",
    "delete_memories",
    "lose_segments",
    "retract_from_segment",
    "set_status",
]


def set_status(
    runtime: Runtime, conn: Connection, ids: Sequence[UUID], status: str, reason: str | None
) -> list[UUID]:
    """Archive or re-activate; archived members leave their cluster, re-activated ones join one again."""
    values = {"ids": sorted(ids), "status": status, "reason": reason, "now": runtime.clock()}
    changed = [row["id"] for row in store.fetch(conn, "set_status", {**runtime.account, **values})]
    if changed:
        count_words(runtime, conn, changed, 1 if status == "active" else -1)
        follow_status(runtime, conn, changed, status)
    return changed


def bring_back(runtime: Runtime, conn: Connection, memory_id: UUID) -> None:
    """Re-activate one that was archived, for whatever reason. Raises InputError when its last source is gone."""
    set_status(runtime, conn, [memory_id], "active", None)
    if store.fetch(conn, "orphans", {"ids": [memory_id]}):
        raise InputError(
            f"Memory {memory_id} cannot come back: its last source is gone. Upload it again instead."
        )


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
    store.run(conn, "settle", {**runtime.account, "ids": list(memory_ids)})
    return archive_orphans(runtime, conn, memory_ids)
