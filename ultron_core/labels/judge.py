"""The labeler with a model: bounded structured answers, window by window for long segments.

Errors of the model (ModelUnavailableError, ModelAnswerError, BudgetExceededError) are raised to the caller, who
leaves the row pending; the rules never step in silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from ultron_core.errors import ContextTooLongError
from ultron_core.labels.lessons import memory_score
from ultron_core.labels.metrics import WEIGHTS
from ultron_core.labels.task_type import TASK_TYPES
from ultron_core.labels.verdict import overall_score
from ultron_core.lessons.registry import lesson_kinds
from ultron_core.llm.answering.asking import ask_model
from ultron_core.llm.protocol import LLM
from ultron_core.models import Message, Metric, Outcome, QualityLabel, QualitySummary

__all__ = ["Judgement", "LessonJudgement", "MetricJudgement", "label_with_model"]

#: characters of one window, about 15,000 tokens of English
WINDOW_CHARS = 60_000
#: characters of one message in it
MESSAGE_CHARS = 6_000
#: a model that reads less than two such messages cannot judge
_LEAST_CHARS = 2 * MESSAGE_CHARS
#: a model that sees no verdict but is this sure counts as evidence of success
SURE = 0.8
#: judged on the whole course: mean over windows by number of messages; the others: the judgement of the last window
_COURSE = ("tool_success", "recovery", "no_repetition", "instruction_following", "safety", "density")
_NEEDED = ("goal_reached", "completeness")

MetricName = Literal[
    "goal_reached",
    "expected_success",
    "tool_success",
    "recovery",
    "no_repetition",
    "instruction_following",
    "grounded_claims",
    "completeness",
    "safety",
    "density",
]


def _list_kinds(schema: dict[str, Any]) -> None:
    schema["enum"] = list(lesson_kinds())


def _known_kind(kind: str) -> str:
    if kind not in lesson_kinds():
        raise ValueError(f"{kind!r} is not a kind of lesson")
    return kind


#: the kinds that the rules know, as an enum of the answer's schema
LessonKind = Annotated[str, AfterValidator(_known_kind), Field(json_schema_extra=_list_kinds)]


class MetricJudgement(BaseModel):
    """One metric; `messages` are the numbers shown in the window."""

    name: MetricName
    score: float = Field(ge=0, le=1)
    messages: list[int] = Field(default_factory=list, max_length=10)
    note: str = Field(default="", max_length=300)


class LessonJudgement(BaseModel):
    """One thing worth learning."""

    kind: LessonKind
    score: float = Field(ge=0, le=1)
    messages: list[int] = Field(default_factory=list, max_length=10)
    note: str = Field(default="", max_length=300)


class Judgement(BaseModel):
    """What the model says of a segment up to the end of a window."""

    outcome: Outcome
    task_type: str = Field(max_length=20)
    success_probability: float = Field(ge=0, le=1)
    metrics: list[MetricJudgement] = Field(min_length=1, max_length=10)
    lessons: list[LessonJudgement] = Field(default_factory=list, max_length=8)
    notes: str = Field(default="", max_length=1_500)


def label_with_model(messages: Sequence[Message], llm: LLM, topic: str = "") -> QualityLabel:
    """One judgement a window, put together by rule. Raises the model's errors; never falls back.

    A segment of harness text alone gets zeros without a call.
    """
    shown = [m for m in messages if m.origin not in ("harness", "recalled") and m.role != "system"]
    if not shown:
        return QualityLabel(QualitySummary(0.0, 0.0, 0.0), {}, f"model:{llm.model_id}")
    limit = WINDOW_CHARS
    while True:
        try:
            return _put_together(shown, _judge(shown, llm, topic, limit), llm.model_id)
        except ContextTooLongError:
            limit = min(limit, sum(len(_show(i, m)) for i, m in enumerate(shown))) // 2
            if limit < _LEAST_CHARS:
                raise


def _judge(shown: Sequence[Message], llm: LLM, topic: str, limit: int) -> list[tuple[int, Judgement]]:
    """(messages of a window, the judgement up to its end) of all windows."""
    windows = list(_windows(shown, limit))
    judgements: list[tuple[int, Judgement]] = []
    notes = ""
    for number, (start, end) in enumerate(windows, 1):
        text = _window_text(shown, start, end, topic, notes, f"{number} of {len(windows)}")
        ask = [{"role": "system", "content": _prompt()}, {"role": "user", "content": text}]
        given = {m.name for _, judgement in judgements for m in judgement.metrics}

        def check(
            judgement: Judgement, given: AbstractSet[str] = given, last: bool = number == len(windows)
        ) -> str:
            missing = set(_NEEDED) - given - {m.name for m in judgement.metrics}
            return f"there is no score for {', '.join(sorted(missing))}" if last and missing else ""

        judgement = ask_model(llm, ask, Judgement, check, stage="label")
        judgements.append((end - start, judgement))
        notes = judgement.notes
    return judgements


@lru_cache(maxsize=1)
def _prompt() -> str:
    return files("ultron_core.labels").joinpath("prompts", "label.md").read_text("utf-8")


def _windows(messages: Sequence[Message], limit: int) -> Iterator[tuple[int, int]]:
    start, size = 0, 0
    for position, message in enumerate(messages):
        length = len(_show(position, message))
        if position > start and size + length > limit:
            yield start, position
            start, size = position, 0
        size += length
    if start < len(messages):
        yield start, len(messages)


def _show(position: int, message: Message) -> str:
    calls = "".join(f"\n<call {call.name}> {_cut(str(call.arguments))}" for call in message.tool_calls)
    flag = " (error)" if message.is_error else ""
    return f"[{position + 1}] {message.role}{flag}: {_cut(message.content)}{calls}\n"


def _cut(text: str) -> str:
    if len(text) <= MESSAGE_CHARS:
        return text
    half = MESSAGE_CHARS // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _window_text(
    messages: Sequence[Message], start: int, end: int, topic: str, notes: str, which: str
) -> str:
    head = [f"Window {which}, messages {start + 1} to {end} of {len(messages)}."]
    if topic:
        head.append(f"Topic: {topic}")
    if notes:
        head.append(f"Your notes on the earlier windows: {notes}")
    body = "".join(_show(i, messages[i]) for i in range(start, end))
    return "\n".join(head) + "\n\n<record>\n" + body + "</record>"


def _put_together(
    messages: Sequence[Message], judgements: Sequence[tuple[int, Judgement]], model_id: str
) -> QualityLabel:
    last = judgements[-1][1]
    metrics = {name: _metric(messages, judgements, name) for name in WEIGHTS}
    lessons = _lessons(messages, judgements)
    evidence = last.outcome == "success" or last.success_probability >= SURE
    summary = QualitySummary(
        overall_score=overall_score(metrics, last.outcome, evidence),
        memory_score=memory_score(lessons),
        success_probability=round(last.success_probability, 4),
        outcome=last.outcome,
        task_type=last.task_type if last.task_type in TASK_TYPES else "other",
    )
    return QualityLabel(summary, {**metrics, **lessons}, f"model:{model_id}")


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


def _lessons(messages: Sequence[Message], judgements: Sequence[tuple[int, Judgement]]) -> dict[str, Metric]:
    """The best lesson of each kind over all windows."""
    best: dict[str, LessonJudgement] = {}
    for _, judgement in judgements:
        for lesson in judgement.lessons:
            if lesson.kind not in best or lesson.score > best[lesson.kind].score:
                best[lesson.kind] = lesson
    return {
        f"lesson_{kind}": Metric(round(one.score, 4), 0.0, _lines(messages, one.messages), one.note)
        for kind, one in best.items()
    }


def _lines(messages: Sequence[Message], numbers: Sequence[int]) -> tuple[int, ...]:
    """First lines of the messages named; numbers that were never shown are left out."""
    return tuple(sorted({messages[n - 1].start_line for n in numbers if 1 <= n <= len(messages)}))[:20]
