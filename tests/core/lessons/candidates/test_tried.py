"""Failures after which the same call worked once one thing had been changed."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.candidates.retries import find_retries
from ultron_core.lessons.candidates.tried import find_tried
from ultron_core.transcript.actions import read_actions

MISSING = "ModuleNotFoundError: No module named 'yaml'\nexit code 1"


def tried(*turns):
    messages = talk(("user", "Please make it work."), *turns)
    return list(find_tried(messages, list(find_retries(messages, read_actions(messages)))))


def edit(old, new):
    return ("Edit", {"file_path": "/srv/app/main.py", "old_string": old, "new_string": new})


def test_a_command_that_ran_between_is_the_change():
    (one,) = tried(
        (bash("pytest tests"), MISSING),
        ("assistant", "The parser needs a package that is not installed."),
        (bash("pip install pyyaml"), "Successfully installed pyyaml-6.0"),
        (bash("pytest tests"), "2 passed in 0.1s"),
    )
    assert (one.source, one.author) == ("cure", "tool")
    assert one.text == "ModuleNotFoundError: No module named 'yaml'"
    assert one.answers == "pytest tests"
    assert one.changes == ("`pip install pyyaml`",)
    assert one.said == "The parser needs a package that is not installed."
    assert one.proof == (2, 4, 7)


def test_an_edit_is_shown_by_what_it_took_out_and_put_in():
    (one,) = tried(
        (bash("pytest tests"), "E   NameError: name 'json' is not defined\nexit code 1"),
        (edit("import os", "import json"), "ok"),
        (bash("pytest tests"), "1 passed"),
    )
    assert one.files == ("/srv/app/main.py",)
    assert one.changes == ("`app/main.py` (`import os` → `import json`)",)


def test_a_changed_command_is_itself_the_change():
    (one,) = tried(
        (bash("npm install left-pad"), "npm error code ERESOLVE\nnpm error could not resolve left-pad"),
        (bash("npm install left-pad --legacy-peer-deps"), "added 1 package"),
    )
    assert one.source == "cure"
    assert one.changes == ("`npm install left-pad --legacy-peer-deps`",)


def test_a_look_between_two_tries_changes_nothing():
    (one,) = tried(
        (bash("pytest tests"), MISSING),
        (bash("git status"), "clean"),
        (bash("pip install pyyaml"), "Successfully installed pyyaml-6.0"),
        (bash("pytest tests"), "2 passed in 0.1s"),
    )
    assert one.changes == ("`pip install pyyaml`",)


def test_a_failure_that_came_three_times_is_one_failure():
    failed = (bash("make deploy"), "error: quota exceeded for project web\nexit code 2")
    (one,) = tried(failed, failed, failed, (bash("make quota"), "raised"), (bash("make deploy"), "deployed"))
    assert (one.times, one.changes) == (3, ("`make quota`",))


@pytest.mark.parametrize(
    "turns",
    [
        # it went away by itself
        ((bash("pytest tests"), MISSING), (bash("pytest tests"), "2 passed in 0.1s")),
        # it never worked
        ((bash("make deploy"), "error: quota exceeded for project web\nexit code 2"),),
        # a command with other words is another try
        (
            (bash("npm install left-pad"), "npm error could not resolve left-pad"),
            (bash("npm install left-pad lodash --prefix web"), "added 2 packages"),
        ),
        # two changes, either of which may have helped
        (
            (bash("pytest tests"), MISSING),
            *((bash(f"pip install part-{n}"), "Successfully installed") for n in range(2)),
            (bash("pytest tests"), "2 passed in 0.1s"),
        ),
        # says no more than that it failed
        ((bash("make"), "error: exit status 2"),),
        # an edit that did not fit its file
        ((edit("x=1", "x = 2"), "<tool_use_error>String to replace not found in file.</tool_use_error>"),),
    ],
)
def test_what_teaches_nothing(turns):
    assert tried(*turns) == []
