"""Messages -> task segments that tile each thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import CountTokens
from ultron_core.llm.tokens import count_tokens as default_count
from ultron_core.models import Message, MessageLike, Segment, as_messages
from ultron_core.segments.by_model.cut import cut_by_model, segmenter_of
from ultron_core.segments.by_model.windows import DEFAULT_WINDOW_TOKENS, Task
from ultron_core.segments.fingerprint import fingerprint_messages
from ultron_core.segments.offline.cut import SEGMENTER_VERSION, cut_offline
from ultron_core.segments.topic import one_line, title_of
from ultron_core.transcript.pairs import closed_positions, is_tool_result
from ultron_core.transcript.speech import is_only_courtesy

__all__ = [
    "WINDOW",
    "is_one_task",
    "segment_messages",
    "segment_of",
    "segment_sessions",
    "segment_thread",
]

#: messages of a thread that are cut at once, with all that is known of their turns about 150 MB
WINDOW = 20_000
#: A thread this short is one task (Trajectory Hub spec).
_SHORT = 2


def segment_messages(
    messages: Sequence[MessageLike],
    llm: LLM | None = None,
    *,
    window_tokens: int | None = None,
    count_tokens: CountTokens | None = None,
) -> list[Segment]:
    """Cut a session into tasks; `llm=None` means offline.

    Threads are cut one by one, in the order they appear; start and end are positions among the messages of
    their own thread, end exclusive, and the segments of a thread leave no gap and do not overlap. A window
    holds `window_tokens` tokens (191,808) as `count_tokens` counts them (cl100k_base). A thread of two messages, or
    with a single request of a person, is one task without a call.

    Raises ModelUnavailableError, BudgetExceededError or ModelAnswerError when the model cannot be used; the
    caller leaves the session pending then.
    """
    if llm is None:
        return segment_sessions([as_messages(messages)])[0]
    window = DEFAULT_WINDOW_TOKENS if window_tokens is None else window_tokens
    segments: list[Segment] = []
    for thread, own in _threads(as_messages(messages)).items():
        tasks, segmenter = _cut_by_model(own, llm, window, count_tokens or default_count)
        segments += [segment_of(own, task, thread, segmenter) for task in tasks]
    return segments


def segment_sessions(sessions: Sequence[Sequence[Message]]) -> list[list[Segment]]:
    """The segments of each session, offline: those that `segment_messages` gives for it, at a fraction of the cost."""
    threads = [(place, *thread) for place, one in enumerate(sessions) for thread in _threads(one).items()]
    long = [own for _, _, own in threads if len(own) > _SHORT]
    cuts = iter(cut_offline(long))
    found: list[list[Segment]] = [[] for _ in sessions]
    for place, thread, own in threads:
        whole = len(own) <= _SHORT
        starts = [0] if whole else next(cuts)
        segmenter = "short" if whole else SEGMENTER_VERSION
        tasks = [Task(*ends, "") for ends in zip(starts, [*starts[1:], len(own)], strict=True)]
        found[place] += [segment_of(own, task, thread, segmenter) for task in tasks]
    return found


def segment_thread(read: Callable[[int, int], Sequence[Message]], size: int) -> Iterator[Segment]:
    """The segments of one thread of `size` messages, offline, with no more than WINDOW of them held.

    `read` gives the messages from one position up to another. A thread that fits into one window is cut as
    `segment_sessions` cuts it. In a longer one the task that is the last of a window opens the next window, which is
    cut as a thread of its own; a task that fills more than half of a window ends with it, where no call is parted from
    its result. What is appended later changes nothing in windows that were full.
    """
    start = 0
    while start < size:
        held = read(start, min(start + WINDOW, size))
        (found,) = segment_sessions([held])
        if start + len(held) < size:
            found = found[:-1] if found[-1].start > WINDOW // 2 else [*found[:-1], _ended(held, found[-1])]
        yield from (replace(one, start=one.start + start, end=one.end + start) for one in found)
        start += found[-1].end


def _ended(held: Sequence[Message], last: Segment) -> Segment:
    """The last segment of a full window, up to the latest place where a thread may be cut."""
    closed = closed_positions(held)
    end = next((place for place in range(len(held) - 1, last.start, -1) if place not in closed), len(held))
    return segment_of(held, Task(last.start, end, ""), last.thread, last.segmenter)


def _threads(messages: Sequence[Message]) -> dict[str, list[Message]]:
    threads: dict[str, list[Message]] = {}
    for message in messages:
        threads.setdefault(message.thread, []).append(message)
    return threads


def _cut_by_model(
    messages: Sequence[Message], llm: LLM, window: int, count: CountTokens
) -> tuple[list[Task], str]:
    if is_one_task(messages):
        return [Task(0, len(messages), "")], "short"
    return cut_by_model(messages, llm, window, count), segmenter_of(llm)


def is_one_task(messages: Sequence[Message]) -> bool:
    """Whether a model needs not be asked where its tasks begin: only one can."""
    return len(messages) <= _SHORT or sum(map(_asks, messages)) <= 1


def _asks(message: Message) -> bool:
    """Whether a task can begin here: a model is not asked about a thread in which only one can."""
    if message.role != "user" or message.origin in ("harness", "recalled") or is_tool_result(message):
        return False
    return not is_only_courtesy(message.content)


def segment_of(messages: Sequence[Message], task: Task, thread: str, segmenter: str) -> Segment:
    """A task of a thread as a segment; without a topic it gets the title that its words give."""
    own = messages[task.start : task.end]
    return Segment(
        start=task.start,
        end=task.end,
        topic=one_line(task.topic) or title_of(own),
        fingerprint=fingerprint_messages(own),
        thread=thread,
        start_line=min(m.start_line for m in own),
        end_line=max(m.end_line for m in own),
        segmenter=segmenter,
        repair=task.repair,
    )
