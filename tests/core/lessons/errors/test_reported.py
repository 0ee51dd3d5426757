"""An error that a person reports, and the answer that explains it."""

from tests.core.lessons.builders import talk
from ultron_core.lessons.errors import reported
from ultron_core.transcript.actions import read_actions


def find_reported(messages):
    return reported.find_reported(messages, read_actions(messages))


ASKED = (
    "user",
    'It crashes:\nTraceback (most recent call last):\n  File "app.py", line 3\n'
    "ModuleNotFoundError: No module named 'yaml'",
)
ANSWER = (
    "assistant",
    "The module `yaml` is missing because the package is called pyyaml; install it with pip install pyyaml.",
)


def test_the_cause_that_the_model_names_is_the_cure():
    (draft,) = find_reported(talk(ASKED, ANSWER, ("user", "thanks, that works")))
    assert draft.content == "The user reported an error: ModuleNotFoundError: No module named 'yaml'"
    assert "pip install pyyaml" in draft.resolution
    assert [e.start_line for e in draft.evidence] == [1, 2]


def test_an_answer_that_did_not_help_is_not_a_cure():
    assert find_reported(talk(ASKED, ANSWER, ("user", "still the same error"))) == []


def test_an_answer_about_something_else_is_no_cure():
    assert (
        find_reported(talk(ASKED, ("assistant", "You should use a linter to check the style of the code.")))
        == []
    )


def test_chinese():
    asked = (
        "user",
        "运行时报错了：\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'",
    )
    answer = ("assistant", "因为缺少 yaml 模块，需要安装 pyyaml：执行 pip install pyyaml 即可解决这个报错。")
    (draft,) = find_reported(talk(asked, answer, ("user", "好了，谢谢")))
    assert draft.content.startswith("用户报告了一个错误：ModuleNotFoundError")
    assert "pyyaml" in draft.resolution
