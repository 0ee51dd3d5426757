import pytest

from tests.core.labels.talks import calls, result, says, user
from ultron_core.labels import TASK_TYPES, label_segment


@pytest.mark.parametrize(
    ("request_text", "kind"),
    [
        ("Write a Python function that reverses a string", "code"),
        ("My script crashes with a KeyError traceback, the function fails. Fix it", "debug"),
        ("Who painted the Mona Lisa?", "qa"),
        ("I want a refund for my order, please cancel my subscription", "support"),
        ("Write an essay about spring and proofread it", "writing"),
        ("Deploy the docker image to the kubernetes cluster", "ops"),
        ("Calculate the average and the median of this csv", "data"),
        ("写一个Python函数，实现快速排序算法", "code"),
        ("帮我翻译这篇文章并润色", "writing"),
        ("我要退款，请取消订单", "support"),
        ("法国的首都是哪里？", "qa"),
        ("嗯", "other"),
    ],
)
def test_the_request_decides(request_text, kind):
    assert label_segment([user(request_text), says("Done.")]).summary.task_type == kind
    assert kind in TASK_TYPES


def test_the_tools_decide_when_the_request_says_little():
    talk = [
        user("Creature Comforts?"),
        calls("search", "c1", q="x"),
        result("c1", "A film."),
        says("A film."),
    ]
    assert label_segment(talk).summary.task_type == "search"


def test_the_topic_counts_like_the_request():
    talk = [user("Go on with the next one"), says("Done.")]
    assert label_segment(talk, topic="Deploy nginx on the server").summary.task_type == "ops"
