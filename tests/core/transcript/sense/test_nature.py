"""What kind of thing a sentence says, in both languages."""

import json

import pytest

from ultron_core.transcript.sense import nature
from ultron_core.transcript.sense.nature import NATURES, load_natures
from ultron_core.transcript.sense.reader import load_sense

LIKELIEST = [
    ("lasting", "The upload fails because nginx limits the body to 1 MB: `client_max_body_size` is not set."),
    ("lasting", "上传失败的根本原因是 `nginx.conf` 里没有设置 `client_max_body_size`，默认只允许 1 MB。"),
    ("progress", "Now let me run the tests again and check whether the build passes."),
    ("progress", "依赖已经安装完成，我现在继续跑 API 测试和构建。"),
    ("built", "Added a dark mode toggle with smooth transitions and a responsive sidebar."),
    (
        "textbook",
        "In Python, a decorator is a function that takes another function and extends its behaviour.",
    ),
    ("textbook", "所谓闭包，就是能够读取其他函数内部变量的函数。"),
]


@pytest.mark.parametrize(("name", "sentence"), LIKELIEST)
def test_an_agents_sentence_is_what_it_says(name, sentence):
    told = load_sense().natures("answer", [("", sentence)])[0]
    assert NATURES["answer"][told.argmax()] == name


def test_a_wish_that_lasts_stands_above_an_order_of_the_moment():
    passages = [
        ("I added the tests.", "From now on every endpoint must have a test with a real database."),
        ("I added the tests.", "Ok now run it."),
        ("测试加好了。", "以后所有接口都必须用真实数据库测试。"),
        ("测试加好了。", "好的，现在运行一下。"),
    ]
    told = load_sense().natures("sentence", passages)[:, 0]
    assert told[0] > 0 > told[1] and told[2] > told[3] and told[3] < 0


def test_a_turn_as_a_whole_has_no_nature():
    assert load_sense().natures("turn", [("", "", "thanks")]).shape == (1, 0)


def test_coefficients_for_other_natures_are_refused(monkeypatch, tmp_path):
    made = {"width": 2, "questions": {"answer": {"lasting": {"shift": 0.0, "weights": [1.0, 2.0]}}}}
    tmp_path.joinpath("nature.json").write_text(json.dumps(made), "utf-8")
    monkeypatch.setattr(nature, "files", lambda package: tmp_path)
    with pytest.raises(ValueError, match="'answer'"):
        load_natures()
