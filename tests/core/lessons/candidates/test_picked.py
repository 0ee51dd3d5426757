"""What a person picked when the agent asked with its tool for questions."""

import json

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.candidates.candidate import LONGEST
from ultron_core.lessons.candidates.picked import find_picked

WHERE = {
    "question": "Where should the helper that opens the database live?",
    "options": [
        {"label": "pkg/shared (Recommended)", "description": "both providers import it already"},
        {"label": "pkg/util", "description": "no database code lives there yet"},
    ],
}


def answered(arguments, result, tool="AskUserQuestion"):
    found = list(find_picked(talk(("user", "Move the helper."), ((tool, arguments), result))))
    assert all(one.source == "choice" and one.author == "person" for one in found)
    return found


def told(found):
    return [one.text for one in found]


def test_the_option_that_was_picked_is_told_with_the_question_and_what_it_means():
    result = f'User has answered your questions: "{WHERE["question"]}"="pkg/util". You can go on.'
    (one,) = answered({"questions": [WHERE]}, result)
    assert one.answers == WHERE["question"]
    assert one.text == "pkg/util: no database code lives there yet"
    assert one.quote in result
    assert one.position == 2


def test_options_may_be_bare_words_and_answers_a_list():
    questions = [
        {"question": "How should money be stored?", "options": ["As whole cents in one column", "As floats"]},
        {"prompt": "金额的精度如何保证？", "options": ["统一用整数分存储", "用浮点数存储金额"]},
    ]
    found = answered({"questions": questions}, "Answer: As whole cents in one column, 统一用整数分存储")
    assert told(found) == ["As whole cents in one column", "统一用整数分存储"]


def test_a_log_may_write_question_and_answer_as_a_list():
    written = (
        "**Where should the helper live?**\n\nOptions:\n- **pkg/shared** - both providers import it already\n"
        "- **pkg/util** - no database code lives there yet\n\n\n**Answer:** pkg/util"
    )
    (one,) = answered({"input": written}, "")
    assert one.text == "pkg/util: no database code lives there yet"
    assert one.position == 1


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        # nobody answered
        ({"questions": [WHERE]}, ""),
        # no options lie open, and no question stands beside the answer
        ({"questions": [{"question": "Where should the helper live?"}]}, "Answer: pkg/util"),
        ({"questions": "none"}, "Answer: pkg/util"),
    ],
)
def test_what_is_no_answer_is_not_told(arguments, result):
    assert answered(arguments, result) == []


def test_what_another_tool_prints_is_nobodys_choice():
    result = f'User has answered your questions: "{WHERE["question"]}"="pkg/util". You can go on.'
    assert answered({"questions": [WHERE]}, result, tool="Bash") == []


STORES = [{"label": name, "description": f"{name} keeps them"} for name in ("Redis", "Postgres", "Files")]


@pytest.mark.parametrize(
    "result",
    [
        'User has answered your questions: "{}"="Redis", "{}"="Postgres". You can now continue.',
        '{{"answers": {{"{}": "Redis", "{}": "Postgres"}}}}',
        '{{"answers": {{"sessions": {{"answers": ["Redis"]}}, "orders": {{"answers": ["Postgres"]}}}}}}',
    ],
)
def test_each_question_has_its_own_answer(result):
    kept = "Where should the sessions be kept?", "Where should the orders be kept?"
    asked = [
        {"id": "sessions", "question": kept[0], "options": STORES[:2]},
        {"id": "orders", "question": kept[1], "options": STORES},
    ]
    found = answered({"questions": asked}, result.format(*kept))
    assert told(found) == ["Redis: Redis keeps them", "Postgres: Postgres keeps them"]


def test_an_answer_that_may_belong_to_two_questions_belongs_to_none():
    asked = [
        {"question": f"Where should the {what} be kept?", "options": STORES} for what in ("jobs", "orders")
    ]
    assert answered({"questions": asked}, "Answer: Redis, Postgres") == []


@pytest.mark.parametrize("listed", ["Redis, Postgres or Files", "Redis, Postgres, or Files"])
def test_options_named_in_the_question_are_not_picked(listed):
    question = {"question": f"Which store should it use: {listed}?", "options": STORES}
    result = f'Your questions: "{question["question"]}"="Files".'
    assert told(answered({"questions": [question]}, result)) == ["Files: Files keeps them"]


@pytest.mark.parametrize(
    "words",
    ["Anything but these two: Redis, Postgres", "Redis, but not now", "除了这两个：Redis，Postgres"],
)
def test_own_words_are_told_as_they_stand_where_their_question_is_beside_them(words):
    question = {"question": "Which store should it use?", "options": STORES}
    marked = f'User has answered your questions: "{question["question"]}"="{words}". You can now continue.'
    assert told(answered({"questions": [question]}, marked)) == [words]
    assert answered({"questions": [question]}, f"Answer: {words}") == []


STORE = {"question": "Which store should it use?", "options": STORES}


@pytest.mark.parametrize(
    "result",
    [
        "Redis",
        "- Redis",
        "Answer: Redis",
        "- Answer: Redis",
        "  Answer: Redis",
        "→ User selected: Redis",
        'User selected: "Redis"',
        "- 用户选择：Redis",
    ],
)
def test_an_answer_may_stand_behind_a_mark_and_a_label(result):
    assert told(answered({"questions": [STORE]}, result)) == ["Redis: Redis keeps them"]


def test_an_option_may_hold_a_word_that_also_calls_an_answer():
    question = {**STORE, "options": [{"label": "Let users pick: a list", "description": "small"}, *STORES]}
    assert told(answered({"questions": [question]}, "Let users pick: a list")) == [
        "Let users pick: a list: small"
    ]


@pytest.mark.parametrize(
    "result",
    [
        "- Redis\n- Postgres\nI prefer neither",
        "None of these:\n- Redis\n- Postgres",
        "- Redis\n- Postgres\n都不用",
        "None of the answers:\n- Redis\n- Postgres",
        "Not selected: Redis",
        "未选择：Redis",
        "Redis\nYou can't mean that",
    ],
)
def test_options_that_a_line_beside_them_may_take_back_are_not_picked(result):
    assert answered({"questions": [STORE]}, result) == []


@pytest.mark.parametrize(
    "result",
    [
        '"Which store should it use?"="a disk of 5" or less is enough". You',
        '"Which store should it use?"="a disk of 5" or so", "Which port should it use?"="the 6" one of them". You',
        'Yours: "Which "cart store" may it use?"="keep everything in one sqlite file"',
        '"哪个"购物车存储"更好？"="全部放在一个本地数据库文件里"',
    ],
)
def test_a_pair_that_cannot_be_read_surely_is_not_told(result):
    assert answered({"questions": [STORE]}, result) == []


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["Redis", "Files"], ["Redis: Redis keeps them; Files: Files keeps them"]),
        (["Redis", "user_note: but only for sessions"], ["Redis, but only for sessions"]),
        (["None of the above", "user_note: use sqlite on the disk"], ["use sqlite on the disk"]),
        (["user_note: 全部放在本地的 sqlite 文件里"], ["全部放在本地的 sqlite 文件里"]),
        (["None of the above"], []),
        (["None of the above", "user_note: "], []),
        ([], []),
        (None, []),
    ],
)
def test_an_answer_list_in_data_is_read_to_its_end(items, expected):
    question = {"id": "store", **STORE}
    result = json.dumps({"answers": {"store": {"answers": items}}}, ensure_ascii=False)
    assert told(answered({"questions": [question]}, result)) == expected


@pytest.mark.parametrize("option", ["./pkg/shared", "../common", "--shared", "@shop/shared", "“共享”目录"])
@pytest.mark.parametrize("before", ["", "- ", "Answer: ", "用户选择："])
def test_an_option_may_begin_with_signs(option, before):
    question = {**WHERE, "options": [{"label": option, "description": "as told"}, "elsewhere"]}
    assert told(answered({"questions": [question]}, before + option)) == [f"{option}: as told"]


@pytest.mark.parametrize("after", ['. You can now "go on".', "", "\n", " user notes: soon"])
def test_words_in_quotes_end_no_answer(after):
    words = 'we do not want to use "local files only" any more'
    found = answered({"questions": [STORE]}, f'Your questions: "{STORE["question"]}"="{words}"{after}')
    assert told(found) == [words]


def test_a_question_may_hold_words_in_quotes():
    asked, words = 'Which "cart store" should it use?', "keep everything in one sqlite file"
    for result in (f'"{asked}"="{words}"', json.dumps({"answers": {asked: words}})):
        (one,) = answered({"questions": [{"question": asked}]}, result)
        assert (one.answers, one.text) == (asked, words)


def test_a_long_answer_is_cut():
    words = "keep it on the disk " * 80
    (cut,) = told(answered({"questions": [STORE]}, f'"{STORE["question"]}"="{words}". You can'))
    assert words.startswith(cut)
    assert len(cut) <= LONGEST
