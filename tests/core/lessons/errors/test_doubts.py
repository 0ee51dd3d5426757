"""Checks that pass and prove no cure: what failed was wanted, comes back, is hidden, or was cured by something else."""

import pytest

from tests.core.lessons.builders import bash, talk
from tests.core.memories.test_extract import kept
from ultron_core.models import Message, as_messages

LINE = "error: src/loader.ts: the loader lacks the name 'join'"
CHECK = bash("npm run check")


def edit(file, old, new):
    return (("Edit", {"file_path": f"/repo/{file}", "old_string": old, "new_string": new}), "Updated.")


CURE = edit("src/loader.ts", 'import { resolve } from "path";', 'import { join, resolve } from "path";')
FAILS, PASSES = (CHECK, f"Exit code 1\n{LINE}"), (CHECK, "ok")


def cures(*turns):
    found = kept(talk(("user", "Please make it pass."), *turns))
    return [draft.resolution for draft in found if draft.memory_type == "error"]


def test_without_a_doubt_it_is_a_cure():
    assert len(cures(FAILS, CURE, PASSES)) == 1


@pytest.mark.parametrize(
    "remark",
    [
        "The check fails as expected, as I inverted the assertion.",
        "It was expected to fail before the loader is written.",
        "I broke the loader on purpose, so that the check fails.",
    ],
)
def test_a_failure_that_was_wanted_is_no_error(remark):
    assert cures(FAILS, ("assistant", remark), CURE, PASSES) == []


def test_a_failure_that_comes_back_was_not_cured():
    assert cures(FAILS, CURE, PASSES, FAILS) == []


@pytest.mark.parametrize(
    "mark", ["// @ts-ignore", "// eslint-disable-next-line", "it.skip('joins', run)", "x()  # type: ignore"]
)
def test_a_complaint_that_is_only_hidden_is_not_cured(mark):
    hidden = edit("src/loader.ts", "const join = 1;", f"const join = 1; {mark}")
    assert cures(FAILS, hidden, PASSES) == []
    kept_mark = edit("src/loader.ts", f"const joined = 1; {mark}", f"const join = 1; {mark}")
    assert len(cures(FAILS, kept_mark, PASSES)) == 1


def test_a_check_that_is_gone_round_is_not_passed():
    refused = (bash("git commit -m 'x'"), "Exit code 1\nerror: the hook refused: src/loader.ts lacks a name")
    assert cures(refused, (bash("git commit -m 'x' --no-verify"), "[main 1f] x")) == []


FORMAT = bash("gofmt -w main.go")
LINT = bash("golangci-lint run")


def lint(kind):
    return (LINT, f"Exit code 1\nmain.go:17:1: File is not properly formatted ({kind})")


def test_a_step_alone_is_the_cure():
    (told,) = cures(lint("gofmt"), (FORMAT, ""), (LINT, "0 issues."))
    assert told == "It worked after running `gofmt -w main.go`."


def test_a_step_that_did_not_help_before_is_not_the_cure():
    """The linter failed once more after the formatter: what came after that try cured it."""
    moved = edit("main.go", "// alias\nb", "b // alias\nc")
    both = (bash("gofmt -w main.go && golangci-lint run"), "0 issues.")
    cause = ("assistant", "The comment in `main.go` is breaking the grouping of goimports.")
    turns = (lint("gofmt"), (FORMAT, ""), lint("goimports"))
    assert cures(*turns, moved, both) == []
    (told,) = cures(*turns, cause, moved, both)
    assert told.startswith(cause[1]) and "gofmt -w" not in told


def test_a_step_beside_an_edit_is_not_proven():
    refused = (bash("git commit -m 'x'"), "Exit code 1\n[FORMAT] Code is not formatted, and 2 tests fail.")
    other = edit("src/other.ts", "a\nb\nc", "d\ne\nf")
    done = (bash("git commit -m 'x'"), "[main 1f] x")
    assert len(cures(refused, (bash("mix format"), ""), done)) == 1
    assert cures(refused, (bash("mix format"), ""), other, done) == []


def test_a_line_that_is_still_there_behind_another_failure_is_not_yet_cured():
    """A run that fails for more than one reason tells the other first: the cause told before it cured nothing."""
    first = ("assistant", "The suite cannot see the rows of `join`, because the sandbox is not shared.")
    then = ("assistant", "The bundler does not re-export `join` from its own `path` module.")
    both = (CHECK, f"Exit code 1\nerror: src/map.ts: a column lacks a type\n{LINE}")
    (told,) = cures(FAILS, first, edit("src/setup.ts", "a\nb", "c\nd\ne"), both, then, CURE, PASSES)
    assert told.startswith(then[1])


def test_the_text_protocol_of_other_harnesses():
    """A shell in fenced blocks, as research agents use it: the script is run again and comes back empty-handed."""
    run = "I run it.\n```\npython train.py\n```"
    error = "ValueError: the loader lacks the column 'label'"
    change = "I will add it.\n```\nsed -i 's/x/label/' train.py\n```"

    def session(*outputs):
        said = [("user", "Train it."), ("assistant", run), ("user", outputs[0])]
        said += [("assistant", change), ("user", outputs[1]), ("assistant", run), ("user", outputs[2])]
        return as_messages(
            Message(role, text, origin="model" if role == "assistant" else "human") for role, text in said
        )

    def errors(*outputs):
        return [d.resolution for d in kept(session(*outputs)) if d.resolution.startswith("It worked")]

    assert errors(error, "(no output)", error) == []
    assert errors(error, "(no output)", "Command timed out after 60 s") == []


def test_a_note_that_was_edited_between_cures_nothing():
    assert cures(FAILS, edit("README.md", "Old title", "New title"), PASSES) == []


def test_a_test_that_was_changed_until_it_passed_is_called_one():
    check = bash("npx vitest run src/loader.spec.ts")
    failed = (check, "Exit code 1\nerror: src/loader.spec.ts: the loader lacks the name 'join'")
    (told,) = cures(
        failed, edit("src/loader.spec.ts", "const join = load()", "const join = build()"), (check, "ok")
    )
    assert told.startswith("It passed after a change to the test itself, `src/loader.spec.ts`")
