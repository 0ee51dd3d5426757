"""What an agent told of a cause or a change, and the next run of the same check fails as before."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.refuted import refuted_by_checks
from ultron_core.models import Message, as_messages
from ultron_core.transcript.actions import read_actions

CAUSE = "The total was wrong because `Cart.add` keeps the old price."
ZH_CAUSE = "合计不对，是因为 `Cart.add` 保留了旧价格。"
FAILED = "FAILED tests/test_cart.py::test_total - assert 4 == 5"
PASSED = "1 passed in 0.02s"
EDIT = ("Edit", {"file_path": "cart.py", "old_string": "price = old", "new_string": "price = new"})


def refuted(messages):
    """The messages whose account is disproved."""
    found = refuted_by_checks(messages, read_actions(messages))
    return {messages[position].content for position in found} - {""}


def checked(said, then, change=EDIT):
    """The same test before and after what the agent says and changes."""
    steps = [(change, "The file has been updated.")] if change else []
    return talk((bash("pytest tests"), FAILED), ("assistant", said), *steps, (bash("pytest tests"), then))


@pytest.mark.parametrize("said", [CAUSE, ZH_CAUSE])
def test_the_same_test_fails_again_after_the_change(said):
    assert said in refuted(checked(said, FAILED))


def test_a_test_that_passes_or_fails_in_another_way_disproves_nothing():
    assert refuted(checked(CAUSE, PASSED)) == set()
    assert refuted(checked(CAUSE, "FAILED tests/test_cart.py::test_empty - KeyError: 'price'")) == set()


@pytest.mark.parametrize(
    "other",
    [
        "FAILED tests/test_ship.py::test_rate - KeyError: 'zone'",
        "FAILED tests/test_cart.py::test_total - assert 7 == 8",
    ],
)
def test_where_one_of_two_failures_is_gone_nothing_is_disproved(other):
    both = f"{other}\n{FAILED}"
    told = talk((bash("pytest tests"), both), ("assistant", CAUSE), (EDIT, "The file has been updated."))
    cured = [*told, *talk((bash("pytest tests"), both.splitlines()[0]))]
    assert CAUSE not in refuted(as_messages(cured))
    assert CAUSE in refuted(as_messages([*told, *talk((bash("pytest tests"), both))]))


def test_what_is_told_on_another_request_is_not_disproved():
    messages = talk(
        (bash("pytest tests"), FAILED),
        ("user", "Leave that test, it is known to be flaky. Why does the upload fail?"),
        ("assistant", CAUSE),
        (EDIT, "The file has been updated."),
        (bash("pytest tests"), FAILED),
    )
    assert refuted(messages) == set()


def test_a_check_that_runs_again_without_a_change_disproves_nothing():
    assert refuted(checked(CAUSE, FAILED, change=None)) == set()


def test_only_the_next_run_counts():
    messages = talk(
        (bash("pytest tests"), FAILED),
        ("assistant", CAUSE),
        (EDIT, "The file has been updated."),
        (bash("pytest tests"), PASSED),
        (EDIT, "The file has been updated."),
        (bash("pytest tests"), FAILED),
    )
    assert CAUSE not in refuted(messages)


def test_a_person_pastes_the_same_failure_again():
    pasted = "me@mac shop % pytest tests\n" + FAILED
    messages = talk(
        ("user", pasted), ("assistant", CAUSE), (EDIT, "The file has been updated."), ("user", pasted)
    )
    assert CAUSE in refuted(messages)


def patched(result):
    """A message with a patch, and what the harness prints after it."""
    patch = "cart.py\n```python\n<<<<<<< SEARCH\nprice = old\n=======\nprice = nwe\n>>>>>>> REPLACE\n```\n"
    said = Message("assistant", f"{patch}\n{CAUSE}", origin="model")
    return as_messages([said, Message("tool", result, origin="tool", name="harness")])


def test_a_patch_that_its_harness_finds_wrong():
    linted = (
        "Applied edit to cart.py\n\n## Running: flake8 cart.py\n\ncart.py:8:14: F821 undefined name 'nwe'\n"
    )
    assert any(CAUSE in said for said in refuted(patched(linted)))
    assert refuted(patched("Applied edit to cart.py\n")) == set()


def test_a_patch_that_did_not_go_in_says_nothing_of_its_cause():
    assert refuted(patched("# 1 SEARCH/REPLACE block failed to match!\n")) == set()
    assert refuted(patched("The LLM did not conform to the edit format.\n")) == set()
    assert refuted(patched("FileNotFoundError: cart.py\n")) == set()
