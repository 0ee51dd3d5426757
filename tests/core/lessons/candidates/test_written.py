"""Passages of instruction files, wherever the log shows such a file."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.candidates.written import find_written, shows_guide
from ultron_core.models import Message, as_messages
from ultron_core.transcript.actions import read_actions

FILE = """# Shop

A shop for books and for nothing else.

## Rules

- NEVER commit unless the user asks for it
- No inline imports like `await import("./a.js")`
"""
PASSAGES = [
    "A shop for books and for nothing else.",
    "- NEVER commit unless the user asks for it",
    '- No inline imports like `await import("./a.js")`',
    '- NEVER commit unless the user asks for it\n- No inline imports like `await import("./a.js")`',
]


def written(messages):
    found = list(find_written(messages, read_actions(messages)))
    assert all((one.source, one.author) == ("guide", "file") for one in found)
    return found


def texts(messages):
    return [one.text for one in written(messages)]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (("Read", {"file_path": "/home/a/shop/CLAUDE.md"}), "CLAUDE.md"),
        (("read_file", {"path": "AGENTS.md"}), "AGENTS.md"),
        (("Read", {"file_path": "/repo/.cursor/rules/style.mdc"}), "style.mdc"),
        (bash("cat shop/GEMINI.md"), "GEMINI.md"),
    ],
)
def test_a_file_for_agents_that_a_call_shows(call, name):
    found = written(talk(("user", "Start."), (call, FILE)))
    assert [one.text for one in found] == PASSAGES
    assert {one.answers for one in found} == {name}
    assert found[1].head == "Rules"


@pytest.mark.parametrize(
    "call",
    [("Read", {"file_path": "/home/a/shop/notes.md"}), bash("wc -l CLAUDE.md"), bash("rm CLAUDE.md")],
)
def test_another_file_and_a_command_that_shows_none(call):
    assert texts(talk(("user", "Start."), (call, FILE))) == []


@pytest.mark.parametrize(
    "opening",
    [
        "Contents of /src/shop/CLAUDE.md (project instructions):\n\n",
        "# AGENTS.md instructions for /src/shop\n\n",
    ],
)
def test_a_file_that_the_harness_hands_in(opening):
    messages = as_messages(
        [Message("user", opening + FILE, origin="harness"), Message("user", "Start.", origin="human")]
    )
    assert texts(messages) == PASSAGES
    assert shows_guide(messages[0].content)
    assert not shows_guide(messages[1].content)


def test_line_numbers_and_what_the_harness_adds_are_not_of_the_file():
    numbered = "".join(f"    {number}→{line}\n" for number, line in enumerate(FILE.splitlines(), 1))
    added = "<system-reminder>\nWhenever you read a file, you MUST check it.\n</system-reminder>\n"
    read = (("Read", {"file_path": "CLAUDE.md"}), f"{numbered}\n{added}")
    assert texts(talk(("user", "Start."), read)) == PASSAGES


def test_a_file_that_is_shown_twice_gives_its_passages_once():
    read = (("Read", {"file_path": "CLAUDE.md"}), FILE)
    assert texts(talk(("user", "Start."), read, read)) == PASSAGES


def test_what_a_template_left_open_is_no_rule():
    left = "- The project is called [PROJECT_NAME] in all texts\n<!-- MANUAL ADDITIONS START -->\n"
    assert texts(talk(("user", "Start."), (("Read", {"file_path": "CLAUDE.md"}), left))) == []
