"""Failures and what became of them."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.episodes.find import find_episodes
from ultron_core.transcript.actions import read_actions
from ultron_core.transcript.commands import command_of

FAILED = (bash("pytest tests"), "ModuleNotFoundError: No module named 'yaml'\nexit code 1")
INSTALLED = (bash("pip install pyyaml"), "Successfully installed pyyaml-6.0")
PASSED = (bash("pytest tests"), "2 passed in 0.1s")


def episodes(*turns):
    messages = talk(("user", "Please make it work."), *turns)
    return find_episodes(messages, read_actions(messages))


def test_a_failure_with_its_tries_and_what_ran_before_it_worked():
    (one,) = episodes(FAILED, FAILED, INSTALLED, PASSED)
    assert len(one.again) == 1
    assert one.worked.output == PASSED[1]
    assert command_of(one.between[-1]) == "pip install pyyaml"


def test_a_failure_that_nothing_solved():
    (one,) = episodes(FAILED, INSTALLED)
    assert one.worked is None


def test_another_failure_of_the_same_check_shows_that_the_first_is_gone():
    other = (bash("pytest tests"), "E   NameError: name 'json' is not defined\nexit code 1")
    first, second = episodes(FAILED, INSTALLED, other, PASSED)
    assert first.gone.output == other[1]
    assert [command_of(action) for action in first.between] == ["pip install pyyaml"]
    assert second.worked.output == PASSED[1]


def test_the_same_task_handed_in_again_ends_what_came_before():
    task = "Please repair the tests of the parser, which fail since the last release. " * 4
    messages = talk(("user", task), FAILED, ("user", task), PASSED)
    (one,) = find_episodes(messages, read_actions(messages))
    assert one.worked is None
