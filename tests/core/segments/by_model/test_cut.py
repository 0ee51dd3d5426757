"""With a model: what it is sent, how its answers are checked, and what happens when they are bad."""

import pytest

from tests.support.records import messages_in
from ultron_core.errors import (
    BudgetExceededError,
    ContextTooLongError,
    ModelAnswerError,
    ModelUnavailableError,
)
from ultron_core.llm.tokens import count_tokens
from ultron_core.models import Message, ToolCall
from ultron_core.segments import segment_messages
from ultron_core.segments.by_model.cut import segmenter_of


class Scripted:
    """An LLM that gives prepared answers and keeps what it was asked."""

    model_id = "scripted"

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def complete(self, messages, schema, *, stage=""):
        self.asked.append((list(messages), stage))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return schema.model_validate({"tasks": [{"start": s, "end": e, "topic": t} for s, e, t in answer]})


def talk(count):
    roles = ("user", "assistant")
    return [{"role": roles[i % 2], "content": f"message {i + 1}"} for i in range(count)]


def test_a_good_answer_becomes_segments():
    llm = Scripted([(1, 2, "Read a CSV"), (3, 4, "Compose file")])
    first, second = segment_messages(talk(4), llm)
    assert (first.start, first.end, first.topic, first.segmenter) == (0, 2, "Read a CSV", segmenter_of(llm))
    assert (second.start, second.end, second.start_line, second.end_line) == (2, 4, 3, 4)
    assert first.repair == second.repair == ""
    (messages, stage) = llm.asked[0]
    assert stage == "segment"
    assert messages_in(messages[-1]["content"])[-1] == (4, "assistant", "message 4")


def test_two_messages_are_one_segment_without_a_call():
    llm = Scripted()
    (only,) = segment_messages(talk(2), llm)
    assert (only.start, only.end, only.segmenter) == (0, 2, "short")
    assert llm.asked == []
    assert segment_messages([], llm) == []


def test_a_bad_answer_is_asked_again_once_with_what_is_wrong():
    llm = Scripted([(1, 2, "a"), (4, 4, "b")], [(1, 2, "a"), (3, 4, "b")])
    assert [(s.start, s.end, s.repair) for s in segment_messages(talk(4), llm)] == [(0, 2, ""), (2, 4, "")]
    again = llm.asked[1][0][-1]["content"]
    assert "messages 3-3 are in no task" in again


@pytest.mark.parametrize(
    ("answer", "expected", "reason"),
    [
        ([(1, 2, "a"), (4, 6, "b")], [(0, 3), (3, 6)], "in no task"),
        ([(1, 4, "a"), (3, 6, "b")], [(0, 2), (2, 6)], "overlap"),
        ([(2, 3, "a"), (4, 5, "b")], [(0, 3), (3, 6)], "starts at 2"),
        ([(1, 3, "a"), (4, 99, "b")], [(0, 3), (3, 6)], "outside 1-6"),
        ([(1, 2, "a"), (3, 6, "b"), (50, 60, "c")], [(0, 2), (2, 6)], "outside 1-6"),
        ([(4, 6, "b"), (1, 3, "a")], [(0, 3), (3, 6)], "overlap"),
    ],
)
def test_twice_bad_is_repaired_by_rule_and_recorded(answer, expected, reason):
    segments = segment_messages(talk(6), Scripted(answer, answer))
    assert [(s.start, s.end) for s in segments] == expected
    assert all(reason in s.repair for s in segments)
    assert [s.topic for s in segments] == ["a", "b"]


@pytest.mark.parametrize("answer", [[], [(70, 80, "x")]])
def test_nothing_usable_leaves_the_session_pending(answer):
    with pytest.raises(ModelAnswerError):
        segment_messages(talk(4), Scripted(answer, answer))


def test_an_answer_outside_the_schema_leaves_the_session_pending():
    with pytest.raises(ModelAnswerError, match="no JSON"):
        segment_messages(talk(4), Scripted(ModelAnswerError("no JSON")))


def test_windows_are_halved_until_the_model_can_read_them():
    talk_of_8 = [{**message, "content": "word " * 200} for message in talk(8)]
    too_long = ContextTooLongError("8192 tokens")
    llm = Scripted(
        too_long, [(1, 2, "a"), (3, 4, "b")], [(1, 2, "b"), (3, 4, "c")], [(1, 2, "c"), (3, 4, "d")]
    )
    segments = segment_messages(talk_of_8, llm)
    assert [(s.start, s.end) for s in segments] == [(0, 2), (2, 4), (4, 6), (6, 8)]
    assert len(llm.asked) == 4


@pytest.mark.parametrize("error", [ModelUnavailableError("down"), BudgetExceededError("spent")])
def test_a_model_that_cannot_be_used_is_the_callers_affair(error):
    with pytest.raises(type(error)):
        segment_messages(talk(4), Scripted(error))


def test_a_thread_with_one_request_is_one_segment_without_a_call():
    llm = Scripted()
    messages = [
        *talk(2),
        Message("user", "<reminder>", origin="harness"),
        {"role": "user", "content": "thanks!"},
    ]
    (only,) = segment_messages(messages, llm)
    assert (only.end, only.segmenter, llm.asked) == (4, "short", [])


def test_of_long_messages_the_head_and_the_tail_are_read():
    said = {"user": 1_500, "assistant": 300, "tool": 120}
    long = [{"role": role, "content": f"{role} begins " + "x" * 9_000 + " ends"} for role in said]
    llm = Scripted([(1, 4, "all")])
    segment_messages([*long, {"role": "user", "content": "and now?"}], llm)
    shown = messages_in(llm.asked[0][0][-1]["content"])
    assert [one.body.count("x") // 10 for one in shown[:3]] == [148, 27, 10]
    assert all(one.body.startswith(f"{one.who} begins") and one.body.endswith(" ends") for one in shown[:3])


def test_never_between_a_call_and_its_result():
    messages = [
        Message("user", "find it"),
        Message("assistant", "", tool_calls=(ToolCall("c1", "search", {"q": 1}),)),
        Message("tool", "found", tool_call_id="c1", origin="tool"),
        Message("user", "where is it?"),
    ]
    segments = segment_messages(messages, Scripted([(1, 2, "ask"), (3, 4, "result")]))
    assert [(s.start, s.end) for s in segments] == [(0, 1), (1, 4)]
    assert "tool call" in segments[1].repair


def test_each_message_is_counted_once_whatever_the_windows_are():
    counted = []

    def count(text):
        counted.append(text)
        return 10

    llm = Scripted([(1, 2, "a"), (3, 4, "b")], [(1, 2, "b"), (3, 4, "c")], [(1, 2, "c"), (3, 4, "d")])
    segments = segment_messages(talk(8), llm, window_tokens=50, count_tokens=count)
    assert [(s.start, s.end) for s in segments] == [(0, 2), (2, 4), (4, 6), (6, 8)]
    assert len(llm.asked) == 3
    assert len(counted) == 8 + 1, "each message, and the frame around them"


def test_a_message_over_the_budget_is_shortened_alone():
    messages = [*talk(2), {"role": "user", "content": "x" * 500}]
    llm = Scripted([(1, 1, "a")], [(1, 1, "b")], [(1, 1, "long")])
    segments = segment_messages(messages, llm, window_tokens=120, count_tokens=len)
    sent = llm.asked[-1][0][-1]["content"]
    assert segments[-1].end == 3
    assert "x" * 20 in sent and "cut…]" in sent and len(sent) <= 120


def test_what_is_sent_is_within_the_budget_and_fills_it():
    """Short messages are where numbers, newlines and the frame weigh most."""

    class OneTask:
        model_id = "one-task"

        def __init__(self):
            self.sent = []

        def complete(self, messages, schema, *, stage=""):
            text = messages[-1]["content"]
            self.sent.append(count_tokens(text))
            return schema.model_validate({"tasks": [{"start": 1, "end": text.count("\n") - 2, "topic": "t"}]})

    llm = OneTask()
    messages = [{"role": "user" if n % 2 else "assistant", "content": "do it"} for n in range(3000)]
    segment_messages(messages, llm, window_tokens=2000, count_tokens=count_tokens)
    assert max(llm.sent) <= 2000
    assert min(llm.sent[:-1]) > 1700


def test_threads_are_cut_by_themselves():
    messages = [
        Message("user", "main 1", thread="main", start_line=1, end_line=1),
        Message("user", "side 1", thread="side", start_line=2, end_line=2),
        Message("assistant", "main 2", thread="main", start_line=3, end_line=4),
        Message("assistant", "main 3", thread="main", start_line=5, end_line=5),
        Message("assistant", "side 2", thread="side", start_line=6, end_line=6),
    ]
    main, side = segment_messages(messages, Scripted([(1, 3, "all")]))
    assert (main.thread, main.start, main.end, main.start_line, main.end_line) == ("main", 0, 3, 1, 5)
    assert (side.thread, side.start, side.end, side.start_line, side.end_line) == ("side", 0, 2, 2, 6)
    assert side.segmenter == "short"


def test_the_schema_is_bounded():
    from ultron_core.segments.by_model.answer import TaskList

    schema = TaskList.model_json_schema()
    assert schema["properties"]["tasks"]["maxItems"] > 0
    assert schema["$defs"]["TaskRange"]["properties"]["topic"]["maxLength"] > 0


def work(steps):
    """A person's request and so many calls with their results."""
    done = [Message("user", "find it")]
    for n in range(steps):
        done.append(Message("assistant", f"look {n}", tool_calls=(ToolCall(f"c{n}", "search", {"q": n}),)))
        done.append(Message("tool", f"found {n}", tool_call_id=f"c{n}", origin="tool"))
    return done


def test_of_long_work_between_two_requests_the_ends_are_read():
    llm = Scripted([(1, 21, "find it"), (22, 22, "write it down")])
    segments = segment_messages([*work(10), Message("user", "Now write it down")], llm)
    sent = llm.asked[0][0][-1]["content"]
    assert [one.number for one in messages_in(sent)] == [1, 2, 3, 4, 19, 20, 21, 22]
    assert "messages 5 to 18 are left out here]" in sent
    assert [(s.start, s.end) for s in segments] == [(0, 21), (21, 22)]


def test_with_windows_what_is_left_out_is_within_the_budget_and_numbered_by_window():
    class OneTask(Scripted):
        def complete(self, asked, schema, *, stage=""):
            last = int(asked[-1]["content"].partition("messages 1 to ")[2].partition(".")[0])
            self.answers = [[(1, last, "all")]]
            return super().complete(asked, schema, stage=stage)

    llm = OneTask()
    messages = [*work(10), Message("user", "and now?"), *work(10)]
    segments = segment_messages(messages, llm, window_tokens=120, count_tokens=count_tokens)
    sent = [chat[-1]["content"] for chat, _ in llm.asked]
    assert len(sent) > 2 and max(count_tokens(text) for text in sent) <= 120
    assert sum("left out here" in text for text in sent) >= 2
    assert all(messages_in(text)[0].number == 1 for text in sent)
    assert [segments[0].start, segments[-1].end] == [0, len(messages)]
