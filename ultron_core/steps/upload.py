"""Uploads -> memories: redact, type, embed, compare with the nearest of the same type, merge or insert.

What may take long (models, embedding) happens before the lock. Under the lock, one advisory lock a type, each
upload is compared again with what is stored now, so that concurrent identical uploads end in one row and a
batch gives what one upload after another would. Equal cosine is not equal fact: a merge also needs no diverging
number, date, identifier, path or negation; near-equals that diverge are linked.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from ultron_core.errors import InputError, ModelError
from ultron_core.memories import Body, diverges, merge_bodies, merge_tags
from ultron_core.sessions import clean_text
from ultron_core.steps.context import Context
from ultron_core.steps.lexical import count_memories
from ultron_core.steps.memory_rows import (
    insert_memory,
    register_model,
    set_status,
    write_body,
    write_decision,
    write_origin,
)
from ultron_core.steps.prepare import prepare
from ultron_core.steps.uploads import (
    Prepared,
    Source,
    Target,
    Upload,
    UploadResult,
    body_digest,
    thresholds,
)
from ultron_core.store import memories as store
from ultron_core.store.database import Connection
from ultron_core.store.memories import MemoryRecord

__all__ = ["Source", "Upload", "UploadResult", "merge_backfilled", "upload_memories"]


def upload_memories(context: Context, uploads: Sequence[Upload]) -> list[UploadResult]:
    """Store each upload; results in the order given. Raises InputError for empty content, before any write."""
    for upload in uploads:
        if not clean_text(upload.content).strip():
            raise InputError("A memory needs content: say what happened or what holds.")
    if not uploads:
        return []
    prepared = prepare(context, uploads)
    _ask_for_merges(context, prepared)
    return context.database.run(lambda conn: _store_all(context, conn, prepared))


def _ask_for_merges(context: Context, prepared: Sequence[Prepared]) -> None:
    """With a model: merged bodies for the likely targets, before the lock. Failures leave the merge for later."""
    if context.llm is None:
        return
    limit = context.settings.dedup.merge_max_field_tokens
    for item in prepared:
        with context.database.transaction() as conn:
            target = _target(context, conn, item)
            record = store.by_ids(conn, context.account_id, [target.other])[0] if target.other else None
        if target.action != "merge" or record is None:
            continue
        old = Body(record.content, record.context, record.resolution)
        try:
            merged = merge_bodies(old, item.body, context.llm, max_field_tokens=limit)
        except ModelError:
            continue
        item.merges[record.id, body_digest(record.memory_type, old)] = merged.body


def _target(context: Context, conn: Connection, item: Prepared) -> Target:
    """Same source and words: known. Same words: merge. Near and not diverging: merge. Else insert."""
    body = {"content": item.body.content, "context": item.body.context, "resolution": item.body.resolution}
    for source in item.upload.sources:
        if source.segment_id is None and source.raw_upload_id is None:
            continue
        rows = store.fetch(
            conn,
            "same_source",
            {
                "account_id": context.account_id,
                "segment_id": source.segment_id,
                "raw_upload_id": source.raw_upload_id,
                **body,
            },
        )
        if rows:
            archived = rows[0]["status"] == "archived"
            return Target("known", "same_source", rows[0]["memory_id"], archived=archived, known=True)
    rows = store.fetch(
        conn,
        "same_words",
        {
            "account_id": context.account_id,
            "memory_type": item.memory_type,
            "body_sha256": item.digest,
            **body,
        },
    )
    if rows:
        return Target("merge", "same_words", rows[0]["id"], 1.0, rows[0]["status"] == "archived")
    return _nearest_target(context, conn, item)


def _nearest_target(context: Context, conn: Connection, item: Prepared) -> Target:
    if item.vector is None:
        return Target("insert", "no_vector")
    model = (context.embedder.model_id, context.embedder.dimension)
    near = store.nearest(conn, context.account_id, model, item.memory_type, item.vector)
    if not near:
        return Target("insert", "first_of_its_type")
    limits = thresholds(context)
    for other, score in near:
        if score <= limits.merge:
            break
        record = store.by_ids(conn, context.account_id, [other])[0]
        difference = diverges(_text(record), item.body.text)
        if difference is None:
            return Target("merge", "near_duplicate", other, score)
    other, score = near[0]
    if score >= limits.soft:
        record = store.by_ids(conn, context.account_id, [other])[0]
        difference = diverges(_text(record), item.body.text)
        reason = f"diverging_{difference}" if difference else "similar"
        return Target("insert", reason, other, score)
    return Target("insert", "nothing_near", None, score)


def _text(record: MemoryRecord) -> str:
    return Body(record.content, record.context, record.resolution).text


def _store_all(context: Context, conn: Connection, prepared: Sequence[Prepared]) -> list[UploadResult]:
    for memory_type in sorted({item.memory_type for item in prepared}):
        store.run(conn, "lock_type", {"account_id": context.account_id, "memory_type": memory_type})
    store.run(conn, "lock_clusters", {"account_id": context.account_id})
    register_model(context, conn)
    done = [_store(context, conn, item) for item in prepared]
    records = store.by_ids(conn, context.account_id, [memory_id for memory_id, _ in done])
    return [
        UploadResult(record, target.action, target.score, target.reason)
        for record, (_, target) in zip(records, done, strict=True)
    ]


def _store(context: Context, conn: Connection, item: Prepared) -> tuple[UUID, Target]:
    earlier = _same_request(context, conn, item)
    if earlier is not None:
        return earlier, Target("known", "idempotency_key", earlier)
    target = _target(context, conn, item)
    if target.archived and target.other is not None:
        set_status(context, conn, [target.other], "active", None)
    if target.known and target.other is not None:
        return target.other, target
    if target.action == "merge" and target.other is not None:
        _merge(context, conn, item, target)
        memory_id = target.other
    else:
        memory_id = insert_memory(context, conn, item, target)
    if item.upload.idempotency_key:
        store.run(
            conn,
            "insert_idempotency",
            {
                "account_id": context.account_id,
                "agent_id": item.upload.agent_id,
                "key": item.upload.idempotency_key,
                "request_hash": item.request_hash,
                "memory_id": memory_id,
                "now": context.clock(),
            },
        )
    return memory_id, target


def _same_request(context: Context, conn: Connection, item: Prepared) -> UUID | None:
    key = item.upload.idempotency_key
    if not key:
        return None
    rows = store.fetch(conn, "idempotency", {"account_id": context.account_id, "key": key})
    if not rows:
        return None
    if rows[0]["request_hash"] != item.request_hash:
        raise InputError(f"idempotency_key {key!r} was used for another memory: use a new key for new words.")
    found: UUID = rows[0]["memory_id"]
    return found


def _merge(context: Context, conn: Connection, item: Prepared, target: Target) -> None:
    """One hit; the older body with the new facts, or as it was when a model should decide but cannot."""
    assert target.other is not None
    record = store.by_ids(conn, context.account_id, [target.other])[0]
    old = Body(record.content, record.context, record.resolution)
    store.run(conn, "hit_merge", {"id": record.id, "now": context.clock()})
    planned = item.merges.get((record.id, body_digest(record.memory_type, old)))
    pending = False
    body = old
    if planned is not None:
        body = planned
    elif context.llm is None:
        limit = context.settings.dedup.merge_max_field_tokens
        body = merge_bodies(old, item.body, max_field_tokens=limit).body
    else:
        pending = item.digest != body_digest(record.memory_type, old)
    tags = list(merge_tags(record.tags, item.tags))
    if body != old:
        write_body(context, conn, record, body, tags)
    else:
        store.run(conn, "update_tags", {"id": record.id, "tags": tags, "now": context.clock()})
    before = {"content": old.content, "context": old.context, "resolution": old.resolution}
    write_origin(context, conn, record.id, item, target, merged=True, body_before=before, pending=pending)


def merge_backfilled(context: Context, conn: Connection, record: MemoryRecord, vector: str) -> bool:
    """Whether a row that got its vector late is a near-duplicate: then it becomes a contribution of the other.

    Its sources, contributions and hits go along; the caller holds the locks.
    """
    model = (context.embedder.model_id, context.embedder.dimension)
    own = Body(record.content, record.context, record.resolution)
    for other, score in store.nearest(conn, context.account_id, model, record.memory_type, vector):
        if score <= thresholds(context).merge or other == record.id:
            continue
        target = store.by_ids(conn, context.account_id, [other])[0]
        if diverges(_text(target), own.text) is not None:
            continue
        _take_over(context, conn, target, record, score)
        if record.status == "active":
            count_memories(context, conn, [record.id], -1)
        store.run(conn, "delete", {"id": record.id, "account_id": context.account_id})
        return True
    return False


def _take_over(
    context: Context, conn: Connection, target: MemoryRecord, record: MemoryRecord, score: float
) -> None:
    """Everything of `record` becomes part of `target`: sources, contributions, keys, hits, facts, tags."""
    pending = context.llm is not None
    part = store.fetch(conn, "first_contribution", {"id": record.id})
    store.run(conn, "reassign", {"from_id": record.id, "to_id": target.id, "pending": pending})
    hits = {"id": target.id, "hits": record.hit_count, "last_hit_at": record.last_hit_at}
    store.run(conn, "add_hits", hits)
    old = Body(target.content, target.context, target.resolution)
    own = Body(record.content, record.context, record.resolution)
    limit = context.settings.dedup.merge_max_field_tokens
    body = old if pending else merge_bodies(old, own, max_field_tokens=limit).body
    tags = list(merge_tags(target.tags, record.tags))
    if body != old:
        write_body(context, conn, target, body, tags)
    else:
        store.run(conn, "update_tags", {"id": target.id, "tags": tags, "now": context.clock()})
    decision = Target("merge", "near_duplicate_found_later", record.id, score)
    write_decision(context, conn, target.id, decision, part[0]["id"] if part else None, old)
