"""What could not be done at upload: missing vectors, types and summaries by the model, merges it should word."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from ultron_core.embeddings.checked import embed_checked
from ultron_core.errors import EmbeddingError, ModelAnswerError, ModelError
from ultron_core.memories import Body, classify_memory, embedding_text, merge_bodies, summarize_memory
from ultron_core.steps import clusters as cluster_step
from ultron_core.steps.context import Context
from ultron_core.steps.embedded import Embedded, run_embedded
from ultron_core.steps.late_merge import merge_backfilled
from ultron_core.steps.memory_rows import register_model, write_body
from ultron_core.steps.uploads import body_digest, body_of
from ultron_core.steps.windows import fill_windows
from ultron_core.store import memories as store
from ultron_core.store.database import Connection
from ultron_core.store.memories import MemoryRecord

__all__ = ["backfill"]

_BATCH = 200


def backfill(context: Context) -> int:
    """Fill in what waits; returns the number of rows that were finished. Stops quietly while it is still down."""
    return _vectors(context) + _merges(context) + _models(context) + fill_windows(context)


def _vectors(context: Context) -> int:
    """Embed rows without a vector of the present model, then dedup and cluster them as if just uploaded."""
    params = {"account_id": context.account_id, "model_id": context.embedder.model_id, "limit": _BATCH}
    done = 0
    while True:
        with context.database.transaction() as conn:
            rows = store.fetch(conn, "without_vector", params)
        if not rows:
            return done
        texts = [embedding_text(r["memory_type"], r["content"], r["context"], r["resolution"]) for r in rows]
        try:
            vectors = embed_checked(context.embedder, texts)
        except EmbeddingError:
            return done
        for row, vector in zip(rows, vectors, strict=True):
            text = store.vector_text(vector)
            run_embedded(context, partial(_fill, context, row, text))
        done += len(rows)


def _fill(context: Context, row: dict[str, Any], vector: str, embedded: Embedded, conn: Connection) -> None:
    store.run(conn, "lock_type", {"account_id": context.account_id, "memory_type": row["memory_type"]})
    store.run(conn, "lock_clusters", {"account_id": context.account_id})
    register_model(context, conn)
    found = store.by_ids(conn, context.account_id, [row["id"]])
    if not found or body_of(found[0]) != Body(row["content"], row["context"], row["resolution"]):
        return  # deleted meanwhile, or changed: then the next round sees it as it is now
    record = found[0]
    if merge_backfilled(context, conn, embedded, record, vector):
        return
    values = {
        "id": record.id,
        "account_id": context.account_id,
        "memory_type": record.memory_type,
        "model_id": context.embedder.model_id,
        "vector": vector,
    }
    store.run(conn, "upsert_vector", values)
    cluster_step.assign(context, conn, record.id, vector, record.summary_l0)


def _merges(context: Context) -> int:
    """Word the merges that a model should have worded; the body was left untouched until now."""
    if context.llm is None:
        return 0
    with context.database.transaction() as conn:
        rows = store.fetch(conn, "pending_contributions", {"account_id": context.account_id, "limit": _BATCH})
    done = 0
    for row in rows:
        with context.database.transaction() as conn:
            found = store.by_ids(conn, context.account_id, [row["memory_id"]])
        if not found:
            continue  # deleted meanwhile
        record, old = found[0], body_of(found[0])
        new = Body(row["content"], row["context"], row["resolution"])
        limit = context.settings.dedup.merge_max_field_tokens
        try:
            merged = merge_bodies(old, new, context.llm, max_field_tokens=limit)
        except ModelAnswerError:
            continue  # one that the model cannot word must not hold up the others
        except ModelError:
            return done
        (fields, _) = context.redactor.redact_json(
            [merged.body.content, merged.body.context, merged.body.resolution]
        )
        run_embedded(context, partial(_apply, context, row, record, Body(*fields)))
        done += 1
    return done


def _apply(
    context: Context,
    row: dict[str, Any],
    seen: MemoryRecord,
    body: Body,
    embedded: Embedded,
    conn: Connection,
) -> None:
    """Write the merged body unless somebody changed the memory meanwhile; then the next cycle does it."""
    store.run(conn, "lock_type", {"account_id": context.account_id, "memory_type": seen.memory_type})
    store.run(conn, "lock_clusters", {"account_id": context.account_id})
    found = store.by_ids(conn, context.account_id, [seen.id])
    if not found or body_of(found[0]) != body_of(seen):
        return
    if not store.run(conn, "contribution_merged", {"id": row["id"], "memory_id": seen.id}):
        return  # the merge was undone meanwhile
    if body != body_of(seen):
        write_body(context, conn, embedded, found[0], body, found[0].tags)


def _models(context: Context) -> int:
    """Type and summaries of rows that rules wrote while the model was down."""
    if context.llm is None:
        return 0
    with context.database.transaction() as conn:
        rows = store.fetch(conn, "needing_model", {"account_id": context.account_id, "limit": _BATCH})
        records = store.by_ids(conn, context.account_id, [row["id"] for row in rows])
    done = 0
    limits = context.settings.extract
    for record in records:
        body = (record.content, record.context, record.resolution)
        try:
            kind = record.memory_type
            if record.extractor == "direct":
                kind = classify_memory(*body, context.llm)
            summary = summarize_memory(
                *body, context.llm, l0_max_tokens=limits.l0_max_tokens, l1_max_tokens=limits.l1_max_tokens
            )
        except ModelAnswerError:
            continue
        except ModelError:
            return done
        (l0, l1), _ = context.redactor.redact_json([summary.l0, summary.l1])
        made = replace(record, memory_type=kind, summary_l0=l0, overview_l1=l1)
        context.database.run(partial(_write_model, context, made))
        done += 1
    return done


def _write_model(context: Context, record: MemoryRecord, conn: Connection) -> None:
    """Unless somebody changed or deleted the memory meanwhile; then the next cycle does it."""
    before = store.by_ids(conn, context.account_id, [record.id])
    for kind in sorted({record.memory_type, *(row.memory_type for row in before)}):
        store.run(conn, "lock_type", {"account_id": context.account_id, "memory_type": kind})
    now = store.by_ids(conn, context.account_id, [record.id])
    if not now or body_of(now[0]) != body_of(record):
        return
    body = body_of(record)
    values = {
        "id": record.id,
        "memory_type": record.memory_type,
        "body_sha256": body_digest(record.memory_type, body),
        "summary_l0": record.summary_l0,
        "overview_l1": record.overview_l1,
        "now": context.clock(),
    }
    store.run(conn, "model_done", values)
    store.run(conn, "retype", values)
