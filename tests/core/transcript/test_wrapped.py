"""Lines that only the width of a window broke."""

import pytest

from ultron_core.transcript.wrapped import BREAK, unwrapped


@pytest.mark.parametrize(
    "text",
    [
        "Submitting the form should create a donation record in a pending state and update the\nprogress of it.",
        "请在这个项目里安装必要的套件并把它们写进依赖列表以及说明文档里，包括下面这几个，\n然后再运行一次测试",
    ],
)
def test_a_line_that_ends_within_a_sentence_goes_on(text):
    assert unwrapped(text) == text.replace("\n", BREAK)


@pytest.mark.parametrize(
    "text",
    [
        "add a button to the page\nmake it green",  # two short remarks
        "The link still shows the old version of the workshop on the page of the team.\nit shows the right one here",
        "Please look at the following places, where the names of the columns are wrong, and\n- fix the first of them",
        "one\n\ntwo",
    ],
)
def test_lines_of_their_own_stay(text):
    assert unwrapped(text) == text


def test_it_stays_as_long_as_it_was():
    text = (
        "It should be written to the folder that the setting names, and not to the\nhome of the user.\nDone."
    )
    assert len(unwrapped(text)) == len(text)
    assert unwrapped(text).count(BREAK) == 1


def test_breaks_of_other_systems_and_a_message_that_holds_the_mark():
    text = "It should be written to the folder that the setting names, and not to the \nhome of the user."
    assert BREAK in unwrapped(text)
    held = f"Keep the log in the folder{BREAK}and never write it to the\nhome."
    assert unwrapped(held) == held
