"""Complaints: what a person reported to fail, with the cure they let stand, or left open at the end."""

from tests.core.lessons.builders import talk
from ultron_core.lessons.people.objections.complaints import find_complaint
from ultron_core.lessons.people.turns import read_turns

DONE = ("assistant", "Added the lit example of the switch and registered it.")
REPORT = ("user", "我发现 lit 的 example 中第一次点击只能 focus 不能改变状态这是错误的")
CURE = ("assistant", "隐藏的输入框仍然连着 label，因为 props 里还有 `for` 属性，已移除。")


def complaint(*turns):
    messages = talk(("user", "帮我写 switch 的 lit 例子"), DONE, *turns)
    read = read_turns(messages)
    return find_complaint(messages, read, len(read) - 1)


def test_the_cure_is_what_the_answer_says_of_the_cause():
    found = complaint(REPORT, CURE)
    assert found.told == REPORT[1] and "还有 `for` 属性" in found.cure


def test_an_open_complaint_is_told_in_the_words_that_first_named_the_fault():
    found = complaint(REPORT, CURE, ("user", "还是不对,依然第一次还是这样,请你好好想想"))
    assert found.told == REPORT[1] and found.cure == ""


def test_a_report_may_be_put_as_a_question():
    found = complaint(
        ("user", "为什么 lit 的按钮会出现 disabled 导致我们无法切换,这是为什么"), ("assistant", "我看一下。")
    )
    assert "disabled" in found.told and found.cure == ""


def test_a_complaint_that_names_nothing_is_not_kept_open():
    assert (
        complaint(("user", "No, that is still completely broken for me."), ("assistant", "Looking.")) is None
    )
