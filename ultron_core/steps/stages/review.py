"""One call a window for the judgement and for the notes, where one model gives both and both are due.

Pure: messages and a model in, a label and notes out. Their versions are those of a judgement and of an extraction that
are asked for alone: the prompt is made of the same two parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from ultron_core.labels.judge import (
    STAGE,
    Judgement,
    judge_rules,
    label_from,
    missing_metrics,
    unjudged,
)
from ultron_core.labels.lessons import lessons_of
from ultron_core.llm.prompts import read_prompt, without_examples
from ultron_core.llm.protocol import LLM
from ultron_core.memories.by_model import drafts_from, extract_rules, usable
from ultron_core.memories.notes import MOST_NOTES, Note
from ultron_core.models import Message, Metric, QualityLabel
from ultron_core.records.asking import Question, ask_windows
from ultron_core.records.record import Record

__all__ = ["LEAST_TOKENS", "Review", "review_prompt", "review_question", "review_segment", "what_is_noted"]

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
    return label_from(messages, answers, llm, what_is_noted(notes, messages)), notes


def what_is_noted(notes: Sequence[Note], messages: Sequence[Message]) -> dict[str, Metric]:
    """The lessons that notes are, whatever the gate says of each later: it tells why it refuses one."""
    return lessons_of(drafts_from(notes, messages))
