"""Closed segments -> quality labels, by the judge when there is one, otherwise offline; never a silent mix."""

from __future__ import annotations

from psycopg.types.json import Jsonb

from ultron_core.labels import LABELER_VERSION, label_segment
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.loop import Item, StageResult, Step
from ultron_core.steps.stages.segment_rows import segment_messages_of, segments_waiting
from ultron_core.steps.stages.table import LABELS
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables.records import SegmentRow

__all__ = ["STEP"]


def _label(runtime: Runtime, item: Item[SegmentRow]) -> StageResult:
    with runtime.database.transaction() as conn:
        messages = segment_messages_of(conn, item.row)
    label = label_segment(messages, runtime.quality_llm, topic=item.row.topic)
    metrics, _ = runtime.redactor.redact_json(label.to_json())
    with runtime.database.transaction() as conn:
        segment_store.run(
            conn,
            "label",
            {"id": item.id, "metrics": Jsonb(metrics), "labeler": label.labeler, "now": runtime.clock()},
        )
    return StageResult(item.id, item.partition_key, "done", {"newly_labeled": 1})


def _workers(runtime: Runtime) -> int:
    return 1 if runtime.quality_llm is None else runtime.settings.llm.max_concurrency


STEP = Step(
    LABELS,
    LABELER_VERSION,
    waiting=segments_waiting,
    messages=segment_messages_of,
    work=_label,
    run=segment_store.run,
    workers=_workers,
)
