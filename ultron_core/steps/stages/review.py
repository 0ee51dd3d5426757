"""One call a window for the judgement and for the notes, where one model gives both and both are due.

Pure: messages and a model in, a label and notes out. Their versions are those of a judgement and of an extraction that
are asked for alone: the prompt is made of the same two parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from ultron_core.labels.judge import (
    STAGE,
    Judgement,
    judge_rules,
    label_from,
    missing_metrics,
    unjudged,
)
from ultron_core.labels.lessons import memory_score
from ultron_core.llm.prompts import read_prompt, without_examples
from ultron_core.llm.protocol import LLM
from ultron_core.llm.records.asking import Question, ask_windows
from ultron_core.llm.records.record import Record
from ultron_core.memories.by_model import extract_rules, usable
from ultron_core.memories.notes import MOST_NOTES, Note
from ultron_core.models import Message, Metric, QualityLabel

__all__ = ["LEAST_TOKENS", "Review", "review_prompt", "review_question", "review_segment", "with_notes"]

#: tokens of a record beside the judge's prompt from which both fit into one request: below, the second prompt would
#: take more than half of what is left
LEAST_TOKENS = 1_536


class Review(Judgement):
    """A judgement, and what is worth remembering."""

    memories: list[Note] = Field(max_length=MOST_NOTES)


def review_prompt() -> str:
    """The instructions of both questions as one."""
    rules = [without_examples(rule) for rule in (*judge_rules(), extract_rules())]
    return "\n\n".join([*rules, read_prompt("ultron_core.llm", "both")])


def review_question(topic: str) -> Question[Review]:
    """Both questions as one."""
    about = (f"Topic: {topic}",) if topic else ()
    return Question(STAGE, review_prompt(), Review, about, missing_metrics, lambda answer: answer.notes)


def review_segment(
    messages: Sequence[Message], llm: LLM, topic: str, system: str, window_tokens: int
) -> tuple[QualityLabel, list[Note]]:
    """The label of a segment and its notes of all windows. Raises the model's errors."""
    record = Record(messages, system=system)
    if not record.has_work:
        return unjudged(llm), []
    answers = ask_windows(llm, record, review_question(topic), window_tokens)
    notes = usable(note for _, answer in answers for note in answer.memories)
    return with_notes(label_from(messages, answers, llm), notes, messages), notes


def with_notes(label: QualityLabel, notes: Sequence[Note], messages: Sequence[Message]) -> QualityLabel:
    """The label with what its notes say of how much can be learned."""
    best: dict[str, Metric] = {}
    for note in notes:
        kind = f"lesson_{note.memory_type or 'pattern'}"
        lines = sorted(
            {messages[q.message - 1].start_line for q in note.evidence if 1 <= q.message <= len(messages)}
        )
        metric = Metric(round(0.7 + 0.3 * note.confidence, 4), 0.0, tuple(lines))
        if kind not in best or metric.score > best[kind].score:
            best[kind] = metric
    if not best:
        return label
    summary = replace(label.summary, memory_score=memory_score(best))
    return replace(label, summary=summary, metrics={**label.metrics, **best})
