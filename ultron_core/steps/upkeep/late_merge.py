"""A memory that got its vector late turns out to be a near-duplicate of another: it becomes a part of it."""

from __future__ import annotations

from uuid import uuid4

from ultron_core.memories import merge_tags
from ultron_core.steps.rows.body import body_of
from ultron_core.steps.rows.embedded import Embedded
from ultron_core.steps.rows.origins import DecisionRow, Origins, fetch_origins, hand_over, write_origins
from ultron_core.steps.rows.status import delete_memories
from ultron_core.steps.rows.write import reworded, write_rows, write_tags
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.compare import Verdict
from ultron_core.steps.upload.judge import Judge
from ultron_core.store.database import Connection
from ultron_core.store.tables.memories import MemoryRecord, add_hits

__all__ = ["take_over"]


def take_over(
    runtime: Runtime,
    conn: Connection,
    embedded: Embedded,
    judge: Judge,
    target: MemoryRecord,
    record: MemoryRecord,
    verdict: Verdict,
) -> None:
    """Everything of `record` becomes part of `target`: sources, contributions, keys, hits, facts, tags.

    The caller holds the locks.
    """
    old = body_of(target)
    body, pending = judge.merged(old, body_of(record))
    part = fetch_origins(conn, "first_contribution", {"id": record.id})
    hand_over(runtime, conn, record.id, target.id, pending=pending)
    add_hits(conn, runtime.account_id, {target.id: record.hit_count}, record.last_hit_at)
    tags = merge_tags(target.tags, record.tags)
    if body != old:
        write_rows(runtime, conn, [reworded(runtime, embedded, target, body, tags)])
    else:
        write_tags(runtime, conn, {target.id: tags})
    decision = DecisionRow(
        uuid4(),
        target.id,
        record.id,
        part[0]["id"] if part else None,
        "merge",
        f"{verdict.reason}_found_later",
        verdict.score,
        body_before=old,
        decided_by=verdict.decided_by,
    )
    write_origins(runtime, conn, Origins(decisions=[decision]))
    delete_memories(runtime, conn, [record.id])
