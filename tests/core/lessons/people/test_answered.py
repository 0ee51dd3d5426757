"""What a person picked when the agent asked with its tool for questions."""

import json

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
        # asks back
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


STORES = [{"label": name, "description": f"{name} keeps them"} for name in ("Redis", "Postgres", "Files")]


def told(found):
    return [draft.content.partition("a person chose: ")[2] for draft in found]


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


def test_the_log_may_hold_the_questions_in_the_result_alone():
    result = 'Your questions: "数据来源如何获取？"="暂时没有数据，先用自编的示例数据". You can now continue.'
    (draft,) = answered({"questions": ["数据来源？"]}, result)
    assert draft.content == "在 shop 中决定：数据来源如何获取？ —— 用户选择：暂时没有数据，先用自编的示例数据"
    assert (
        answered({"questions": ["数据来源？"]}, result.replace("暂时没有数据，先用自编的示例数据", "可以"))
        == []
    )


def test_several_picks_are_each_quoted_and_a_comma_may_stand_within_an_option():
    names = "Redis, with a copy on disk", "Redis", "Files"
    options = [{"label": name, "description": "as told"} for name in names]
    question = {"question": "Which stores should it use?", "options": options}
    result = f'Your questions: "{question["question"]}"="{names[0]}, Files" user notes: soon'
    (draft,) = answered({"questions": [question]}, result)
    assert told([draft]) == ["Redis, with a copy on disk: as told; Files: as told"]
    assert [evidence.quote for evidence in draft.evidence] == [names[0], "Files"]


@pytest.mark.parametrize(
    "question",
    [
        "Which Next.js router should the shop use?",
        "How should merge conflicts of two edits be solved?",
        "Where should the start date of a subscription be stored?",
        "Should we push events to the clients or let them poll?",
        "两次编辑的合并冲突应如何解决？",
        "订阅的开始日期存在哪里？",
    ],
)
def test_a_question_may_name_what_the_work_is_also_called(question):
    assert answered({"questions": [{**WHERE, "question": question}]}, "Answer: pkg/util")


@pytest.mark.parametrize(
    "question",
    [
        "How should I proceed?",
        "Tests pass. Should I push the branch?",
        "Would you like me to start the implementation?",
        "Do you want to continue with the second part?",
        "Ready to merge?",
        "Does this plan look right?",
        "What should I work on next?",
        "是否继续？",
        "下一步做什么？",
        "现在提交代码吗？",
        # blanks ask nothing
        " ",
    ],
)
def test_how_to_go_on_is_no_decision(question):
    assert answered({"questions": [{**WHERE, "question": question}]}, "Answer: pkg/util") == []


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
    "question",
    [
        "Should I implement this plan?",
        "Shall I now implement the plan?",
        "Shall I implement it?",
        "All tests pass — should I commit?",
        "Tests pass.\nShould I commit?",
        "Commit this now?",
        "Which task comes next?",
        "Is this the right plan?",
        "方案已确认，是否按此实现？",
        "代码已完成，是否提交到主分支？",
        "What next?",
        "Is the plan ready?",
        "Should I go on?",
        "Commit now?",
        "Tests pass. Push the branch now?",
        "Do you want to merge the branch?",
        "接下来做什么？",
        "功能已完成，接下来该怎么做？",
        "是否合并代码？",
    ],
)
def test_a_plain_question_about_going_on_is_no_decision(question):
    assert answered({"questions": [{**WHERE, "question": question}]}, "Answer: pkg/util") == []


@pytest.mark.parametrize(
    "question",
    [
        "Commit message style?",
        "Is the pricing plan per user or per shop?",
        "How should we implement it?",
        "Should we implement this as a class or as a function?",
        "是否实现离线模式？",
        "这个功能如何实现？",
        "Who is allowed to change the plan?",
        "Which view should the app show when the data is ready?",
        "Which step should the wizard show next?",
        "Which branch do you want to merge into the report?",
        "Should I merge the two order tables?",
        "Which is the default plan?",
        "Should I continue using the old cache?",
        "After the payment step, what comes with it?",
        "某一行导入失败时是否继续？",
        "向导里的“下一步”按钮放在哪里？",
        "是否合并两个订单表？",
        "未登录的用户是否可以提交？",
        "是否继续使用旧的缓存？",
    ],
)
def test_a_question_about_the_product_is_a_decision_though_it_names_a_plan_or_a_commit(question):
    assert answered({"questions": [{**WHERE, "question": question}]}, "Answer: pkg/util")


@pytest.mark.parametrize(
    "words",
    [
        'we do not want to use "local files only" any more',
        'use "Redis", "Files" and nothing else',
        'keep it all in "one file". Redis is too much',
        '我们不想再用"本地文件"来保存会话',
    ],
)
@pytest.mark.parametrize(
    "after",
    [
        '. You can now "go on".',
        "",
        ".",
        "\n",
        " user notes: soon",
        ', "Which port do we use?"="8080". You can',
    ],
)
def test_words_in_quotes_end_no_answer(words, after):
    found = answered({"questions": [STORE]}, f'Your questions: "{STORE["question"]}"="{words}"{after}')
    assert told(found) == [words]


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
    ("asked", "words"),
    [
        ('Which "cart store" should it use?', "keep everything in one sqlite file"),
        ('One of these, "cart" or "order", or both?', 'only the "cart" for a start'),
        ('该用哪个"购物车存储"？', "全部放在一个本地数据库文件里"),
    ],
)
def test_a_question_may_hold_words_in_quotes(asked, words):
    for result in (f'"{asked}"="{words}"', json.dumps({"answers": {asked: words}}, ensure_ascii=False)):
        (draft,) = answered({"questions": [{"question": asked}]}, result)
        assert asked in draft.content
        assert draft.content.endswith(words)


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


@pytest.mark.parametrize(
    "words",
    [
        "whatever you think is best",
        "I don't know, you decide this",
        "let me think about it first, skip this",
        "Chat about this with me first please",
        "None of the above",
        "随便，你看着办就行了",
        "我还没想好，先跳过这个问题",
    ],
)
def test_words_that_leave_the_question_open_decide_nothing(words):
    assert answered({"questions": [STORE]}, f'"{STORE["question"]}"="{words}". You can') == []


@pytest.mark.parametrize(
    "words",
    [
        "do not use any of these, write to disk",
        "Do not ask, write to disk",
        "I don't know Redis, so keep it in files on the disk",
        "use sqlite, the retention time is up to you",
        "whatever you like, but it must survive a restart",
        "whatever you enter is saved to disk",
        "skip this check for files, run it for Redis",
        "不要随便改表，写到本地磁盘",
        "由用户决定是用内存还是磁盘",
    ],
)
def test_words_that_look_so_decide_all_the_same(words):
    assert told(answered({"questions": [STORE]}, f'"{STORE["question"]}"="{words}". You can')) == [words]


@pytest.mark.parametrize("words", ["keep it on the disk " * 80, "全部放在本地磁盘" * 200])
def test_a_long_answer_is_clipped(words):
    (clipped,) = told(answered({"questions": [STORE]}, f'"{STORE["question"]}"="{words}". You can'))
    assert words.startswith(clipped.removesuffix("…"))
    assert 300 < len(clipped) <= 401


@pytest.mark.parametrize("option", ["./pkg/shared", "../common", "--shared", "@shop/shared", "“共享”目录"])
@pytest.mark.parametrize("before", ["", "- ", "Answer: ", "用户选择："])
def test_an_option_may_begin_with_signs(option, before):
    question = {**WHERE, "options": [{"label": option, "description": "as told"}, "elsewhere"]}
    assert told(answered({"questions": [question]}, before + option)) == [f"{option}: as told"]
