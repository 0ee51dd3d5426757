"""Patterns: a check after every change, and a failure that always had the same cure."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.episodes import find_episodes
from ultron_core.lessons.habits import find_habits
from ultron_core.transcript.actions import read_actions


def edit(number, file="/repo/src/core/a.py"):
    arguments = {"file_path": file, "old_string": f"a{number}", "new_string": f"b{number}"}
    return (("Edit", arguments), "The file has been updated.")


def habits(*turns):
    messages = talk(("user", "Please refactor the module."), *turns)
    actions = read_actions(messages)
    return find_habits(messages, actions, find_episodes(messages, actions), "repo")


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


def test_edits_that_missed_their_text_again_and_again():
    missed = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    turns = []
    for n in range(3):
        file = f"/repo/src/{n}.py"
        call, ok = edit(n, file)
        turns += [(call, missed), (("Read", {"file_path": file}), f"a{n}"), (call, ok)]
    (draft,) = habits(*turns)
    assert draft.tags == ("workflow", "edit") and "copy the old text" in draft.resolution
