"""What a person picked when the agent asked with its tool for questions."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.people.answered import find_answered
from ultron_core.models import Message, ToolCall

WHERE = {
    "question": "Where should the helper that opens the database live?",
    "options": [
        {"label": "pkg/shared (Recommended)", "description": "both providers import it already"},
        {"label": "pkg/util", "description": "no database code lives there yet"},
    ],
}


def answered(arguments, result, tool="AskUserQuestion", work=True):
    messages = talk(("user", "Move the helper."), ((tool, arguments), result))
    found = find_answered(messages, "shop", work)
    assert all(gate_draft(draft, messages) is None for draft in found)
    return found


def test_the_option_that_was_picked_is_told_with_the_question_and_what_it_means():
    result = (
        f'User has answered your questions: "{WHERE["question"]}"="pkg/shared (Recommended)". You can go on.'
    )
    (draft,) = answered({"questions": [WHERE]}, result)
    assert draft.content == (
        "Decided in shop: Where should the helper that opens the database live? — "
        "a person chose: pkg/shared: both providers import it already"
    )
    assert draft.evidence[0].quote in result


def test_options_may_be_bare_words_and_answers_a_list():
    questions = [
        {"question": "How should money be stored?", "options": ["As whole cents in one column", "As floats"]},
        {"prompt": "金额的精度如何保证？", "options": ["统一用整数分存储", "用浮点数存储金额"]},
    ]
    found = answered({"questions": questions}, "Answer: As whole cents in one column, 统一用整数分存储")
    assert [draft.content for draft in found] == [
        "Decided in shop: How should money be stored? — a person chose: As whole cents in one column",
        "在 shop 中决定：金额的精度如何保证？ —— 用户选择：统一用整数分存储",
    ]


def test_a_log_may_write_question_and_answer_as_a_list():
    written = (
        "**Where should the helper live?**\n\nOptions:\n- **pkg/shared** - both providers import it already\n"
        "- **pkg/util** - no database code lives there yet\n\n\n**Answer:** pkg/util"
    )
    call = ToolCall("c1", "AskUserQuestion", {"input": written})
    messages = [Message("assistant", "", tool_calls=(call,), origin="model", start_line=1, end_line=1)]
    (draft,) = find_answered(messages, "", True)
    assert draft.content.endswith("a person chose: pkg/util: no database code lives there yet")


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        # an answer in own words picks nothing that was offered
        (WHERE, 'User has answered your questions: "Where?"="what do you mean by pkg/shared". Go on.'),
        # nobody answered
        (WHERE, ""),
        # how to go on with the work
        ({**WHERE, "question": "Should I commit the helper now?"}, "Answer: pkg/util"),
        # says nothing
        ({"question": "Should the helper log each call?", "options": ["Yes", "No"]}, "Answer: Yes"),
        # no options lie open
        ({"question": "Where should the helper live?"}, "Answer: pkg/util"),
    ],
)
def test_what_is_no_choice_of_an_option_is_not_told(asked, result):
    assert answered({"questions": [asked]}, result) == []


def test_other_tools_and_talks_without_work_decide_nothing():
    assert answered({"questions": [WHERE]}, "Answer: pkg/util", tool="Bash") == []
    assert answered({"questions": [WHERE]}, "Answer: pkg/util", work=False) == []
    assert answered({"questions": "none"}, "Answer: pkg/util") == []
