"""The cause of a failure in the agent's words, and to which change a cure belongs."""

import pytest

from tests.core.lessons.builders import bash, talk
from tests.core.memories.test_extract import kept
from ultron_core.lessons.errors.diagnoses import diagnose
from ultron_core.lessons.errors.episodes import find_episodes
from ultron_core.transcript.actions import read_actions

LINE = "** (RuntimeError) no :secret_key_base configuration found in Shop.Endpoint."


def edit(file):
    arguments = {"file_path": f"/repo/shop/{file}", "old_string": "a\nb", "new_string": "c\nd\ne"}
    return (("Edit", arguments), "The file has been updated.")


def cause(*said):
    messages = talk(
        ("user", "Test it."), (bash("mix test"), f"Exit code 2\n{LINE}"), *(("assistant", s) for s in said)
    )
    found = diagnose(messages, 2, len(messages), LINE, len(messages))
    return found.text if found else None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "The test config is missing the `Endpoint` section. I need to add it there.",
            "The test config is missing the `Endpoint` section.",
        ),
        (
            "The linter fails because `engine` is not used yet. Let me look at it.",
            "The linter fails because `engine` is not used yet.",
        ),
        ("Let me check the `test.exs` config, because it fails.", None),
        ("Maybe `test.exs` is missing the section of the endpoint.", None),
        ("The `TestWatch` tests fail as expected, because the assertions were inverted.", None),
        ("All tests pass now.", None),
    ],
)
def test_a_cause_and_not_a_plan_a_guess_or_a_report(said, told):
    assert cause(said) == told


def test_what_is_said_after_the_proof_counts_most():
    guess = "The `Endpoint` section does not reach the tests."
    confirmed = "It works! The issue was that `test.exs` is never imported."
    assert cause(guess, confirmed) == "The issue was that `test.exs` is never imported."


def errors(*turns):
    drafts = kept(talk(("user", "Please test the live view."), *turns))
    return [draft for draft in drafts if draft.memory_type == "error"]


def test_a_cure_lies_before_the_run_that_fails_for_another_reason():
    other = "** (RuntimeError) the live view requires lazy_html as a test dependency."
    turns = [
        (bash("mix test"), f"Exit code 2\n{LINE}"),
        ("assistant", "The test config is missing the `Endpoint` section."),
        edit("config/test.exs"),
        (bash("mix test"), f"Exit code 2\n{other}"),
        ("assistant", "The `lazy_html` package is missing from the dependencies."),
        edit("mix.exs"),
        (bash("mix test"), "5 tests, 0 failures"),
    ]
    first, second = errors(*turns)
    assert first.resolution == (
        "The test config is missing the `Endpoint` section. It worked after a change to `config/test.exs`."
    )
    assert second.resolution.endswith("It worked after a change to `shop/mix.exs`.")
    assert first.evidence[-1].quote == second.evidence[-1].quote == "5 tests, 0 failures"
    assert errors(*turns[:-1]) == []  # never passed: no cure


def test_a_call_without_a_result_changes_things_too():
    """Some logs leave out results that are empty, as those of `gofmt -w`."""
    lint = "Exit code 1\na.go:1:1: File is not properly formatted (gofmt)"
    messages = talk(
        ("user", "Lint it."), (bash("golangci-lint run"), lint), (bash("gofmt -w a.go"), ""),
        (bash("golangci-lint run"), "0 issues."),
    )  # fmt: skip
    silent = [m for m in messages if m.content or m.tool_calls]
    (episode,) = find_episodes(silent, read_actions(silent))
    assert [action.arguments["command"] for action in episode.between] == ["gofmt -w a.go"]


def test_a_remedy_that_was_not_what_was_done_is_left_out():
    """The agent plans one mode and sets another: the cause is told, the plan is not."""
    said = (
        "assistant",
        "The live view runs in its own process without the sandbox. I need to use `:auto` mode.",
    )
    check = bash("mix test test/live_test.exs")
    failed = (check, "Exit code 2\n** (ArgumentError) the live view finds no project in the sandbox")
    arguments = {"file_path": "/repo/test/live_test.exs", "old_string": "checkout()\nend"}

    def told(new):
        change = (("Edit", {**arguments, "new_string": new}), "Updated.")
        (draft,) = errors(failed, said, change, (check, "5 tests, 0 failures"))
        return draft.resolution

    assert ":auto" not in told("checkout()\nmode(:shared)\nend\nend")
    assert "without the sandbox. I need to use `:auto` mode." in told("checkout()\nmode(:auto)\nend\nend")


def test_one_guess_is_not_the_cause_of_two_failures():
    guess = "The issue is that `config.toml` is missing the `root` key, so nothing is found."

    def changed(old, new):
        return (("Edit", {"file_path": "/r/config.toml", "old_string": old, "new_string": new}), "Updated.")

    (draft,) = kept(
        talk(
            ("user", "Make both pass."),
            (bash("make lint"), "error: no such profile `strict`\nexit code 1"),
            (bash("make bundle"), "error: cannot find entry `main`\nexit code 1"),
            ("assistant", guess),
            changed("profile = 1", "profile = 2"),
            (bash("make lint"), "lint passed"),
            changed("entry = 1", "entry = 2"),
            (bash("make bundle"), "bundle built"),
        )
    )
    assert "`make bundle` failed" in draft.content, "the failure right before the guess"
