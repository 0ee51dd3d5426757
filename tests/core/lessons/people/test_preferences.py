"""What people say to agents: each sentence is a correction, a standing wish, a tip, or nothing to keep."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.people.objections.corrections import find_corrections
from ultron_core.lessons.people.preferences import find_preferences, find_tips
from ultron_core.lessons.people.turns import read_turns

BEFORE = ("assistant", "I installed the package with pip and changed the settings file.")


def types(sentence):
    messages = talk(("user", "set it up"), BEFORE, ("user", sentence))
    turns = read_turns(messages)
    found = [
        *find_corrections(messages, (), turns, "", False),
        *find_preferences(turns, ""),
        *find_tips(messages),
    ]
    return [draft.memory_type for draft in found]


@pytest.mark.parametrize(
    "sentence",
    [
        "No, use uv instead of pip.",
        "nope, we want the handler in core/, not in utils",
        "Don't use mocks here, use the real database instead.",
        "I sentence to use tabs, not spaces.",
        "It should be port 8443, not 8080.",
        "You edited the wrong file, it should be settings.toml.",
        "That's wrong. Use the staging config for the smoke test.",
        "you were supposed to run the migrations first",
        "不对，应该用 pnpm 而不是 npm。",
        "应该改成异步的而不是同步的。",
        "不要用 print，改用 logging。",
        "你理解错了，我说的是测试环境。",
        "错了。应该先执行数据库迁移再启动服务。",
        "这个不是超时时间，而是重试次数。",
    ],
)
def test_corrections(sentence):
    assert types(sentence) == ["correction"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Always run the linter before you commit.",
        "From now on write commit messages in English.",
        "and please never push to main",
        "I prefer short answers without a summary at the end.",
        "Stop adding comments that repeat the code.",
        "we never commit generated files",
        "Every time you change the schema, please run the generator.",
        "Keep your answers short.",
        "I would only want end-to-end tests for this.",
        "以后都用中文回答。",
        "别再写没有意义的注释了。",
        "每次提交前都要跑一遍测试。",
        "从现在开始用 TypeScript 写。",
        "我更喜欢简洁的回答。",
        "一律使用绝对路径。",
        "以后提交信息请用英文。",
    ],
)
def test_standing_wishes(sentence):
    assert types(sentence) == ["preference"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Tip: on long flights the seats behind the galley stay noisy all night.",
        "It's cheaper to take the airport train than a taxi after midnight.",
        "When you visit the museum, go before ten, the queue is short then.",
        "小贴士：高铁上靠窗的座位有插座。",
        "如果去博物馆，最好早上九点前到，排队的人少。",
    ],
)
def test_tips_of_daily_life(sentence):
    assert types(sentence) == ["life"]


@pytest.mark.parametrize(
    "sentence",
    [
        "It always crashes when I open the page.",
        "I have never seen that before.",
        "Why do you always rewrite the whole file?",
        "No, thanks, that is all.",
        "no problem",
        "Actually, can you also add a test?",
        "That's not right",
        "The build never finishes, it is always stuck at 90 %.",
        "I want to change my flight to the 5 pm one.",
        "Sorry, there must be a mistake; I am a Gold member.",
        "Next time I will bring my passport.",
        "Could you use the other one?",
        "Use the file data.csv.",
        "In the future we may add a cache.",
        "Please book a hotel near the beach for my trip.",
        "程序总是崩溃。",
        "以后再说吧。",
        "为什么每次都要重启？",
        "不用了，谢谢。",
        "帮我订一家酒店，最好是有早餐的。",
        "最好是有行李寄存和吹风机服务的。",
        "好的，继续。",
    ],
)
def test_nothing_to_keep(sentence):
    assert types(sentence) == []


def test_rules_of_a_prompt_and_pasted_documents_are_nobodys_wish():
    assert types("You are a helpful agent.\nAlways answer in JSON.") == []
    assert types("# Rules\nAlways answer in JSON.") == []
    assert types("Always keep the receipt. " * 100) == []


def test_a_correction_says_what_the_agent_had_done():
    messages = talk(("user", "set it up"), BEFORE, ("user", "不对，应该用 uv 而不是 pip。"))
    (draft,) = find_corrections(messages, (), read_turns(messages), "", False)
    assert draft.content.endswith("不对，应该用 uv 而不是 pip。")
    assert "I installed the package with pip" in draft.context
    assert draft.evidence[0].quote in messages[2].content


def test_a_rule_that_points_at_something_takes_the_sentence_before():
    def rules(*said):
        return [
            draft.content for draft in find_preferences(read_turns(talk(("user", "go"), BEFORE, *said)), "")
        ]

    assert rules(("user", "The proxy settings of web.conf are right. DO NOT TOUCH THEM AGAIN.")) == [
        "Standing preference of a person: DO NOT TOUCH THEM AGAIN. (The proxy settings of web.conf are right.)"
    ]
    assert rules(("user", "Never touch it again.")) == []


@pytest.mark.parametrize("hint", ["You can use the staging API for that.", "你可以通过 docker 运行"])
def test_a_means_that_a_person_points_out(hint):
    turns = read_turns(talk(("user", "Load the orders into the report."), BEFORE, ("user", hint)))
    (draft,) = find_preferences(turns, "shop")
    assert hint in draft.content
    assert "Load the orders into the report." in draft.context


@pytest.mark.parametrize(
    "hint", ["You can use that.", "you can see the error in app.log", "Can you use the API?"]
)
def test_no_means(hint):
    assert find_preferences(read_turns(talk(("user", "Load the orders."), BEFORE, ("user", hint))), "") == []


@pytest.mark.parametrize(
    ("asked", "wish"),
    [
        (
            "How can I make you run the debugger before a fix?",
            "Yes, please do that from now on in every session.",
        ),
        (
            "能不能每次都先跑一遍调试器确认问题再给出修改方案呢？",
            "好的，以后都按这个流程来，每次修改前先这样做",
        ),
    ],
)
def test_a_wish_that_points_back_stands_with_what_was_asked_before(asked, wish):
    said = ("assistant", "That can stand in the rules file.")
    turns = read_turns(talk(("user", "set it up"), BEFORE, ("user", asked), said, ("user", wish)))
    (draft,) = find_preferences(turns, "")
    assert asked in draft.context
    (plain,) = find_preferences(
        read_turns(talk(("user", asked), said, ("user", "Always run `make check` first."))), ""
    )
    assert plain.context == ""


def test_what_is_wanted_this_time_alone_is_no_standing_wish():
    assert find_preferences(read_turns(talk(("user", "那我只要一个标题，一条评论"))), "") == []
