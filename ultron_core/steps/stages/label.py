"""Finished segments -> quality labels, by the judge when there is one, else offline; never a silent mix."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import UUID

from psycopg.types.json import Jsonb

from ultron_core.errors import ModelError
from ultron_core.labels import label_segment
from ultron_core.models import QualityLabel
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.failures import Failure, describe_failure
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow

__all__ = ["LabeledSegment", "label_pending_segments"]


@dataclass(frozen=True, slots=True)
class LabeledSegment:
    """What became of one segment. status: done, pending (model not there now) or failed (its answer)."""

    segment_id: UUID
    partition_key: str
    status: str
    label: QualityLabel | None = None
    error: str | None = None


def label_pending_segments(
    runtime: Runtime, batch_size: int | None = None, keys: Sequence[str] | None = None
) -> list[LabeledSegment]:
    """Judge the finished segments that wait (only of these partitions when `keys` is given)."""
    with runtime.database.transaction() as conn:
        waiting = segment_store.pending(conn, "to_label", runtime.waiting(keys, batch_size))
    down = threading.Event()

    def one(item: tuple[SegmentRow, str]) -> LabeledSegment:
        row, key = item
        if down.is_set():
            return LabeledSegment(row.id, key, "pending", error="not tried: the model endpoint is down")
        result = _label(runtime, row, key)
        if result.status == "pending":
            down.set()
        return result

    workers = 1 if runtime.quality_llm is None else runtime.settings.llm.max_concurrency
    with ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(one, waiting))


def _label(runtime: Runtime, row: SegmentRow, key: str) -> LabeledSegment:
    with runtime.database.transaction() as conn:
        messages = session_store.load_thread(
            conn, runtime.account_id, row.session_id, row.thread, row.start_message, row.end_message
        )
    try:
        label = label_segment(messages, runtime.quality_llm, topic=row.topic)
    except ModelError as error:
        failure = describe_failure(runtime, error)
        _store_failure(runtime, row, failure)
        return LabeledSegment(row.id, key, failure.status, error=failure.reason)
    metrics, _ = runtime.redactor.redact_json(label.to_json())
    with runtime.database.transaction() as conn:
        segment_store.run(
            conn,
            "label",
            {"id": row.id, "metrics": Jsonb(metrics), "labeler": label.labeler, "now": runtime.clock()},
        )
    return LabeledSegment(row.id, key, "done", label)


def _store_failure(runtime: Runtime, row: SegmentRow, failure: Failure) -> None:
    with runtime.database.transaction() as conn:
        segment_store.run(
            conn,
            "label_failed",
            {
                "id": row.id,
                "error": failure.reason,
                "transient": failure.transient,
                "max_attempts": runtime.settings.segments.max_attempts,
                "now": runtime.clock(),
            },
        )
