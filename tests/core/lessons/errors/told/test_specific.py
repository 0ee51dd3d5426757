"""Accounts that say something, told whole."""

import pytest

from ultron_core.lessons.errors.told.specific import is_specific, verbatim, whole

ABOUT = "TypeError: Cannot read properties of undefined (reading 'total')"


@pytest.mark.parametrize(
    "sentence",
    [
        "The `cart` module is loaded before the `prices` are fetched.",
        "`sumCart` expects a list, but the endpoint returns an object without `items`.",
        "购物车在价格加载完成之前就调用了 `sumCart`，导致对象为空。",
        "requests 2.31 与 urllib3 3.0 不兼容，需要降级其中一个。",
    ],
)
def test_what_names_a_thing_or_a_mechanism(sentence):
    assert is_specific(sentence, ABOUT)


@pytest.mark.parametrize(
    "sentence",
    [
        "The error has been fixed in both places now.",
        "The same issue is occurring with other widgets that use `drawCart`.",
        "I have fixed the error.",
        "The undefined properties cannot be read: `total` is undefined.",
        "问题已经完全解决了。",
    ],
)
def test_what_says_nothing(sentence):
    assert not is_specific(sentence, ABOUT)


def test_a_cause_keeps_its_consequence():
    told = [
        "The cache is keyed by name.",
        "As a result, two users share one entry.",
        "I added the id to the key.",
    ]
    assert whole(told, 0, " ".join(told)) == f"{told[0]} {told[1]}"
    assert whole(told, 1, " ".join(told)) == f"{told[0]} {told[1]}"
    assert whole(told, 0, "\n".join(told)) == told[0]
    chinese = ["点击处理手动切换属性。", "但组件自己也会切换，导致两次抵消。"]
    assert whole(chinese, 0, "".join(chinese)) == "".join(chinese)


def test_the_words_that_stand_in_a_text():
    content = "The queue is emptied before the worker that reads it has been\n  started."
    assert verbatim("The queue is emptied", content) == "The queue is emptied"
    assert verbatim("`a.py`: The queue is emptied", content) == "The queue is emptied"
    assert verbatim("The queue is emptied before the worker that reads it has been started.", content) == (
        "The queue is emptied before the worker that reads it has been"
    )
    assert verbatim("Nothing of this stands there at all", content) == ""
