"""What could not be done at upload: missing vectors, types and summaries by the model, merges it should word."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from ultron_core.errors import ModelAnswerError, ModelError
from ultron_core.memories import Body, classify_memory, merge_bodies, summarize_memory
from ultron_core.steps.rows.embedded import Embedded, run_embedded
from ultron_core.steps.rows.memories import lock_memories, lock_types, write_body
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.windows import fill_windows
from ultron_core.steps.upkeep.backfill_vectors import Progress, fill_vectors
from ultron_core.steps.upload.records import body_digest, body_of
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["backfill"]

_BATCH = 200


def backfill(runtime: Runtime, progress: Progress | None = None) -> int:
    """Fill in what waits; returns the number of rows that were finished. Stops quietly while it is still down.

    `progress` is told how many memories have their vector so far.
    """
    return fill_vectors(runtime, progress) + _merges(runtime) + _models(runtime) + fill_windows(runtime)


def _merges(runtime: Runtime) -> int:
    """Word the merges that a model should have worded; the body was left untouched until now."""
    if runtime.llm is None:
        return 0
    with runtime.database.transaction() as conn:
        rows = store.fetch(conn, "pending_contributions", {"account_id": runtime.account_id, "limit": _BATCH})
    done = 0
    for row in rows:
        with runtime.database.transaction() as conn:
            found = store.by_ids(conn, runtime.account_id, [row["memory_id"]])
        if not found:
            continue  # deleted meanwhile
        record, old = found[0], body_of(found[0])
        new = Body(row["content"], row["context"], row["resolution"])
        limit = runtime.settings.dedup.merge_max_field_tokens
        try:
            merged = merge_bodies(old, new, runtime.llm, max_field_tokens=limit)
        except ModelAnswerError:
            continue  # one that the model cannot word must not hold up the others
        except ModelError:
            return done
        (fields, _) = runtime.redactor.redact_json(
            [merged.body.content, merged.body.context, merged.body.resolution]
        )
        run_embedded(runtime, partial(_apply, runtime, row, record, Body(*fields)))
        done += 1
    return done


def _apply(
    runtime: Runtime,
    row: dict[str, Any],
    seen: MemoryRecord,
    body: Body,
    embedded: Embedded,
    conn: Connection,
) -> None:
    """Write the merged body unless somebody changed the memory meanwhile; then the next cycle does it."""
    lock_memories(runtime, conn, [seen.memory_type])
    found = store.by_ids(conn, runtime.account_id, [seen.id])
    if not found or body_of(found[0]) != body_of(seen):
        return
    if not store.run(conn, "contribution_merged", {"id": row["id"], "memory_id": seen.id}):
        return  # the merge was undone meanwhile
    if body != body_of(seen):
        write_body(runtime, conn, embedded, found[0], body, found[0].tags)


def _models(runtime: Runtime) -> int:
    """Type and summaries of rows that rules wrote while the model was down."""
    if runtime.llm is None:
        return 0
    with runtime.database.transaction() as conn:
        rows = store.fetch(conn, "needing_model", {"account_id": runtime.account_id, "limit": _BATCH})
        records = store.by_ids(conn, runtime.account_id, [row["id"] for row in rows])
    done = 0
    limits = runtime.settings.extract
    for record in records:
        body = (record.content, record.context, record.resolution)
        try:
            kind = record.memory_type
            if record.extractor == "direct":
                kind = classify_memory(*body, runtime.llm)
            summary = summarize_memory(
                *body, runtime.llm, l0_max_tokens=limits.l0_max_tokens, l1_max_tokens=limits.l1_max_tokens
            )
        except ModelAnswerError:
            continue
        except ModelError:
            return done
        (l0, l1), _ = runtime.redactor.redact_json([summary.l0, summary.l1])
        made = replace(record, memory_type=kind, summary_l0=l0, overview_l1=l1)
        runtime.database.run(partial(_write_model, runtime, made))
        done += 1
    return done


def _write_model(runtime: Runtime, record: MemoryRecord, conn: Connection) -> None:
    """Unless somebody changed or deleted the memory meanwhile; then the next cycle does it."""
    before = store.by_ids(conn, runtime.account_id, [record.id])
    lock_types(runtime, conn, [record.memory_type, *(row.memory_type for row in before)])
    now = store.by_ids(conn, runtime.account_id, [record.id])
    if not now or body_of(now[0]) != body_of(record):
        return
    body = body_of(record)
    values = {
        "id": record.id,
        "memory_type": record.memory_type,
        "body_sha256": body_digest(record.memory_type, body),
        "summary_l0": record.summary_l0,
        "overview_l1": record.overview_l1,
        "now": runtime.clock(),
    }
    store.run(conn, "model_done", values)
    store.run(conn, "retype", values)
