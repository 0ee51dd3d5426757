"""Closed segments -> quality labels, by the judge when there is one, otherwise offline; never a silent mix.

Where the judge is the model that extracts as well, it gives the notes with the judgement: they wait on the row. So does
the judgement where it came with the boundaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.types.json import Jsonb

from ultron_core.labels import LABELER_VERSION, label_segment
from ultron_core.labels.judge import judge_prompt, label_with_model, prompt_version
from ultron_core.memories import extractor_of
from ultron_core.models import Message, QualityLabel
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.kept import kept_label
from ultron_core.steps.stages.review import LEAST_TOKENS, review_prompt, review_segment
from ultron_core.steps.stages.segment_rows import (
    segment_and_following,
    segment_messages_of,
    segments_waiting,
)
from ultron_core.steps.stages.table import LABELS
from ultron_core.steps.stages.waiting.loop import Item, StageResult, Step, groups_of
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow

__all__ = ["STEP", "judge_segment"]


def _label(runtime: Runtime, item: Item[SegmentRow]) -> StageResult:
    with runtime.database.transaction() as conn:
        messages, following = segment_and_following(conn, item.row)
        system = session_store.system_prompt(conn, item.row.account_id, item.row.session_id, item.row.thread)
    judge = runtime.quality_llm
    if judge is not None and (kept := kept_label(item.row, judge)) is not None:
        return _store(runtime, [item], [_values(runtime, item, *kept)])[0]
    both = item.row.memory_extracted == 0 and item.row.label_attempts == 0
    row, project = item.row, item.row.project or ""
    label, notes = judge_segment(
        runtime, messages, row.topic, system, both_due=both, project=project, following=following
    )
    return _store(runtime, [item], [_values(runtime, item, label, notes)])[0]


def _label_together(runtime: Runtime, items: Sequence[Item[SegmentRow]]) -> list[StageResult]:
    """By rules: many segments are read and written at once."""
    results: list[StageResult] = []
    for group in groups_of(items, lambda item: item.row.end_message - item.row.start_message):
        with runtime.database.transaction() as conn:
            messages = [segment_and_following(conn, item.row) for item in group]
        labels = [
            label_segment(own, topic=item.row.topic, project=item.row.project or "", following=following)
            for item, (own, following) in zip(group, messages, strict=True)
        ]
        values = [_values(runtime, item, label, None) for item, label in zip(group, labels, strict=True)]
        results += _store(runtime, group, values)
    return results


def _values(
    runtime: Runtime, item: Item[SegmentRow], label: QualityLabel, notes: dict[str, Any] | None
) -> dict[str, Any]:
    (metrics, notes), _ = runtime.redactor.redact_json([label.to_json(), notes])
    return {
        "id": item.id,
        "metrics": Jsonb(metrics),
        "notes": None if notes is None else Jsonb(notes),
        "labeler": label.labeler,
        "now": runtime.clock(),
    }


def _store(
    runtime: Runtime, items: Sequence[Item[SegmentRow]], values: Sequence[dict[str, Any]]
) -> list[StageResult]:
    with runtime.database.transaction() as conn:
        segment_store.run_many(conn, "label", values)
    return [StageResult(item.id, item.partition_key, "done", {"newly_labeled": 1}) for item in items]


def judge_segment(
    runtime: Runtime,
    messages: Sequence[Message],
    topic: str,
    system: str,
    *,
    both_due: bool,
    project: str = "",
    following: Message | None = None,
) -> tuple[QualityLabel, dict[str, Any] | None]:
    """(label, the notes that came with it if they were asked for).

    One call does for both where both are due and one model gives both. A model whose answer to both was refused is
    asked for the judgement alone.
    """
    judge = runtime.quality_llm
    if judge is None:
        return label_segment(messages, topic=topic, project=project, following=following), None
    alone = runtime.record_tokens(judge_prompt())
    if not (both_due and judge is runtime.llm and alone >= LEAST_TOKENS):
        return label_with_model(messages, judge, topic, system=system, window_tokens=alone), None
    label, notes = review_segment(messages, judge, topic, system, runtime.record_tokens(review_prompt()))
    return label, {"extractor": extractor_of(judge), "memories": [note.model_dump() for note in notes]}


def _workers(runtime: Runtime) -> int:
    return 1 if runtime.quality_llm is None else runtime.settings.llm.at_once


STEP = Step(
    LABELS,
    LABELER_VERSION,
    prompt_version,
    waiting=segments_waiting,
    messages=segment_messages_of,
    work=_label,
    run=segment_store.run,
    model=lambda runtime: runtime.quality_llm,
    workers=_workers,
    together=_label_together,
)
