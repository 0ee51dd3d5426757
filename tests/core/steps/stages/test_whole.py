"""A session in one question: its tasks, judgements and notes, by windows where it is long."""

import pytest

from tests.support.records import messages_in
from ultron_core.errors import ContextTooLongError, ModelAnswerError, ModelUnavailableError
from ultron_core.models import Message, ToolCall
from ultron_core.steps.stages.whole import read_session

METRICS = [{"name": name, "score": 0.5} for name in ("goal_reached", "completeness")]


def review(start, topic="", **more):
    judged = {"outcome": "unknown", "success_probability": 0.5, "metrics": METRICS, "memories": []}
    return {"start": start, "topic": topic, **judged, **more}


def note(number, quote, **more):
    return {
        "memory_type": "pattern",
        "evidence": [{"message": number, "quote": quote}],
        "content": quote,
    } | more


class Scripted:
    """Gives prepared lists of tasks, or answers by a function of the text; keeps what it was asked."""

    model_id = "scripted"

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def complete(self, messages, schema, *, stage=""):
        self.asked.append(messages[1]["content"])
        answer = self.answers[0] if callable(self.answers[0]) else self.answers.pop(0)
        if callable(answer):
            answer = answer(messages[1]["content"])
        if isinstance(answer, Exception):
            raise answer
        return schema.model_validate({"tasks": answer})


def talk(*requests, words=3):
    """Each request of a person with the agent's reply."""
    return [
        message
        for text in requests
        for message in (Message("user", text), Message("assistant", "word " * words, origin="model"))
    ]


def read(llm, *threads, limit=50_000):
    return read_session(threads, llm, "", limit)


def spans(tasks):
    return [(task.start, task.end, task.topic) for task in tasks]


def test_one_answer_gives_tasks_judgements_and_notes_by_their_own_numbers():
    metrics = [{"name": "goal_reached", "score": 1, "messages": [4]}, {"name": "completeness", "score": 1}]
    kept = note(3, "port 8081", verified_by={"message": 4, "quote": "word"}, resolution_status="verified")
    llm = Scripted([review(1, "Greet"), review(3, "Ports", metrics=metrics, memories=[kept])])
    ((first, second),) = read(llm, talk("greet us", "use port 8081"))
    assert spans([first, second]) == [(0, 2, "Greet"), (2, 4, "Ports")]
    assert first.notes == [] and len(llm.asked) == 1
    ((size, judgement),) = second.judged
    assert size == 2 and judgement.metrics[0].messages == [2]
    assert (second.notes[0].evidence[0].message, second.notes[0].verified_by.message) == (1, 2)


def test_a_quote_from_another_task_is_no_evidence():
    stray = note(
        1, "greet us", evidence=[{"message": 1, "quote": "greet us"}, {"message": 3, "quote": "ports"}]
    )
    ((_, second),) = read(Scripted([review(1), review(3, memories=[stray])]), talk("greet us", "ports"))
    assert [quote.message for quote in second.notes[0].evidence] == [1]


def by_windows(text):
    """A model that lets a task go on until a message begins with NEW."""
    shown = messages_in(text)
    first = int(text.partition("\nTask ")[2].split()[0]) if "\nTask " in text else shown[0].number
    new = [one.number for one in shown if one.body.startswith("NEW") and one.number > first]
    own = [note(one.number, one.body.strip()) for one in shown if one.body.startswith("NOTE")]
    return [review(first, "the first", notes="half done", memories=own), *(review(n, f"at {n}") for n in new)]


def test_a_longer_session_is_read_by_windows_that_are_told_what_was_decided():
    long = talk("NOTE one", "on", "on", "on", "NEW task", "on", "on", words=300)
    llm = Scripted(by_windows)
    (tasks,) = read(llm, long, limit=1_600)
    assert len(llm.asked) > 1
    assert spans(tasks) == [(0, 8, "the first"), (8, 14, "at 9")]
    later = llm.asked[1]
    assert "Task 1 may go on: the first (unknown so far). half done" in later
    assert "Its memories so far: NOTE one" in later
    assert messages_in(later)[0].body.startswith("NOTE one"), "what was asked for is shown again"
    assert len(tasks[0].judged) > 1 and sum(size for size, _ in tasks[0].judged) == 8
    numbers = [one.number for text in llm.asked for one in messages_in(text)]
    assert set(numbers) == set(range(1, 15)), "every message is in some window"


def test_threads_are_read_together_and_no_task_reaches_into_another():
    helper = [Message("user", "look it up", origin="model"), Message("assistant", "found it", origin="model")]
    llm = Scripted([review(1, "all of it"), review(3, "more")])
    first, second = read(llm, talk("find it", "and then that"), helper)
    assert spans(first) == [(0, 2, "all of it"), (2, 4, "more")]
    assert "Another agent's work begins at 5: a task of its own." in llm.asked[0]
    assert spans(second) == [(0, 2, "")] and second[0].judged == [] and second[0].notes is None


def test_a_thread_with_one_request_is_one_task_whatever_the_model_says():
    helper = [Message("user", "look it up", origin="model"), *talk("x")[1:], *talk("x")[1:]]
    llm = Scripted([review(1), review(3, "helper"), review(4, "again", memories=[note(4, "word")])])
    _, (only,) = read(llm, talk("find it"), helper)
    assert (only.start, only.end, only.topic) == (0, 3, "helper")
    assert len(only.judged) == 2 and len(only.notes) == 1


def test_a_boundary_between_a_call_and_its_result_moves_back():
    call = ToolCall("1", "bash", {"command": "ls"})
    messages = [
        *talk("one"),
        Message("user", "two"),
        Message("assistant", "", tool_calls=(call,), origin="model"),
        Message("tool", "a.py", tool_call_id="1", origin="tool"),
    ]
    (tasks,) = read(Scripted([review(1), review(5, "two")]), messages)
    assert spans(tasks) == [(0, 3, ""), (3, 5, "two")]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ([], "there is no task"),
        ([review(9)], "no message shown has the number 9"),
        ([review(3), review(1)], "not in the order"),
        ([review(1, outcome=None)], "its judgement is missing"),
        ([review(1, metrics=METRICS[:1])], "there is no score for completeness"),
    ],
)
def test_a_wrong_answer_is_asked_for_once_more_with_what_is_wrong(wrong, reason):
    asked = []

    class Checking(Scripted):
        def complete(self, messages, schema, *, stage=""):
            asked.append(messages[-1]["content"])
            return super().complete(messages, schema, stage=stage)

    (tasks,) = read(Checking(wrong, [review(1, "right")]), talk("one", "two"))
    assert spans(tasks) == [(0, 4, "right")]
    assert reason in asked[1]


def test_what_is_still_missing_is_left_to_be_asked_for_alone():
    halves = [review(1, "judged", memories=None), review(3, "not judged", outcome=None)]
    (tasks,) = read(Scripted(halves, halves), talk("one", "two"))
    assert spans(tasks) == [(0, 2, "judged"), (2, 4, "not judged")]
    assert (bool(tasks[0].judged), tasks[0].notes) == (True, None)
    assert (bool(tasks[1].judged), tasks[1].notes) == (False, [])


def test_without_a_usable_answer_each_question_is_asked_alone():
    assert read(Scripted([], []), talk("one", "two")) is None
    assert read(Scripted(ModelAnswerError("no JSON")), talk("one", "two")) is None


def test_windows_are_halved_while_the_model_finds_them_too_long():
    def short(text):
        return ContextTooLongError("too long") if len(text) > 9_000 else by_windows(text)

    (tasks,) = read(Scripted(short), talk("NOTE one", "on", "NEW task", words=1_200), limit=8_000)
    assert spans(tasks) == [(0, 4, "the first"), (4, 6, "at 5")]
    assert read(Scripted(lambda text: ContextTooLongError("too long")), talk("one", "two")) is None


def test_a_model_that_is_down_is_not_hidden():
    with pytest.raises(ModelUnavailableError):
        read(Scripted(ModelUnavailableError("down")), talk("one", "two"))
