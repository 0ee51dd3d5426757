"""A thread that is longer than a window is cut window by window, and tiled as any other."""

import pytest

from ultron_core.models import Message, ToolCall
from ultron_core.segments import fingerprint_messages, segment_sessions, segment_thread, segmenter
from ultron_core.transcript.pairs import closed_positions

SUBJECTS = (
    "How do I read a CSV file with pandas and skip the first three lines?",
    "Write me a vegetarian lasagna recipe for six people.",
    "帮我写一份去成都三天的旅游计划，重点是美食和大熊猫。",
    "Why does the boiler in my cellar drip when it is cold outside?",
)


def talk(count):
    """Tasks of four messages on one subject after another."""
    messages = []
    for number in range(count):
        asked = f"{SUBJECTS[number % len(SUBJECTS)]} ({number})"
        messages += [
            Message("user", asked),
            Message("assistant", f"Here is an answer to number {number}.", origin="model"),
        ]
        messages += [Message("user", "thanks"), Message("assistant", "You are welcome.", origin="model")]
    return messages


def work(calls):
    """One wish and so many calls with their results."""
    messages = [Message("user", "Please fix all tests in src/app.py.")]
    for number in range(calls):
        messages.append(
            Message(
                "assistant",
                tool_calls=(ToolCall(str(number), "bash", {"command": "pytest"}),),
                origin="model",
            )
        )
        messages.append(Message("tool", f"{number} failed", tool_call_id=str(number), origin="tool"))
    return messages


class Reading:
    """Gives messages as they are asked for, and notes how many at once and in all."""

    def __init__(self, messages):
        self.messages, self.most, self.total = messages, 0, 0

    def __call__(self, begin, end):
        self.most, self.total = max(self.most, end - begin), self.total + end - begin
        return self.messages[begin:end]


@pytest.fixture
def window(monkeypatch):
    monkeypatch.setattr(segmenter, "WINDOW", 40)
    return 40


def cut(messages):
    return list(segment_thread(messages if callable(messages) else Reading(messages), len(messages)))


def test_a_thread_that_fits_into_one_window_is_cut_as_always():
    messages = talk(12)
    assert [cut(messages)] == segment_sessions([messages])
    assert cut([]) == []


@pytest.mark.parametrize(
    "messages", [talk(60), work(200), [*talk(20), *work(50), *talk(20)]], ids=("talk", "work", "both")
)
def test_a_longer_one_is_tiled_without_holding_or_reading_it_more_than_twice(window, messages):
    reading = Reading(messages)
    segments = list(segment_thread(reading, len(messages)))
    assert [s.start for s in segments] == [0, *(s.end for s in segments[:-1])] and segments[-1].end == len(
        messages
    )
    assert all(s.fingerprint == fingerprint_messages(messages[s.start : s.end]) for s in segments)
    assert not closed_positions(messages) & {s.start for s in segments}
    assert reading.most <= window and reading.total <= 2 * len(messages)


def test_what_is_appended_changes_only_the_windows_that_were_not_full(window):
    messages = talk(60)
    before, after = cut(messages[:170]), cut(messages)
    settled = [s for s in before if s.end <= 170 - window]
    assert settled and after[: len(settled)] == settled
