"""One call for a session that fits: its tasks, how each went, and what is worth remembering of it.

Pure: the messages of threads and a model in, tasks with judgement and notes out. A longer session is read by windows,
each told what the ones before it decided. What an answer leaves out of a task is left to the stage that asks for it
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from pydantic import BaseModel, ConfigDict, Field

from ultron_core.errors import ContextTooLongError, ModelAnswerError
from ultron_core.labels.judge import Judgement, MetricJudgement, judge_rules, missing_metrics
from ultron_core.llm.answering.asking import ask_or_last
from ultron_core.llm.prompts import read_prompt, without_examples
from ultron_core.llm.protocol import LLM
from ultron_core.memories.by_model import extract_rules
from ultron_core.memories.notes import MOST_NOTES, Note, NoteQuote
from ultron_core.models import Message, Outcome
from ultron_core.records.asking import LEAST_WINDOW
from ultron_core.records.record import Record, RecordWindow
from ultron_core.segments.by_model.answer import MAX_TASKS
from ultron_core.segments.by_model.cut import STAGE, segment_rules
from ultron_core.segments.segmenter import is_one_task
from ultron_core.steps.stages.review import LEAST_TOKENS
from ultron_core.transcript.pairs import closed_positions

__all__ = ["ReadTask", "SessionReview", "TaskReview", "read_session", "whole_prompt"]


class TaskReview(BaseModel):
    """One task of a session. All but its start may be missing from what is read, and is asked for again alone then."""

    model_config = ConfigDict(
        json_schema_extra={
            "asked": ["topic", "outcome", "task_type", "success_probability", "metrics", "memories"]
        }
    )

    start: int = Field(description="number of the first message of the task")
    topic: str = Field("", max_length=200)
    outcome: Outcome | None = None
    task_type: str | None = Field(None, max_length=20)
    success_probability: float | None = Field(None, ge=0, le=1)
    metrics: list[MetricJudgement] | None = Field(None, min_length=1, max_length=6)
    memories: list[Note] | None = Field(None, max_length=MOST_NOTES)
    notes: str = Field("", max_length=1_500)

    @property
    def judgement(self) -> Judgement | None:
        """What it says of how the task went; None where a part of that is missing."""
        if self.outcome is None or self.success_probability is None or self.metrics is None:
            return None
        return Judgement(
            outcome=self.outcome,
            task_type=self.task_type or "other",
            success_probability=self.success_probability,
            metrics=self.metrics,
            notes=self.notes,
        )


class SessionReview(BaseModel):
    """All tasks that begin or go on in a window, in order."""

    # a grammar has the model write at least one; an answer without any is read, and asked about
    tasks: list[TaskReview] = Field(max_length=MAX_TASKS, json_schema_extra={"minItems": 1})


@dataclass(slots=True)
class ReadTask:
    """A task at `start` to `end` (exclusive) of its thread. `judged`: how it went, a window at a time, with the number
    of its messages there; empty where that was not said to its end. `notes` is None where the answer had none to
    use."""

    start: int
    end: int
    topic: str
    judged: list[tuple[int, Judgement]] = field(default_factory=list)
    notes: list[Note] | None = field(default_factory=list)


def whole_prompt() -> str:
    """The instructions of all three questions as one."""
    rules = [without_examples(rule) for rule in (segment_rules(), *judge_rules()[1:], extract_rules())]
    return "\n\n".join([judge_rules()[0], *rules, read_prompt("ultron_core.llm", "whole")])


def read_session(
    threads: Sequence[Sequence[Message]], llm: LLM, system: str, limit: int
) -> list[list[ReadTask]] | None:
    """The tasks that tile each thread; None where the model gives no answer that can be used, or reads too little for
    it: then each question is asked alone. Raises ModelUnavailableError and BudgetExceededError."""
    messages = [message for thread in threads for message in thread]
    record = Record(messages, system=system)
    starts = [1 + before for before in accumulate(map(len, threads[:-1]))]
    while record.has_work and limit >= LEAST_TOKENS:
        try:
            found = _read_windows(llm, record, limit, starts)
        except ContextTooLongError:
            limit = min(limit, record.tokens + LEAST_WINDOW) // 2
        except ModelAnswerError:
            return None
        else:
            return _by_thread(threads, found)
    return None


@dataclass(slots=True)
class _Begun:
    """A task as far as it was read: `first` is the number of its first message, from 1 over all threads."""

    first: int
    topic: str
    parts: list[tuple[int, TaskReview]]

    @property
    def outcome(self) -> str:
        return self.parts[-1][1].outcome or "unknown"


def _read_windows(llm: LLM, record: Record, limit: int, threads: Sequence[int]) -> list[_Begun]:
    """`threads` are the numbers at which another thread begins."""
    begun: list[_Begun] = []
    for window in record.windows(limit, ends=False):
        asked = begun[-1].first if begun else None
        numbers = record.numbers(window)
        others = [str(start) for start in threads if numbers[0] <= start <= numbers[-1]]
        about = [f"Another agent's work begins at {', '.join(others)}: a task of its own."] if others else []
        text = record.text(window, limit, [*about, *_told(begun)], asked=asked, ends=False)
        answer = _ask(llm, text, _problem_of(begun, numbers, window))
        _add(begun, answer, numbers)
    return begun


def _ask(llm: LLM, text: str, problem: Callable[[SessionReview], str]) -> SessionReview:
    """The answer of a window; what is wrong with two is left to be repaired if any task can be used."""
    chat = [{"role": "system", "content": whole_prompt()}, {"role": "user", "content": text}]
    return ask_or_last(
        llm, chat, SessionReview, problem, stage=STAGE, can_be_repaired=lambda answer: bool(answer.tasks)
    )


def _problem_of(
    begun: Sequence[_Begun], numbers: Sequence[int], window: RecordWindow
) -> Callable[[SessionReview], str]:
    """What keeps an answer from being used as it is; empty when nothing does."""
    allowed = range(begun[-1].first if begun else numbers[0], numbers[-1] + 1)

    def problem(answer: SessionReview) -> str:
        starts = [task.start for task in answer.tasks]
        if not starts:
            return "there is no task"
        if outside := [start for start in starts if start not in allowed]:
            return f"no message shown has the number {outside[0]}: messages {numbers[0]} to {numbers[-1]} are shown"
        if sorted(set(starts)) != starts:
            return "the tasks are not in the order of their messages"
        return next((wrong for task in answer.tasks if (wrong := _unjudged(task, window, answer))), "")

    return problem


def _unjudged(task: TaskReview, window: RecordWindow, answer: SessionReview) -> str:
    ends_here = window.is_last or task is not answer.tasks[-1]
    judgement = task.judgement
    wrong = missing_metrics(judgement, (), ends_here) if judgement else "its judgement is missing"
    return f"task from message {task.start}: {wrong}" if wrong else ""


def _add(begun: list[_Begun], answer: SessionReview, numbers: Sequence[int]) -> None:
    """Put the tasks of a window behind those of the ones before it; a start that was never shown is left out."""
    tasks = sorted(answer.tasks, key=lambda task: task.start)
    shown = [task for task in tasks if task.start <= numbers[-1]]
    ends = [*(task.start for task in shown[1:]), numbers[-1] + 1]
    for task, end in zip(shown, ends, strict=True):
        size = sum(max(task.start, numbers[0]) <= number < end for number in numbers)
        if not begun or task.start > max(begun[-1].first, numbers[0] - 1):
            begun.append(_Begun(task.start if begun else 1, task.topic, [(size, task)]))
        else:
            begun[-1].parts.append((size, task))


def _told(begun: Sequence[_Begun]) -> list[str]:
    """What later windows must know: the task that may go on, earlier ones, and what was noted."""
    if not begun:
        return []
    last = begun[-1]
    notes = last.parts[-1][1].notes
    lines = [f"Task {last.first} may go on: {last.topic} ({last.outcome} so far). {notes}".strip()]
    noted = [note.summary or note.content for _, part in last.parts for note in part.memories or ()]
    if noted:
        lines.append(f"Its memories so far: {'; '.join(noted)}")
    if earlier := "; ".join(f"{one.first} {one.topic} ({one.outcome})" for one in begun[:-1]):
        lines.append(f"Earlier tasks: {earlier}")
    return lines


def _by_thread(threads: Sequence[Sequence[Message]], begun: Sequence[_Begun]) -> list[list[ReadTask]]:
    """The tasks of each thread by themselves: none reaches from one into another, and none parts a call from its
    result."""
    found: list[list[ReadTask]] = []
    before = 0
    for thread in threads:
        own = [one for one in begun if before < one.first <= before + len(thread)]
        found.append(_tasks_of(thread, own, before))
        before += len(thread)
    return found


def _tasks_of(thread: Sequence[Message], begun: Sequence[_Begun], before: int) -> list[ReadTask]:
    closed, whole = closed_positions(thread), is_one_task(thread)
    tasks: list[ReadTask] = []
    for one in begun:
        start = one.first - 1 - before
        while start in closed:
            start -= 1
        if not tasks or (start > tasks[-1].start and not whole):
            tasks.append(ReadTask(start if tasks else 0, len(thread), one.topic))
        _take(tasks[-1], one, before)
    for task, later in pairwise(tasks):
        task.end = later.start
    return tasks or [ReadTask(0, len(thread), "", notes=None)]


def _take(task: ReadTask, one: _Begun, before: int) -> None:
    """Add what was read of a task, by the numbers of its own messages."""
    shift = before + task.start
    for size, part in one.parts:
        judgement = part.judgement
        if judgement is not None:
            task.judged.append((size, _judged_from(judgement, shift)))
        if part.memories is None or task.notes is None:
            task.notes = None
        else:
            task.notes += [_note_from(note, shift) for note in part.memories]
    if one.parts[-1][1].judgement is None or not _is_judged([judgement for _, judgement in task.judged]):
        task.judged.clear()


def _is_judged(judgements: Sequence[Judgement]) -> bool:
    return bool(judgements) and not missing_metrics(judgements[-1], judgements[:-1], True)


def _judged_from(judgement: Judgement, shift: int) -> Judgement:
    metrics = [
        metric.model_copy(update={"messages": [number - shift for number in metric.messages]})
        for metric in judgement.metrics
    ]
    return judgement.model_copy(update={"metrics": metrics})


def _note_from(note: Note, shift: int) -> Note:
    """The note with its quotes by the numbers of the task's messages; one from another task names none of them."""
    moved = [_moved(quote, shift) for quote in (*note.evidence, note.verified_by)]
    quotes = [quote for quote in moved[:-1] if quote is not None]
    return note.model_copy(update={"evidence": quotes, "verified_by": moved[-1]})


def _moved(quote: NoteQuote | None, shift: int) -> NoteQuote | None:
    if quote is None or quote.message <= shift:
        return None
    return quote.model_copy(update={"message": quote.message - shift})
