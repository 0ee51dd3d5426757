"""Patterns: a check after every change."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.habits import find_habits
from ultron_core.transcript.actions import read_actions


def edit(number, file="/repo/src/core/a.py"):
    arguments = {"file_path": file, "old_string": f"a{number}", "new_string": f"b{number}"}
    return (("Edit", arguments), "The file has been updated.")


def habits(*turns):
    messages = talk(("user", "Please refactor the module."), *turns)
    return find_habits(messages, read_actions(messages), "repo")


def test_a_check_that_follows_every_change():
    turns = [
        step
        for n in range(3)
        for step in (edit(n), (bash(f"cd /repo && npm run check tests/t{n}.ts 2>&1 | tail -5"), "ok"))
    ]
    (draft,) = habits(*turns)
    assert draft.memory_type == "pattern"
    assert draft.content == "Changes in repo are checked with `npm run check`."
    assert draft.context == "When changing `.py` files."
    assert draft.resolution == "Run `npm run check` after a change and before committing it."
    assert len(draft.evidence) == 2


def test_once_is_not_a_habit_and_neither_is_repeating_without_a_change():
    check = (bash("npm run check"), "ok")
    assert len(habits(edit(1), check, edit(2), check)) == 1
    assert habits(edit(1), check, edit(2)) == []
    assert habits(edit(1), check, check, check, check) == []
