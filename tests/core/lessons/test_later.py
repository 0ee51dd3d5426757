"""The later line that takes back, or says again, what a passage says."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.candidates.find import find_candidates
from ultron_core.lessons.later import overtaken_at
from ultron_core.transcript.actions import read_actions

RULE = ("user", "Always start the build with `--turbo=false` here.")
MISSING = "ModuleNotFoundError: No module named 'yaml'\nexit code 1"


def overtaken(source, *turns):
    """The line that overtakes the first candidate of this source."""
    messages = talk(*turns)
    actions = read_actions(messages)
    one = next(one for one in find_candidates(messages, actions) if one.source == source)
    return overtaken_at(one, messages, actions)


def edit(old, new, result="ok"):
    return (("Edit", {"file_path": "package.json", "old_string": old, "new_string": new}), result)


def test_nothing_behind_it_takes_it_back():
    assert overtaken("turn", RULE, ("assistant", "I will.")) == 0


def test_an_edit_that_takes_out_what_it_names():
    assert overtaken("turn", RULE, edit("build --turbo=false", "build")) == 2
    named = ("user", "Always start the build with `make build`, please.")
    assert overtaken("turn", named, edit("run make build", "run ninja")) == 2
    assert overtaken("turn", named, edit("run make build", "run make build -j")) == 0
    assert overtaken("turn", named, edit("run make build", "run ninja", "Error: string not found")) == 0


def test_a_person_who_says_it_again_is_heard_the_second_time():
    again = ("user", f"As I said: {RULE[1]} Go on.")
    assert overtaken("turn", RULE, ("assistant", "I will."), again) == 3


def test_an_agent_that_repeats_it_takes_nothing_back():
    assert overtaken("turn", RULE, ("assistant", f"Understood: {RULE[1]}")) == 0
    guide = (("Read", {"file_path": "CLAUDE.md"}), "- Never commit generated files")
    assert overtaken("guide", ("user", "Go."), guide, ("assistant", "- Never commit generated files")) == 0
    asked = ("AskUserQuestion", {"questions": [{"question": "Which store?", "options": ["Redis", "Files"]}]})
    picked = (asked, 'Your answers: "Which store?"="Redis".')
    assert overtaken("choice", ("user", "Go."), picked, ("assistant", "Redis it is.")) == 0


def test_an_agents_passage_that_it_says_again_is_kept_at_its_end():
    said = ("assistant", "The lock file was written by another version of the manager.")
    assert overtaken("closing", ("user", "Why?"), said, ("user", "Sure?"), said) == 4


def test_a_cure_after_which_the_failure_comes_again():
    cure = (
        ("user", "Go."),
        (bash("pytest tests"), MISSING),
        (bash("pip install pyyaml"), "Successfully installed pyyaml-6.0"),
        (bash("pytest tests"), "2 passed in 0.1s"),
    )
    assert overtaken("cure", *cure) == 0
    assert overtaken("cure", *cure, (bash("pytest tests"), MISSING)) == 9
