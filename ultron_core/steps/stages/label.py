"""Closed segments -> quality labels, by the judge when there is one, otherwise offline; never a silent mix.

Where the judge is the model that extracts as well, it gives the notes with the judgement: they wait on the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.types.json import Jsonb

from ultron_core.labels import LABELER_VERSION, label_segment
from ultron_core.labels.judge import label_with_model
from ultron_core.llm.protocol import LLM
from ultron_core.memories import extractor_of
from ultron_core.models import Message, QualityLabel
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.loop import Item, StageResult, Step
from ultron_core.steps.stages.review import LEAST_TOKENS, review_segment
from ultron_core.steps.stages.segment_rows import segment_messages_of, segments_waiting
from ultron_core.steps.stages.table import LABELS
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow

__all__ = ["STEP", "asks_both"]


def _label(runtime: Runtime, item: Item[SegmentRow]) -> StageResult:
    with runtime.database.transaction() as conn:
        messages = segment_messages_of(conn, item.row)
    label, notes = _judged(runtime, item.row, messages)
    (metrics, notes), _ = runtime.redactor.redact_json([label.to_json(), notes])
    values = {
        "id": item.id,
        "metrics": Jsonb(metrics),
        "notes": None if notes is None else Jsonb(notes),
        "labeler": label.labeler,
        "now": runtime.clock(),
    }
    with runtime.database.transaction() as conn:
        segment_store.run(conn, "label", values)
    return StageResult(item.id, item.partition_key, "done", {"newly_labeled": 1})


def _judged(
    runtime: Runtime, row: SegmentRow, messages: Sequence[Message]
) -> tuple[QualityLabel, dict[str, Any] | None]:
    """(label, the notes that came with it if they were asked for)."""
    judge = runtime.quality_llm
    if judge is None:
        return label_segment(messages, topic=row.topic), None
    with runtime.database.transaction() as conn:
        system = session_store.system_prompt(conn, row.account_id, row.session_id, row.thread)
    if not asks_both(runtime, row):
        limit = runtime.window_tokens
        return label_with_model(messages, judge, row.topic, system=system, window_tokens=limit), None
    label, notes = review_segment(messages, judge, row.topic, system, runtime.window_tokens)
    return label, {"extractor": extractor_of(judge), "memories": [note.model_dump() for note in notes]}


def asks_both(runtime: Runtime, row: SegmentRow) -> bool:
    """Whether one call does for the judgement and the notes: both are due, and one model gives both.

    A model whose answer to both was refused is asked for the judgement alone.
    """
    judge: LLM | None = runtime.quality_llm
    both_due = row.memory_extracted == 0 and row.label_attempts == 0
    return judge is not None and judge is runtime.llm and both_due and runtime.window_tokens >= LEAST_TOKENS


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
