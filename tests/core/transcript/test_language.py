"""Sentences are cut where a reader would, and nothing is lost."""

import pytest

from ultron_core.transcript.language import sentences


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Assertion with != failed. Both are equal!", ["Assertion with != failed.", "Both are equal!"]),
        ("See http://host/?a=1 now. Then stop.", ["See http://host/?a=1 now.", "Then stop."]),
        ("Why?! Because", ["Why?!", "Because"]),
        ("端口改为5433。不要用5432！好", ["端口改为5433。", "不要用5432！", "好"]),
        ("Use it, e.g. here. Dr. No knows.", ["Use it, e.g. here.", "Dr. No knows."]),
        ("one\ntwo", ["one", "two"]),
    ],
)
def test_sentences(text, cut):
    assert sentences(text) == cut


def test_no_word_is_lost():
    text = 'a != b ?x !y (z!) "w?" v!=w 。！ u.t? s'
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_a_mark_inside_of_code_ends_no_sentence():
    told = "Run `git add . && git commit` first. Then `echo done`."
    assert sentences(told) == ["Run `git add . && git commit` first.", "Then `echo done`."]
    assert sentences("没有 `<Style ... />` 使用，所以列表为空。再看下一项。") == [
        "没有 `<Style ... />` 使用，所以列表为空。",
        "再看下一项。",
    ]
    assert sentences("Run ``git add . && git commit``. 先运行`make a. b`再看。Done.") == [
        "Run ``git add . && git commit``.",
        "先运行`make a. b`再看。",
        "Done.",
    ]
    # a mark that the line does not close is a slip, and so is one within a word
    assert sentences("The user`s token is stale. Log out. Use `curl` again.") == [
        "The user`s token is stale.",
        "Log out.",
        "Use `curl` again.",
    ]
    assert sentences("It isn`t there. It was\nnever `there`.") == [
        "It isn`t there.",
        "It was",
        "never `there`.",
    ]
