"""What people say, and what only sounds like it."""

import pytest

from ultron_core.transcript import speech


@pytest.mark.parametrize(
    "text",
    [
        "no, we want to put it in the container",
        "Use uv instead of pip.",
        "you forgot to export it",
        "不对，应该按日期排序",
        "这里不是缓存的问题，是路由的问题",
    ],
)
def test_a_correction_says_what_is_right(text):
    assert speech.is_correction(text)


@pytest.mark.parametrize(
    "text",
    [
        "No, it wasn't made in the last 24 hours, and I don't have travel insurance.",
        "Don't do anything with them.",
        "Should we use uv instead of pip?",
        "还是不对",
    ],
)
def test_facts_orders_and_questions_are_no_correction(text):
    assert not speech.is_correction(text)


@pytest.mark.parametrize(
    "text", ["No, use the date.", "it still doesn't work", "revert it", "还是不行", "Wrong!"]
)
def test_an_objection(text):
    assert speech.is_objection(text)


@pytest.mark.parametrize(
    "text",
    [
        "No problem!",
        "Wrong Derivative kind attribute",
        "how do I undo that, what is the opposite of it?",
        "大概率不是这个的问题",
    ],
)
def test_no_objection(text):
    assert not speech.is_objection(text)


@pytest.mark.parametrize("text", [
    "wow, it works", "jesus, everything works", "lgtm", "可以了", "It's working now, thank you!",
    "THE LOGIN PAGE NOW WORKS",
    "好了，谢谢", "现在能打开了",
])  # fmt: skip
def test_acceptance(text):
    assert speech.ACCEPTANCE.search(text)


@pytest.mark.parametrize("text", [
    "how the cache now works", "the cache now works only on linux", "it's not working", "好了吗",
    "还没解决了一半", "不能打开了",
])  # fmt: skip
def test_what_only_sounds_like_acceptance(text):
    assert not speech.ACCEPTANCE.search(text)


@pytest.mark.parametrize("text", [
    "DO NOT CHANGE THE LOCK FILE AGAIN", "Never push to that branch again.", "别再动这个配置文件",
])  # fmt: skip
def test_what_must_not_be_done_again_is_a_wish(text):
    assert speech.is_wish(text)


@pytest.mark.parametrize("text", ["how it works", "can we get a grey that works on dark and light"])
def test_no_acceptance(text):
    assert not speech.ACCEPTANCE.search(text)


@pytest.mark.parametrize("text", ["I would only want e2e tests.", "Always use uv here.", "以后都用中文回答"])
def test_a_wish_holds_beyond_the_task(text):
    assert speech.is_wish(text)


@pytest.mark.parametrize("text", ["I prefer flights that depart after 8am.", "It never worked.", "以后再说"])
def test_a_choice_for_now_is_no_wish(text):
    assert not speech.is_wish(text)


@pytest.mark.parametrize(
    "text", ["Hi there!", "ok, thanks a lot", "好的，谢谢", "###STOP###", "how are you today"]
)
def test_only_courtesy(text):
    assert speech.is_only_courtesy(text)


@pytest.mark.parametrize("text", ["ok, now sort the list", "谢谢，再帮我写一段代码"])
def test_courtesy_before_a_request_is_more_than_courtesy(text):
    assert not speech.is_only_courtesy(text)
