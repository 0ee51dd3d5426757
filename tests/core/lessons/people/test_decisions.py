"""Decisions: chosen in a person's own words, picked from options, or proposed by the agent and accepted."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.people.decisions import find_decisions
from ultron_core.lessons.people.turns import read_turns

OPTIONS = """There are two ways:

1. **A method on the interface** - every provider answers with `Supports()`.
2. **A marker type** - smaller, but the default is wrong.

Which one?"""


def decisions(*turns, work=True):
    messages = talk(("user", "How should we do it?"), *turns)
    return find_decisions(messages, read_turns(messages), "shop", work)


def test_a_number_is_told_as_the_option_that_it_names():
    (draft,) = decisions(("assistant", OPTIONS), ("user", "Go with option 1."))
    assert "every provider answers with `Supports()`" in draft.content
    assert draft.evidence[0].quote == "Go with option 1."
    assert draft.evidence[1].quote in OPTIONS


def test_a_proposal_that_was_accepted():
    proposal = ("assistant", "I recommend deleting `logging.go` and calling `slog` directly. Shall I?")
    (draft,) = decisions(proposal, ("user", "yes"))
    assert "`logging.go`" in draft.content and draft.context
    assert decisions(proposal, ("user", "no, leave it")) == []
    assert decisions(("assistant", "All tests pass."), ("user", "yes")) == []


def test_what_a_customer_picks_is_no_decision_of_a_project():
    assert decisions(("assistant", OPTIONS), ("user", "Go with option 1."), work=False) == []


def test_an_option_named_before_its_word_in_chinese():
    offered = (
        "方案 A：移动文件到文档目录下面\n\n方案 C：在 `astro.config.mjs` 中通过 alias 手动映射依赖的路径"
    )
    (draft,) = decisions(("assistant", offered), ("user", "帮我使用 C 的方案来实现"))
    assert "`astro.config.mjs` 中通过 alias" in draft.content


def test_an_option_stands_in_a_heading_and_not_in_code():
    offer = (
        '两套方案：\n\n```html\n<a href="roadmap/" class="card-link">\n```\n\n'
        "## 方案 A（推荐）：官网占根域，课程放到 `/roadmap/` 子路径\n\n## 方案 B：课程用子域名 learn"
    )
    (draft,) = decisions(("assistant", offer), ("user", "选A方案"))
    assert draft.content == "在 shop 中决定：官网占根域，课程放到 `/roadmap/` 子路径（选A方案）"


def test_a_row_of_a_table_is_no_proposal():
    table = "Plan:\n\n│ `db.py` │ the way is to read `orders.py` and to recommend rows │ small │"
    assert decisions(("assistant", table), ("user", "yes")) == []
    assert decisions(("assistant", table.replace("│", "")), ("user", "yes"))


@pytest.mark.parametrize(
    ("offer", "reply"),
    [
        ("a) keep the cache in `a.py` as it stands\nb) drop it from the tree", "option a please"),
        (
            "Option a: keep the cache in `a.py` as it stands\nOption b: drop it from the tree",
            "option a please",
        ),
        # options in a block of code
        ("```\nOption 1: drop it\nOption 2: keep the cache in `a.py` as it stands\n```", "option 2 please"),
        # "A" begins a sentence
        (
            "A quick look at `a.py` shows that the cache is stale.\n\n"
            "Option A: keep the cache in `a.py` as it stands\nOption B: drop it",
            "go with option A",
        ),
        (
            "A quick look at `b.py` shows that it is stale.\n\nA. keep the cache in `a.py` as it stands\nB. drop it",
            "go with option A",
        ),
        # "a" begins the name of a file
        ("a.py holds a cache of its own.\n\na) keep the cache in `a.py` as it stands", "option a please"),
        # another list before the options
        (
            "I read:\n1. the importer of rows\n2. the exporter of rows\n\n"
            "Option 1: drop the whole cache\nOption 2: keep the cache in `a.py` as it stands",
            "option 2",
        ),
        (
            "1. the importer of rows\n2. the exporter of rows\n\nNow:\n\n1. drop the whole cache\n"
            "2. keep the cache in `a.py` as it stands",
            "option 2",
        ),
        # a sentence about an option
        ("Option A is the smaller one.\n\nA - keep the cache in `a.py` as it stands\nB - drop it", "plan A"),
    ],
)
def test_an_option_is_told_by_its_own_words(offer, reply):
    (draft,) = decisions(("assistant", offer), ("user", reply))
    assert draft.content == f"Decided in shop: keep the cache in `a.py` as it stands ({reply})"


def test_an_option_that_is_not_offered_is_not_told():
    offer = "A quick look at `a.py` shows that the cache is stale.\n\n```\na) keep the cache in `a.py`\n```"
    assert decisions(("assistant", offer), ("user", "go with option A")) == []


@pytest.mark.parametrize(
    ("offer", "reply", "option"),
    [
        # an option may begin with a word that also begins a sentence about it
        (
            "方案1：更新缓存的键并重启服务\n方案2：比较两个文件的内容再合并",
            "用方案1",
            "更新缓存的键并重启服务",
        ),
        (
            "方案1：更新缓存的键并重启服务\n方案2：比较两个文件的内容再合并",
            "用方案2",
            "比较两个文件的内容再合并",
        ),
        ("方案1：最小改动，只修 `a.py` 的缓存", "用方案1", "最小改动，只修 `a.py` 的缓存"),
        ("Option A: Is a plain file, no server", "option A", "Is a plain file, no server"),
        # a sentence about an option, behind a comma
        (
            "Option A, which I like most, is small.\n\nA) keep the cache in a.py",
            "option A",
            "keep the cache in a.py",
        ),
        # the points of a list have points of their own
        (
            "1. Keep the cache in a.py:\n   1. lock it\n2. Drop the cache:\n   1. remove a.py\n"
            "   2. remove b.py as well",
            "option 2",
            "Drop the cache:",
        ),
        # options, then steps, and the other way round
        (
            "The options are:\n1. keep the cache in a.py\n2. drop the cache altogether\n\n"
            "Then the steps are:\n1. run the tests\n2. deploy the whole shop",
            "option 2",
            "drop the cache altogether",
        ),
        (
            "Choose one:\n1. keep the cache\n2. drop the cache altogether\n\nThe steps:\n1. test\n2. deploy the shop",
            "option 2",
            "drop the cache altogether",
        ),
        (
            "I did:\n1. run the tests\n2. read the whole shop\n\nChoose one:\n\n"
            "1. keep the cache\nas it stands\n2. drop the cache altogether",
            "option 2",
            "drop the cache altogether",
        ),
    ],
)
def test_the_words_of_an_option_are_those_behind_its_sign_in_its_own_list(offer, reply, option):
    (draft,) = decisions(("assistant", offer), ("user", reply))
    assert option.rstrip(":") in draft.content and draft.evidence[1].quote == option


@pytest.mark.parametrize(
    ("offer", "reply"),
    [
        # of two lists none is said to hold the options
        (
            "1. keep the cache in a.py\n2. drop the cache altogether\n\n"
            "Then the steps are:\n1. run the tests\n2. deploy the whole shop",
            "option 2",
        ),
        (
            "1. keep the cache in a.py\n2. drop the cache altogether\n\n"
            "The steps of option 2:\n1. run the tests\n2. deploy the whole shop",
            "option 2",
        ),
        # a point within a point
        ("1. Keep the cache:\n   1. lock it\n   2. read it\n   3. write it back\n2. Drop it", "option 3"),
        # sentences about options
        ("Option A, which I like most, is small.", "option A"),
        ("**Option A** is the smaller of the two.", "option A"),
        ("方案2更简单，但是不能回滚数据", "用方案2"),
    ],
)
def test_an_option_that_cannot_be_told_for_sure_is_not_told(offer, reply):
    assert decisions(("assistant", offer), ("user", reply)) == []
