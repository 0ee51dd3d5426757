"""What could not be done at upload: missing vectors, types and summaries by the model, merges it should word; and what
new verdicts teach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from ultron_core.errors import ModelAnswerError, ModelError
from ultron_core.memories import Body, classify_memory, cure_of_merge
from ultron_core.steps.rows import locks, origins, status
from ultron_core.steps.rows import memories as memory_rows
from ultron_core.steps.rows.body import MemoryRow, backing_in, backing_of, body_of
from ultron_core.steps.rows.embedded import Embedded, run_embedded
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.windows import recount_windows
from ultron_core.steps.taste import refit_if_judged
from ultron_core.steps.upkeep.backfill_vectors import Progress, fill_vectors
from ultron_core.steps.upkeep.indexes import drop_unused_indexes
from ultron_core.steps.upload.judge import word_merge
from ultron_core.steps.upload.prepare import summary_by_model
from ultron_core.steps.upload.records import DIRECT
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["backfill"]

#: rows a round
_BATCH = 200


def backfill(runtime: Runtime, progress: Progress | None = None) -> int:
    """Fill in what waits; returns the number of rows that were finished. Stops quietly while it is still down.

    `progress` is told how many memories have their vector so far.
    """
    recount_windows(runtime)
    drop_unused_indexes(runtime)
    refit_if_judged(runtime)
    return fill_vectors(runtime, progress) + _merges(runtime) + _models(runtime)


def _merges(runtime: Runtime) -> int:
    """Word the merges that a model should have worded; the body was left untouched until now."""
    if runtime.llm is None:
        return 0
    with runtime.database.transaction() as conn:
        rows = origins.fetch(conn, "pending_contributions", {**runtime.account, "limit": _BATCH})
    done = 0
    for row in rows:
        with runtime.database.transaction() as conn:
            found = store.by_ids(conn, runtime.account_id, [row["memory_id"]])
        if not found:
            continue  # deleted meanwhile
        record, old = found[0], body_of(found[0])
        new = Body(row["content"], row["context"], row["resolution"])
        try:
            merged = word_merge(runtime, old, new)
        except ModelAnswerError:  # one that the model cannot word must not hold up the others
            _note_try(runtime, origins.run, "contribution_tried", row["id"])
            continue
        except ModelError:
            return done
        run_embedded(runtime, partial(_apply, runtime, row, record, merged))
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
    locks.lock_memories(runtime, conn, [seen.memory_type])
    found = store.by_ids(conn, runtime.account_id, [seen.id])
    if not found or body_of(found[0]) != body_of(seen):
        return
    if not origins.mark_merged(runtime, conn, row["id"], seen.id):
        return  # the merge was undone meanwhile
    if body != body_of(seen):
        old, given = backing_of(found[0]), backing_in(row)
        parts = (
            (body_of(seen), old.cure),
            (Body(row["content"], row["context"], row["resolution"]), given.cure),
        )
        backing = replace(old.weaker(given), cure=cure_of_merge(body, parts))
        memory_rows.reword(runtime, conn, embedded, found[0], body, found[0].tags, backing)
        status.shelve(runtime, conn, [seen.id])


def _models(runtime: Runtime) -> int:
    """Type and summaries of rows that rules wrote while the model was down."""
    if runtime.llm is None:
        return 0
    with runtime.database.transaction() as conn:
        rows = store.fetch(conn, "needing_model", {"account_id": runtime.account_id, "limit": _BATCH})
        records = store.by_ids(conn, runtime.account_id, [row["id"] for row in rows])
    done = 0
    for record in records:
        body = body_of(record)
        try:
            kind: str = record.memory_type
            if record.extractor == DIRECT:
                kind = classify_memory(body.content, body.context, body.resolution, runtime.llm)
            summary = summary_by_model(runtime, runtime.llm, body)
        except ModelAnswerError:
            _note_try(runtime, store.run, "tried", record.id)
            continue
        except ModelError:
            return done
        made = MemoryRow(record.id, kind, body, tuple(record.tags), summary, needs_model=False)
        runtime.database.run(partial(_write_model, runtime, made))
        done += 1
    return done


def _note_try(runtime: Runtime, run: Callable[..., int], query: str, row_id: UUID) -> None:
    """It goes to the end of the queue: refused rows that stay in front would fill each round."""
    params = {**runtime.account, "ids": [row_id], "now": runtime.clock()}
    runtime.database.run(lambda conn: run(conn, query, params))


def _write_model(runtime: Runtime, made: MemoryRow, conn: Connection) -> None:
    """Unless somebody changed or deleted the memory meanwhile; then the next cycle does it."""
    before = store.by_ids(conn, runtime.account_id, [made.id])
    locks.lock_types(runtime, conn, [made.memory_type, *(row.memory_type for row in before)])
    now = store.by_ids(conn, runtime.account_id, [made.id])
    if not now or body_of(now[0]) != made.body:
        return
    memory_rows.store(runtime, conn, [replace(made, tags=tuple(now[0].tags))])
    if now[0].memory_type != made.memory_type:
        memory_rows.copy_types(runtime, conn, [made.id])
