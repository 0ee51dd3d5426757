"""Calls that a person refused with words of their own."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.people.objections.stops import find_stop
from ultron_core.lessons.people.turns import read_turns
from ultron_core.models import Message, as_messages
from ultron_core.transcript.actions import read_actions

REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
MARK = Message("user", "[Request interrupted by user for tool use]", origin="harness")


def stop(words, output=REFUSED, marks=(MARK,)):
    order = talk(
        ("user", "Write a short commit message for this work."), (bash("git add src/cart.py"), output)
    )
    messages = as_messages([*order, *marks, Message("user", words, origin="human")])
    turns = read_turns(messages)
    return find_stop(messages, read_actions(messages), turns, len(turns) - 1, "shop")


def test_the_refused_command_with_the_reason_and_the_order():
    draft = stop("NO, just tell me the commit message")
    assert draft.content == (
        "In shop, a person refused to let `git add src/cart.py` run and said: NO, just tell me the commit message"
    )
    assert "Write a short commit message" in draft.context
    assert draft.memory_type == "correction"


def test_the_mark_of_the_harness_is_enough():
    assert stop("I ran it, it's there.", output="staged") is not None
    assert stop("I ran it, it's there.", output="staged", marks=()) is None


@pytest.mark.parametrize(
    "words", ["proceed", "no", "how do I undo that?", "here's a session: /tmp/debug.log"]
)
def test_words_that_say_nothing_of_the_call_teach_nothing(words):
    assert stop(words) is None


def test_chinese():
    draft = stop("不用，我自己来跑测试，你只需要改代码")
    assert draft.content.startswith("在 shop 中，用户不让运行 `git add src/cart.py`")


def test_a_turn_after_the_answer_to_the_refusal_is_about_something_else():
    order = talk(("user", "Write a short commit message."), (bash("git add src/cart.py"), REFUSED))
    said = (
        MARK,
        Message("user", "Let me look.", origin="human"),
        Message("user", "I ran it in both folders.", origin="human"),
    )
    messages = as_messages([*order, *said])
    turns = read_turns(messages)
    assert find_stop(messages, read_actions(messages), turns, len(turns) - 1, "shop") is None
