"""Terminals that people paste, as commands with what they printed."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.transcript.terminals import SHELL_PROMPT, pasted_actions


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("(venv) root@web1:/srv/app# pip install left", "pip install left"),
        ("怎么解决？(lab) root@web1:/srv/实验/Op\nenLab# pip install left", "pip install left"),
        ("me@mac shop % make check", "make check"),
        ("(base) PS C:\\Users\\me> docker pull a/b", "docker pull a/b"),
        ("C:\\shop\\web>mvn install", "mvn install"),
        ("➜  shop git:(main) ✗ npm test", "npm test"),
        ("$ npm run dev", "npm run dev"),
        (">> docker run a/b", "docker run a/b"),
    ],
)
def test_prompts(line, command):
    assert SHELL_PROMPT.search(line)["command"] == command


@pytest.mark.parametrize(
    "line",
    ["Write to me@example.org: it is urgent", "> quoted words of another", "a > b and b > c", "# A heading"],
)
def test_what_is_no_prompt(line):
    assert SHELL_PROMPT.search(line) is None


def test_each_command_has_what_it_printed():
    pasted = (
        "what now?\nme@web1:~/shop$ fly deploy\nError: no access to the registry\n"
        "me@web1:~/shop$ fly login\nLogged in"
    )
    first, second = pasted_actions(talk(("user", pasted), ("assistant", "me@web1:~$ fly deploy")))
    assert (first.text, first.outcome, first.failure.line) == (
        "fly deploy",
        "error",
        "Error: no access to the registry",
    )
    assert (second.text, second.output, second.outcome) == ("fly login", "Logged in", "ok")


def test_a_question_is_no_terminal():
    assert pasted_actions(talk(("user", "How do I run $ npm test?\nThanks"))) == []
