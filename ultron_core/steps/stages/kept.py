"""What a model said of a session in one answer, as it is kept with each segment until the stages behind take it.

    {"labeler": "model:<name>#<hash>", "label": {...}, "extractor": "model:<name>#<hash>", "memories": [...]}

`memories` is null where none of the answer could be used: they are asked for alone then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ultron_core.labels.judge import label_from, labeler_of
from ultron_core.llm.protocol import LLM
from ultron_core.memories import extractor_of
from ultron_core.memories.by_model import usable
from ultron_core.memories.notes import Note
from ultron_core.models import Message, QualityLabel, Segment
from ultron_core.records.record import RecordWindow
from ultron_core.segments.by_model.cut import segmenter_of
from ultron_core.segments.by_model.windows import Task
from ultron_core.segments.segmenter import is_one_task, segment_of
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.review import LEAST_TOKENS, what_is_noted
from ultron_core.steps.stages.whole import ReadTask, read_session, whole_prompt
from ultron_core.store.tables.records import SegmentRow

__all__ = ["NO_REVIEWS", "Reviews", "kept_label", "kept_notes", "review_session"]

#: what is kept of each segment, by its thread and its start there
Reviews: TypeAlias = Mapping[tuple[str, int], Mapping[str, Any]]
NO_REVIEWS: Reviews = {}
#: tokens that are shown for each that the answer may have: the answers of tests/replay have one for five or six
_SHOWN_FOR_A_TOKEN = 4


def review_session(
    runtime: Runtime, threads: Mapping[str, Sequence[Message]], system: str
) -> tuple[list[Segment], Reviews] | None:
    """Segments of all threads with what the model says of each, by one question; None where the questions are asked one
    by one: another model judges, a window is too small, no answer could be used, or there is nothing to divide."""
    llm = runtime.llm
    if llm is None or runtime.quality_llm is not llm:
        return None
    if len(threads) == 1 and is_one_task(*threads.values()):
        return None  # the judgement comes with the notes already
    if not runtime.fits(prompt := whole_prompt(), LEAST_TOKENS):
        return None
    # a longer window could ask for more than one answer may hold
    limit = min(runtime.record_tokens(prompt), _SHOWN_FOR_A_TOKEN * runtime.settings.llm.answer_tokens)
    read = read_session(list(threads.values()), llm, system, limit)
    if read is None:
        return None
    segments: list[Segment] = []
    reviews: dict[tuple[str, int], Mapping[str, Any]] = {}
    for (thread, messages), tasks in zip(threads.items(), read, strict=True):
        segmenter = "short" if is_one_task(messages) else segmenter_of(llm)
        for task in tasks:
            own = messages[task.start : task.end]
            segments.append(segment_of(messages, Task(task.start, task.end, task.topic), thread, segmenter))
            if task.judged:
                reviews[thread, task.start] = _kept(own, task, llm)
    return segments, reviews


def _kept(messages: Sequence[Message], task: ReadTask, llm: LLM) -> dict[str, Any]:
    notes = None if task.notes is None else usable(task.notes)
    total = len(task.judged)
    answers = [
        (RecordWindow(0, size, number, total), judgement)
        for number, (size, judgement) in enumerate(task.judged, 1)
    ]
    label = label_from(messages, answers, llm, None if notes is None else what_is_noted(notes, messages))
    return {
        "labeler": label.labeler,
        "label": label.to_json(),
        "extractor": extractor_of(llm),
        "memories": None if notes is None else [note.model_dump() for note in notes],
    }


def kept_label(row: SegmentRow, judge: LLM) -> tuple[QualityLabel, dict[str, Any] | None] | None:
    """The judgement that this model gave to this prompt with the boundaries, and the notes as they are to be kept on;
    None when it has not been asked."""
    kept = row.model_notes
    if kept is None or kept.get("labeler") != labeler_of(judge):
        return None
    notes = {name: kept[name] for name in ("extractor", "memories")}
    return QualityLabel.from_json(kept["label"]), None if kept["memories"] is None else notes


def kept_notes(row: SegmentRow, llm: LLM) -> list[Note] | None:
    """The notes that this model gave to this prompt with the judgement; None when it has not been asked."""
    kept = row.model_notes
    if kept is None or kept["extractor"] != extractor_of(llm) or kept["memories"] is None:
        return None
    return [Note.model_validate(note) for note in kept["memories"]]
