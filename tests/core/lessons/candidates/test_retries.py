"""Calls that failed and then worked: which of two calls is the same, and what shows that it worked."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.candidates.retries import find_retries
from ultron_core.transcript.actions import read_actions
from ultron_core.transcript.commands import command_of

FAILED = "error: cannot open file\nexit code 1"


def retried(*turns):
    messages = talk(("user", "Please make it work."), *turns)
    return list(find_retries(messages, read_actions(messages)))


@pytest.mark.parametrize(
    ("failed", "worked"),
    [
        ("make deploy", "make deploy"),
        ("python app.py --port 1", "python3 app.py --port 1"),  # the program
        ("git push origin main", "git push origin main --no-verify"),  # an option
        ("nl -ba app/(tabs)/a.tsx", "nl -ba 'app/(tabs)/a.tsx'"),  # spelled right
    ],
)
def test_the_same_call(failed, worked):
    (one,) = retried((bash(failed), FAILED), (bash("make clean"), "ok"), (bash(worked), "done"))
    assert (one.times, [command_of(action) for action in one.between]) == (1, ["make clean"])


@pytest.mark.parametrize(
    ("failed", "worked"),
    [
        ("npm run build", "npm run lint"),
        ("git push origin main", "git status"),
        ("make web", "make api worker"),
    ],
)
def test_another_call_is_no_cure(failed, worked):
    assert retried((bash(failed), FAILED), (bash(worked), "done")) == []


def test_a_check_of_other_things_is_no_cure():
    failed = (bash("pytest tests/test_a.py"), "1 failed in 0.1s")
    assert retried(failed, (bash("pytest tests/test_b.py"), "1 passed in 0.1s")) == []


@pytest.mark.parametrize("worked", ["make deploy || true", "make deploy | grep -c ok"])
def test_a_hidden_exit_code_proves_nothing(worked):
    assert retried((bash("make deploy"), FAILED), (bash(worked), "0")) == []


def test_what_a_person_may_have_done_in_between_is_not_known():
    turns = ((bash("make deploy"), FAILED), ("user", "I raised the quota."), (bash("make deploy"), "done"))
    assert retried(*turns) == []
