"""Bugs that people report, with what was changed and the check that passed."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.repairs import find_repairs
from ultron_core.lessons.people.turns import read_turns
from ultron_core.transcript.actions import read_actions

REPORT = ("user", "The `watch` command silently fails when the history folder goes away.")
EDIT = (
    ("Edit", {"file_path": "/repo/shop/store/paths.go", "old_string": "a", "new_string": "b"}),
    "The file has been updated.",
)
CAUSE = ("assistant", "The problem is that `ensureFolder` runs at the start only.")
PASSED = (bash("go test ./..."), "ok  example/shop/store  0.2s")


def repairs(*turns):
    messages = talk(*turns)
    return find_repairs(messages, read_actions(messages), read_turns(messages), "shop")


def test_report_cause_change_and_proof():
    (draft,) = repairs(REPORT, CAUSE, EDIT, PASSED)
    assert draft.content == (
        "A bug in shop: The `watch` command silently fails when the history folder goes away."
    )
    assert draft.resolution == (
        "The problem is that `ensureFolder` runs at the start only. "
        "Changed `store/paths.go`; afterwards `go test ./...` passed."
    )
    assert [item.start_line for item in draft.evidence] == [1, 2, 3, 6]


def test_the_closing_answer_may_tell_the_cure():
    closing = ("assistant", "Done. `ensureFolder` now runs before each write of `watch`.")
    (draft,) = repairs(REPORT, EDIT, PASSED, closing)
    assert draft.resolution.startswith("`ensureFolder` now runs before each write of `watch`. Changed")


def test_without_a_passed_check_nothing_is_claimed():
    assert repairs(REPORT, CAUSE, EDIT) == []
    assert repairs(REPORT, CAUSE, EDIT, (bash("go test ./..."), "FAIL\texample/shop/store\t0.2s")) == []
    assert repairs(REPORT, CAUSE, PASSED, EDIT) == []


def test_a_person_who_objects_takes_it_back():
    again = ("user", "No, that's wrong, it still fails in the same way.")
    assert repairs(REPORT, CAUSE, EDIT, PASSED, again) == []


def test_a_request_is_not_a_report():
    request = ("user", "Add a test that fails when the history folder of `watch` is missing.")
    assert repairs(request, CAUSE, EDIT, PASSED) == []
