"""A person takes a result: the work is said to be right, or ordered to be committed, and nothing is left."""

import pytest

from ultron_core.transcript.acceptance import accepts, closes, says_right, takes


@pytest.mark.parametrize(
    "text",
    [
        "wow, it works",
        "perfect, works now. ok let's write a commit",
        "This fixes the problem.",
        "不用再测了，我这边测试成功了",
        "目前正常工作了，谢谢",
    ],
)
def test_it_is_right_and_nothing_is_left(text):
    assert accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        "it works, but the ball is too fast",
        "can you verify if everything works?",
        "你只要打开它就可以了",
        "可以了，但是导出还不行",
        "How is this working?",
        "thanks",
        "yes, do it",
        "The login works now. Add a logout button next to it.",
    ],
)
def test_it_is_not_accepted_for_good(text):
    assert not accepts(text)


def test_saying_that_it_is_right_may_come_with_a_new_wish():
    assert says_right("The login works now. Add a logout button next to it.")
    assert not says_right("It works, but only on my machine.")


@pytest.mark.parametrize(
    "text",
    [
        "Thanks! Please create a commit message for these changes",
        "great so now commit and push",
        "帮我提交一下",
    ],
)
def test_finished_work_is_put_away(text):
    assert takes(text)


@pytest.mark.parametrize(
    "text",
    [
        "commit it, then start on the parser",
        "don't push yet",
        "why did the commit fail?",
        "提交按钮不见了",
        "push it?",
    ],
)
def test_a_commit_on_the_way_or_another_kind_is_none(text):
    assert not takes(text)


def test_courtesies_and_questions_about_the_commit_close():
    assert all(map(closes, ("thanks a lot!", "yes", "did you push?", "都提交了吗")))
    assert not closes("yes, but also rename the file")
