"""Plain wishes, decisions and facts: stored with what they speak of, or not at all."""

from dataclasses import replace

import numpy as np
import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.people.plain.find import hear, plain_drafts, refused
from ultron_core.lessons.people.plain.reader import OUTPUTS, load_model
from ultron_core.lessons.people.turns import read_turns
from ultron_core.models import Evidence, MemoryDraft

DONE = ("assistant", "I moved the retry loop from `client.py` into `worker.py`. Everything is in place.")
DONE_TOO = ("assistant", "The export is in `export.py`.")
#: keeps all that it is asked about, so that the shape alone decides
EAGER = replace(load_model(), bound=0.0, beside=0.0)


def drafts(*said, model=EAGER, before=DONE):
    turns = (one if isinstance(one, tuple) else ("user", one) for one in said)
    messages = talk(("user", "move the retry loop"), before, *turns)
    turns = read_turns(messages)
    found = plain_drafts(turns, hear(turns, ()), messages, "shop", model)
    return [draft for _, draft in found if draft.evidence[0].start_line > 2]


def decided(kind):
    """The shipped model with its kinds replaced by one of which it is sure."""
    intercept = EAGER.linear.intercept.copy()
    intercept[1:] = [50.0 if name == kind else -50.0 for name in OUTPUTS[1:]]
    return replace(EAGER, linear=replace(EAGER.linear, intercept=intercept))


@pytest.mark.parametrize(
    ("kind", "said", "content"),
    [
        ("decision", "drop redis, we use the in-process cache", "Decided in shop: drop redis"),
        ("preference", "no test scripts in this repo", "In shop, a person told the agent: no test scripts"),
        ("fact", "the backend runs on port 8081", "In shop, a person told the agent: the backend runs"),
        ("preference", "不要动 migrations 目录下的文件", "在 shop 中，用户告诉智能体：不要动 migrations"),
    ],
)
def test_each_kind_says_whose_words_it_holds(kind, said, content):
    (draft,) = drafts(said, model=decided(kind))
    assert draft.content.startswith(content)
    assert draft.evidence[0].quote == said
    assert draft.tags == (kind, "plain")
    assert draft.memory_type == ("preference" if kind == "preference" else "pattern")


def test_a_doubtful_choice_is_not_called_a_decision():
    (draft,) = drafts("maybe we should store the amounts in cents", model=decided("decision"))
    assert draft.content.startswith("In shop, a person told the agent: ")


def test_a_correction_that_no_rule_tells_is_told_as_what_a_person_said():
    (draft,) = drafts("you should edit the template and not the output", model=decided("correction"))
    assert draft.content.startswith("In shop, a person told the agent: you should edit the template")
    assert draft.memory_type == "pattern"


def test_sentences_that_stand_together_make_one_memory_with_a_quote_of_each():
    said = "ids are made by the server\nclients never send one\na row without an id is refused"
    near = replace(decided("decision"), bound=0.1)
    (draft,) = drafts(said, model=near)
    assert (
        "ids are made by the server; clients never send one; a row without an id is refused" in draft.content
    )
    assert [item.quote for item in draft.evidence] == said.split("\n")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "the dialog before a download must follow the guide:\n\nTitle is Confirm download\n\nthe button is blue",
            "the dialog before a download must follow the guide: Title is Confirm download; the button is blue",
        ),
        (
            "点击下载按钮要弹出确认窗口，弹窗内容如下\n\n下载即表示您拥有合法使用权。",
            "如下；下载即表示您拥有合法使用权。",
        ),
    ],
)
def test_what_is_announced_goes_along(said, told):
    first = said.split("\n")[0]
    only = replace(EAGER, bound=0.0, beside=1.1)
    draft = next(one for one in drafts(said, model=only) if first[:12] in one.content)
    assert told in draft.content
    assert len(draft.evidence) > 1


def test_a_later_turn_brings_the_one_before_it():
    first, second = "the export writes parquet", "its columns must be sorted by name, the import relies on it"
    *_, draft = drafts(first, DONE_TOO, second, model=decided("decision"))
    assert first in draft.context


def test_what_leans_on_the_agents_words_brings_them_along():
    (draft,) = drafts("leave it there, we need it", model=decided("decision"))
    assert "The agent had said: I moved the retry loop from `client.py` into `worker.py`." in draft.content


def test_what_leans_on_the_sentence_before_brings_that_along():
    (draft,) = drafts("The worker owns the retry loop. It must stay there.", model=decided("decision"))
    assert "The worker owns the retry loop. It must stay there." in draft.content


def test_what_leans_on_nothing_is_not_stored():
    said = "leave it, we need it"
    assert drafts(said, before=("assistant", "Done.")) == []
    assert drafts("we should use option 2") == []


@pytest.mark.parametrize(
    "said",
    [
        "how should we store the amounts?",
        "don't change any code yet",
        "never mind, I'll use the other branch",
        "great, we should use that for the next page too",
        "The importer must not use `rows.get`, never mind, I'll fix it myself",
        "oh wait, never mind, I will fix `rows.py` myself",
        "okay, so never mind the importer, I'll do it",
        "the importer must skip empty rows, but I will fix `rows.py` myself",
        "Okay that looks good, the importer works now",
        "oh wait, so actually I already moved the importer to `rows.py`",
        "登录页面的按钮问题我来处理就行",
        "登录页面的按钮不能是蓝色的，那就算了",
        "导入时不要用缓存，算了",
        "never mind, I must have mistyped the name of the table",
        "我们应该怎么存金额",
        "先不要改代码，只用说明方案",
    ],
)
def test_what_passes_with_the_work_is_not_asked_about(said):
    assert drafts(said) == []


def test_what_the_model_finds_worth_too_little_is_not_stored():
    assert drafts("drop redis, we use the in-process cache", model=replace(EAGER, bound=1.1)) == []


def test_a_sentence_that_a_rule_tells_is_not_told_again_and_is_refused_when_it_passes():
    said = "don't change any code yet"
    messages = talk(("user", "fix it"), DONE, ("user", said))
    turns = read_turns(messages)
    line = turns[1].message.start_line
    told = MemoryDraft(said, "", "", ("preference",), 0.7, "preference", (Evidence(line, line, said),))
    heard = hear(turns, [("preference", told)])
    assert heard[1][0].rules == {"preference"}
    assert refused(heard) == {said}
    assert refused(hear(turns, [("decision", told)])) == frozenset()


def test_the_shipped_model_hears_plain_words_and_not_steps():
    kept = drafts("we go with SQLite, the shop has no server for a database", model=load_model())
    assert [draft.memory_type for draft in kept] == ["pattern"]
    assert drafts("run the tests again", model=load_model()) == []


def test_probabilities_are_per_sentence_and_output():
    turns = read_turns(talk(("user", "Use zod. No classes."), DONE))
    said = hear(turns, ())[0]
    found = load_model().probabilities(said)
    assert found.shape == (len(said), len(OUTPUTS))
    assert np.all((found > 0) & (found < 1))


def test_an_issue_that_is_handed_in_decides_nothing():
    issue = (
        "Allow equal ValidationErrors to compare equal\n\nDescription\n\n"
        "Currently ValidationErrors that have identical messages don't equal each other, which is wrong. "
        "We want them to be equal when they are created with the same message, code and params, whatever order "
        "the messages of `error_list` are in, because tests compare them."
    )
    turns = read_turns(talk(("user", issue), ("assistant", "I changed `exceptions.py`.")))
    assert plain_drafts(turns, hear(turns, ()), [], "django", EAGER) == []
    remark = read_turns(talk(("user", "drop redis, we use the in-process cache"), ("assistant", "Done.")))
    assert plain_drafts(remark, hear(remark, ()), [], "django", decided("decision"))


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("The rules are:\n- ids are made by the server alone", "ids are made by the server alone"),
        ("接下来的修改是：\n- 评分人数为 0 时前端显示暂无评分", "评分人数为 0 时前端显示暂无评分"),
        ("The rules for error messages:\n- never name the table of a row", "never name the table of a row"),
        (
            "When running the tests, these rules hold:\n- never use the live shop",
            "never use the live shop",
        ),
        ("The requirements of the docs:\n- every page has an example", "every page has an example"),
        ("错误提示的规则：\n- 提示里不出现数据库的表名", "提示里不出现数据库的表名"),
        ("I told you:\n- ids are made by the server alone", "ids are made by the server alone"),
        ("Here is what I want:\n- ids are made by the server alone", "ids are made by the server alone"),
    ],
)
def test_a_list_below_a_colon_is_in_the_persons_own_words(said, rule):
    assert any(rule in draft.content for draft in drafts(said, model=decided("decision")))


@pytest.mark.parametrize(
    "announced",
    [
        "Here are the things to keep in mind:",
        "Here are the conventions:",
        "Here is how the importer should work:",
        "Here's what the API must do:",
        "Two issues:",
        "The docs must follow this:",
        "Comments must follow these rules:",
        "Always do this when writing docs:",
        "I wrote these rules for the docs:",
        "文档的格式：",
        "文档必须这样写：",
    ],
)
def test_what_a_person_announces_is_in_their_own_words(announced):
    rule = "ids are made by the server alone"
    turns = read_turns(talk(("user", "make it"), DONE, ("user", f"{announced}\n- {rule}")))
    last = hear(turns, ())[1][-1]
    assert last.sentence == rule
    assert not last.of_others


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("I get these logs:\nthe client never sends an id", "the client never sends an id"),
        ("The steps:\n```\nmake\n```\nthe client never sends an id", "the client never sends an id"),
        ("npm ERR! code 1\nI did this:\nthe client never sends an id", "the client never sends an id"),
        ("输出：\n客户端从来不发送编号字段", "客户端从来不发送编号字段"),
        ("Here is the README of the library:\nNever call connect twice.", "Never call connect twice."),
        ("See README.md of the library:\nNever call connect twice.", "Never call connect twice."),
        ("Here is the email of the customer:\nWe never want redis.", "We never want redis."),
        ("My boss told me:\nWe never want redis.", "We never want redis."),
        ("I get this after the changes:\nthe client never sends an id", "the client never sends an id"),
        ("What about these changes?\nthe client never sends an id", "the client never sends an id"),
        ("这是客户的邮件：\n生产环境永远不用缓存", "生产环境永远不用缓存"),
        ("老板告诉我：\n生产环境永远不用缓存", "生产环境永远不用缓存"),
        *(
            (f"{handed}\nWe never want redis.", "We never want redis.")
            for handed in (
                "My boss told me the requirements:",
                "The customer wrote these requirements:",
                "Review feedback on the changes:",
                "The reviewer's comments on my changes:",
                "Here are the notes from the customer:",
                "The error says that I must do this:",
                "I always get this error:",
                "The output should be empty but I get:",
            )
        ),
        ("老板告诉我的要求：\n生产环境永远不用缓存", "生产环境永远不用缓存"),
        ("输出应该为空，但返回：\n生产环境永远不用缓存", "生产环境永远不用缓存"),
    ],
)
def test_what_a_person_hands_in_of_others_is_not_theirs(said, printed):
    turns = read_turns(talk(("user", "make it"), DONE, ("user", said)))
    said_last = hear(turns, ())[1]
    assert all(one.of_others for one in said_last if one.sentence == printed)


def test_an_order_of_several_pages_is_heard_and_a_longer_text_is_a_document():
    rule = "The server makes all ids and clients never send one."
    page = "\n\n".join(f"Screen {n} shows the list of orders with their state and total." for n in range(30))
    assert len(page) > 1500
    whole = f"{rule}\n\n{page}"
    found = drafts(whole, model=decided("decision"))
    assert len(found) == 5
    assert any(rule in draft.content for draft in found)
    assert drafts(f"{whole}\n\n{page}\n\n{page}\n\n{page}", model=decided("decision")) == []


def test_an_order_that_names_what_fails_is_no_issue():
    order = (
        "{}\n\n1. The importer fails on empty rows: return the row before it in `rows.py`, never None.\n"
        "2. Do not change `num_workers`, it stays at 0 so that it does not crash.\n"
        + "3. Keep the types. "
        * 30
    )
    for opening, told in (
        ("Please rework the importer in `rows.py`", True),
        ("Importer of `rows.py` breaks", False),
        ("Please note: the importer in `rows.py` breaks", False),
        ("I want to report that the importer in `rows.py` breaks", False),
        ("请注意：`rows.py` 里的导入会崩溃，空行时没有返回值", False),
    ):
        turns = read_turns(talk(("user", order.format(opening)), ("assistant", "Done.")))
        found = plain_drafts(turns, hear(turns, ()), [], "shop", EAGER)
        assert bool(found) is told


def test_a_long_text_that_instructs_a_model_is_a_program_s_prompt():
    page = " ".join(
        f"Screen {number} lists the orders of shop {number} with their state." for number in range(30)
    )
    order = f"Use the staging database of the shop.\n{page}\nYou may install packages."
    prompt = f"{order}\nYour files are in the shop.\nYou should wait for feedback after every command."
    for opening, heard in ((order, True), (prompt, False)):
        turns = read_turns(talk(("user", opening), DONE))
        assert bool(plain_drafts(turns, hear(turns, ()), [], "shop", EAGER)) is heard


def test_a_long_complaint_about_what_the_agent_did_is_no_prompt():
    complaint = "You forgot the importer.\nYou also broke `rows.py`.\nYou must never touch `rows.py` again."
    points = "\n".join(
        f"- screen {n} lists the orders of shop {n} with their state and total" for n in range(30)
    )
    messages = talk(("user", "move the retry loop"), DONE, ("user", f"{complaint}\n{points}"))
    _, heard = hear(read_turns(messages), ())
    assert "You must never touch `rows.py` again." in [said.sentence for said in heard]


def test_a_long_review_by_another_model_that_is_handed_in_is_not_the_person_s():
    review = (
        "Check these things first. Verdict: a strong plan.\n"
        "Your instinct about testing first is right.\n"
        "Your whole argument rests on the claim that `cron` skips a run that overlaps.\n"
        "Your empty state says that the poller runs every minute.\n"
    )
    points = "\n".join(
        f"- screen {n} must never list the orders of shop {n} without their state" for n in range(30)
    )
    messages = talk(("user", "plan the poller"), DONE, ("user", f"{review}{points}"))
    _, heard = hear(read_turns(messages), ())
    assert heard == []


def test_a_long_first_complaint_is_no_prompt():
    complaint = "You forgot the importer.\nYou also broke `rows.py`.\nYou must never touch `rows.py` again."
    points = "\n".join(
        f"- screen {n} lists the orders of shop {n} with their state and total" for n in range(30)
    )
    (heard,) = hear(read_turns(talk(("user", f"{complaint}\n{points}"), DONE)), ())
    assert "You must never touch `rows.py` again." in [said.sentence for said in heard]


@pytest.mark.parametrize(
    "title",
    [
        "Migrations use the value of an enum",
        "I want to report that saving a model in `models.py` crashes",
        "Please note: saving a model crashes",
        "Please make migrations use the name of an enum",
    ],
)
def test_an_issue_below_its_heading_decides_nothing_whatever_its_title_names(title):
    issue = (
        f"{title}\n\nDescription\n\n"
        "When an enum is the default of a field, the migration must use the name of the enum and not its value. "
        "The value is translated to another language and old migrations then no longer load, so the name is right. "
        "All generated migrations of the project should use names."
    )
    turns = read_turns(talk(("user", issue), ("assistant", "I changed the writer.")))
    assert plain_drafts(turns, hear(turns, ()), [], "django", EAGER) == []


@pytest.mark.parametrize(
    "said",
    [
        "no test scripts ever in the worker, I will test by hand",
        "the export stays in `export.py`, that looks good on all screens",
        "接口只返回已支付的订单，其他的我来处理",
        "订单的总价在服务端就计算了，前端不要再算",
        "接口只返回已支付的订单，这对我来说很重要",
        "就算了解需求也不要改接口",
        "就算了解需求，接口也保持原样",
        "总价在服务端重算了，前端不要再算",
        "接口只返回已支付的订单，其余的我来处理",
        "接口只返回已支付的订单，其他我来处理",
        "库存不能为负，剩余的我来改",
        "提交代码必须由我来做，不要自动提交",
        "不要自动部署，我来部署",
        "always let me run the migrations myself",
        "Never run migrations, I will run them myself",
        "never mind the old name, the table must be called orders",
    ],
)
def test_what_lets_go_or_praises_behind_a_rule_is_its_reason(said):
    (draft,) = drafts(said, model=decided("preference"))
    assert said in draft.content
