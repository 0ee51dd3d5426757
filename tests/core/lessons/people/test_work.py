"""Whether a talk is about work: by calls and code, else by its words."""

import json
from importlib.resources import files

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.people.work import OUTPUTS, WorkModel, is_work, load_work_model, spoken, words
from ultron_core.transcript.actions import read_actions


def work(*turns):
    messages = talk(("user", "Go."), *turns)
    return is_work(messages, read_actions(messages))


def test_work_is_commands_files_or_code():
    assert work((bash("ls"), "a.py"))
    assert not work(("assistant", "The account `anna_smith_1905` has two gift cards."))
    assert work(("assistant", "I renamed `getRootProps()` in the example."))
    assert not work((("get_user", {"user_id": "a1"}), "{}"), ("assistant", "The total is 329 dollars."))


@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [
        (
            "The index of the project should run fully local, I do not want our code in somebody's cloud.",
            "Then keep the vector database on disk and let the server embed the files of the repository itself.",
            True,
        ),
        (
            "登录改用考核码，后端接口和数据库表也要跟着调整，前端页面先不要动。",
            "好的，我先修改后端的登录接口和数据库表结构，前端页面保持不变。",
            True,
        ),
        (
            "I need a table for four at an Italian restaurant in San Jose tomorrow at 7 pm.",
            "Your reservation at Bella Vita is confirmed. Is there anything else I can help you with?",
            False,
        ),
        ("请帮我找一家评分高的酒店，最好附近有地铁。", "推荐北京饭店，评分是4.7分，地址在东长安街。", False),
    ],
)
def test_without_calls_and_code_the_words_tell(asked, answer, expected):
    messages = talk(("user", asked), ("assistant", answer))
    assert is_work(messages, ()) is expected


def test_code_and_paths_are_no_words():
    assert words("Fix `getUser` in src/app.py, see https://a.b/c:\n```\nfor x in y\n```\nthe login") == {
        "fix",
        "see",
        "the",
        "login",
    }
    assert words("数据库表") == {"数据", "据库", "库表"}


def test_what_people_and_the_agent_say_is_read_and_no_output():
    messages = talk(("user", "Look at it."), (bash("ls"), "total 4"), ("assistant", "Two files."))
    assert spoken(messages) == "Look at it.\nTwo files."


def test_a_file_of_other_answers_is_refused():
    raw = json.loads(files("ultron_core.lessons.people").joinpath("work.json").read_text("utf-8"))
    assert raw["outputs"] == list(OUTPUTS) and 0.5 <= load_work_model().bound < 1.0
    with pytest.raises(ValueError, match=r"benchmarks/training/work\.py"):
        WorkModel.from_json({**raw, "outputs": ["play"]})


SORTED = "```python\ndef sort_list(numbers):\n    return sorted(numbers, reverse=True)\n```"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            "Can you explain how the distance of a rocket changes, given that it has an initial velocity of 120 m/s?",
            f"Certainly! Here's an example that will calculate the distance.\n{SORTED}\nI hope this helps you learn.",
        ),
        (
            "请计算一个数字列表的平均值，并解释一下排列和组合的区别。",
            f"当然可以！以下是一个例子：\n{SORTED}\n排列是将物体以特定的顺序排列，希望对你有帮助。",
        ),
    ],
)
def test_code_for_an_exercise_is_no_work(asked, answer):
    messages = talk(("user", asked), ("assistant", answer))
    assert not is_work(messages, ())
    # of a project, or when somebody names a file
    assert is_work(messages, (), "shop")
    assert is_work(talk(("user", f"{asked} (list.py)"), ("assistant", answer)), ())
