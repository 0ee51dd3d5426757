"""What the agent found out from what a tool had just shown."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.findings import find_findings
from ultron_core.transcript.actions import read_actions

MODULES = "modernc.org/sqlite v1.46.1 // Pure Go SQLite database driver"


def found(said, output=MODULES, project="shop"):
    messages = talk(
        ("user", "Which driver is it?"), (bash("grep sqlite go.mod"), output), ("assistant", said)
    )
    return [draft.content for draft in find_findings(messages, read_actions(messages), project)]


def test_a_statement_about_what_was_shown():
    said = "The project uses `modernc.org/sqlite` (pure Go, FTS5 built in). Let me redo it with that driver."
    assert found(said) == ["In shop: The project uses `modernc.org/sqlite` (pure Go, FTS5 built in)."]


def test_the_sound_before_it_is_left_out():
    said = "There it is \u2014 `modernc.org/sqlite` ships with the full text index by default."
    assert found(said) == ["In shop: `modernc.org/sqlite` ships with the full text index by default."]


@pytest.mark.parametrize(
    "said",
    [
        "I should use `modernc.org/sqlite` here because the others need a compiler.",  # a plan
        "The project uses `mattn/go-sqlite3` with a build tag for the index.",  # was not shown
        "The project probably uses `modernc.org/sqlite` and not the other driver.",  # a guess
        "Now `modernc.org/sqlite` is imported by the store and the tests use it.",  # the agent's own work
        "- `modernc.org/sqlite` is used instead of the driver that needs a compiler.",  # an item of a plan
    ],
)
def test_plans_guesses_and_own_work_are_no_findings(said):
    assert found(said) == []


def test_what_a_failure_came_from_is_not_told_here():
    assert (
        found("The project uses `modernc.org/sqlite` for it.", "error: modernc.org/sqlite not in cache") == []
    )


def test_without_a_project_there_is_nobody_to_tell():
    assert found("The project uses `modernc.org/sqlite` (pure Go, FTS5 built in).", project="") == []
