"""A memory that got its vector late may turn out to be a near-duplicate of another."""

from __future__ import annotations

from ultron_core.memories import diverges, merge_bodies, merge_tags
from ultron_core.steps.rows.embedded import Embedded
from ultron_core.steps.rows.lexical import count_memories
from ultron_core.steps.rows.memories import write_body, write_late_merge
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.records import Floats, body_of, thresholds
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables import uploads as upload_rows
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["merge_backfilled"]


def merge_backfilled(
    runtime: Runtime, conn: Connection, embedded: Embedded, record: MemoryRecord, vector: Floats
) -> bool:
    """Whether a row that got its vector late is a near-duplicate: then it becomes a contribution of the other.

    Its sources, contributions and hits go along; the caller holds the locks.
    """
    model = (runtime.embedder.model_id, runtime.embedder.dimension)
    own = body_of(record)
    mine = {"account_id": runtime.account_id, "model_id": model[0], "types": [record.memory_type]}
    documents = upload_rows.fetch(conn, "marks", mine)[0]["documents"]
    limit = thresholds(runtime).merge
    wanted = [(0, record.memory_type, vector)]
    near = upload_rows.nearest(conn, runtime.account_id, model, wanted, documents, limit)[0]
    for other, score in near.same:
        if score <= limit or other == record.id:
            continue
        target = store.by_ids(conn, runtime.account_id, [other])[0]
        if diverges(body_of(target).text, own.text) is not None:
            continue
        _take_over(runtime, conn, embedded, target, record, score)
        if record.status == "active":
            count_memories(runtime, conn, [record.id], -1)
        store.run(conn, "delete", {"id": record.id, "account_id": runtime.account_id})
        return True
    return False


def _take_over(
    runtime: Runtime,
    conn: Connection,
    embedded: Embedded,
    target: MemoryRecord,
    record: MemoryRecord,
    score: float,
) -> None:
    """Everything of `record` becomes part of `target`: sources, contributions, keys, hits, facts, tags."""
    pending = runtime.llm is not None
    part = store.fetch(conn, "first_contribution", {"id": record.id})
    store.run(conn, "reassign", {"from_id": record.id, "to_id": target.id, "pending": pending})
    hits = {"id": target.id, "hits": record.hit_count, "last_hit_at": record.last_hit_at}
    store.run(conn, "add_hits", hits)
    old = body_of(target)
    own = body_of(record)
    limit = runtime.settings.dedup.merge_max_field_tokens
    body = old if pending else merge_bodies(old, own, max_field_tokens=limit).body
    tags = list(merge_tags(target.tags, record.tags))
    if body != old:
        write_body(runtime, conn, embedded, target, body, tags)
    else:
        store.run(conn, "update_tags", {"id": target.id, "tags": tags, "now": runtime.clock()})
    write_late_merge(runtime, conn, target.id, record.id, part[0]["id"] if part else None, old, score)
