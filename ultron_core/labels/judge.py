"""The labeler with a model: bounded structured answers, window by window for long segments.

Errors of the model (ModelUnavailableError, ModelAnswerError, BudgetExceededError) are raised to the caller, who
leaves the row pending; the rules never step in silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, get_args

from pydantic import BaseModel, Field

from ultron_core.labels.lessons import memory_score
from ultron_core.labels.metrics import WEIGHTS
from ultron_core.labels.task_type import TASK_TYPES
from ultron_core.labels.verdict import overall_score
from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.protocol import LLM, Named
from ultron_core.models import Message, Metric, Outcome, QualityLabel, QualitySummary
from ultron_core.records.asking import Question, ask_windows, made_by, prompt_digest
from ultron_core.records.record import Record, RecordWindow

__all__ = [
    "STAGE",
    "Judgement",
    "MetricJudgement",
    "judge_prompt",
    "judge_rules",
    "label_from",
    "label_with_model",
    "labeler_of",
    "missing_metrics",
    "prompt_version",
    "unjudged",
]

STAGE = "label"
#: tokens of a window, as ULTRON_CONVERSATION_EXTRACT_WINDOW_TOKENS has them by default
WINDOW_TOKENS = 65_536
#: a model that sees no verdict but is this sure counts as evidence of success
SURE = 0.8
#: judged on the whole course: mean over windows by number of messages; the others: the judgement of the last window
_COURSE = ("recovery", "instruction_following", "safety")
_NEEDED = ("goal_reached", "completeness")

#: what a model can tell better than a count; the rest of `metrics.WEIGHTS` is left to the rules
MetricName = Literal[
    "goal_reached",
    "completeness",
    "instruction_following",
    "recovery",
    "grounded_claims",
    "safety",
]
_JUDGED: tuple[str, ...] = get_args(MetricName)


class MetricJudgement(BaseModel):
    """One metric; `messages` are the numbers shown in the window."""

    name: MetricName
    score: float = Field(ge=0, le=1)
    messages: list[int] = Field(default_factory=list, max_length=10)
    note: str = Field(default="", max_length=300)


class Judgement(BaseModel):
    """What the model says of a segment up to the end of a window."""

    outcome: Outcome
    task_type: str = Field(max_length=20)
    success_probability: float = Field(ge=0, le=1)
    metrics: list[MetricJudgement] = Field(min_length=1, max_length=6)
    notes: str = Field(default="", max_length=1_500)


def label_with_model(
    messages: Sequence[Message],
    llm: LLM,
    topic: str = "",
    *,
    system: str = "",
    window_tokens: int = WINDOW_TOKENS,
) -> QualityLabel:
    """One judgement a window, put together by rule. Raises the model's errors; never falls back.

    A segment of harness text alone gets zeros without a call. `system` is the session's system prompt.
    """
    record = Record(messages, system=system)
    if not record.has_work:
        return unjudged(llm)
    about = (f"Topic: {topic}",) if topic else ()
    question = Question(STAGE, judge_prompt(), Judgement, about, missing_metrics, lambda answer: answer.notes)
    return label_from(messages, ask_windows(llm, record, question, window_tokens), llm)


def judge_rules() -> tuple[str, ...]:
    """The parts of the judge's prompt: how a record is read, and how it is judged."""
    return read_prompt("ultron_core.llm", "record"), read_prompt("ultron_core.labels", "label")


def judge_prompt() -> str:
    """The instructions of a judgement that is asked for alone."""
    return "\n\n".join(judge_rules())


def labeler_of(llm: Named) -> str:
    """The version of what this model judges."""
    return made_by(llm, prompt_version())


@cache
def prompt_version() -> str:
    """Changes with the words of the prompts and the schema of their answers."""
    # the same judgement, asked for with the notes, and with the boundaries as well
    both = (read_prompt("ultron_core.llm", name) for name in ("both", "whole"))
    return prompt_digest("\n\n".join([*judge_rules(), *both]), Judgement)


def unjudged(llm: LLM) -> QualityLabel:
    """The label of a segment in which nobody says or does anything."""
    return QualityLabel(QualitySummary(0.0, 0.0, 0.0), {}, labeler_of(llm))


def missing_metrics(answer: Judgement, earlier: Sequence[Judgement], last: bool) -> str:
    """By the last window the two main metrics must have been given."""
    given = {metric.name for judgement in (*earlier, answer) for metric in judgement.metrics}
    missing = set(_NEEDED) - given
    return f"there is no score for {', '.join(sorted(missing))}" if last and missing else ""


def label_from(
    messages: Sequence[Message],
    answers: Sequence[tuple[RecordWindow, Judgement]],
    llm: LLM,
    lessons: Mapping[str, Metric] | None = None,
) -> QualityLabel:
    """The label that the judgements of all windows make; `lessons` None: the notes are asked for by themselves, and
    what there is to learn is not known yet."""
    judged = [(window.end - window.start, judgement) for window, judgement in answers]
    last = judged[-1][1]
    metrics = {name: _metric(messages, judged, name) for name in _JUDGED}
    # the estimate weighs as much as the rules' own; it is asked for once, as success_probability
    expected = Metric(
        round(last.success_probability, 4), WEIGHTS["expected_success"], (), "success_probability"
    )
    metrics["expected_success"] = expected
    evidence = last.outcome == "success" or last.success_probability >= SURE
    summary = QualitySummary(
        overall_score=overall_score(metrics, last.outcome, evidence),
        memory_score=None if lessons is None else memory_score(lessons),
        success_probability=round(last.success_probability, 4),
        outcome=last.outcome,
        task_type=last.task_type if last.task_type in TASK_TYPES else "other",
    )
    return QualityLabel(summary, {**metrics, **(lessons or {})}, labeler_of(llm))


def _metric(messages: Sequence[Message], judgements: Sequence[tuple[int, Judgement]], name: str) -> Metric:
    judged = [(size, m) for size, judgement in judgements for m in judgement.metrics if m.name == name]
    if not judged:
        return Metric(1.0, 0.0, (), "not judged")
    if name in _COURSE:
        total = sum(size for size, _ in judged) or 1
        score = sum(size * m.score for size, m in judged) / total if total > 1 else judged[-1][1].score
    else:
        score = judged[-1][1].score
    at = [number for _, m in judged for number in m.messages]
    return Metric(round(score, 4), WEIGHTS[name], _lines(messages, at), judged[-1][1].note)


def _lines(messages: Sequence[Message], numbers: Sequence[int]) -> tuple[int, ...]:
    """First lines of the messages named; numbers that were never shown are left out."""
    return tuple(sorted({messages[n - 1].start_line for n in numbers if 1 <= n <= len(messages)}))[:20]
