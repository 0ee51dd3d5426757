"""Written rules that the log shows: instruction files and the guides of slash commands."""

from tests.core.lessons.builders import talk
from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.people.guides import find_cited, find_guides
from ultron_core.models import Message, as_messages
from ultron_core.transcript.actions import read_actions

FILE = """# Shop
A shop for books.
- NEVER commit unless the user asks
- No inline imports like `await import("./a.js")`
"""
GUIDE = (
    """## Context

- Current git status: no changes added to commit (use "git add" and/or "git commit -a")

## Your task

Ignore any changes to:
- CHANGELOG.md
- dist/ files

Please review the change.

Better to not have a unit test than to have tests that are tautological.
We also don't test third-party libraries, only our own code.
"""
    + "Explain each change line by line and number your remarks. " * 4
)


def rules(messages):
    drafts = find_guides(messages, read_actions(messages), "shop")
    assert all(gate_draft(draft, messages) is None for draft in drafts)
    return [draft.content.partition(": ")[2] for draft in drafts]


def test_a_file_for_agents_that_was_read():
    read = (("Read", {"file_path": "/home/a/shop/CLAUDE.md"}), FILE)
    assert rules(talk(("user", "Start."), read)) == [
        "NEVER commit unless the user asks",
        'No inline imports like `await import("./a.js")`',
    ]
    assert rules(talk(("user", "Start."), (("Read", {"file_path": "/home/a/shop/notes.md"}), FILE))) == []


def test_what_the_harness_adds_below_a_file_is_no_rule_of_the_project():
    added = "<system-reminder>\nWhenever you read a file, you MUST check it.\nNever improve it.\n</system-reminder>\n"
    read = (("Read", {"file_path": "/home/a/shop/CLAUDE.md"}), f"{FILE}\n{added}")
    assert rules(talk(("user", "Start."), read)) == [
        "NEVER commit unless the user asks",
        'No inline imports like `await import("./a.js")`',
    ]


def test_a_file_for_agents_that_the_harness_shows():
    shown = f"<reminder>\nContents of /src/shop/AGENTS.md (project instructions):\n\n{FILE}"
    messages = as_messages(
        [Message("user", shown, origin="harness"), Message("user", "Start.", origin="human")]
    )
    assert rules(messages)[0] == "NEVER commit unless the user asks"


def test_the_guide_of_a_slash_command_with_its_lists():
    assert rules(talk(("user", GUIDE), ("assistant", "ok"))) == [
        "Ignore any changes to: CHANGELOG.md; dist/ files",
        "Better to not have a unit test than to have tests that are tautological.",
        "We also don't test third-party libraries, only our own code.",
    ]


def test_a_rule_that_a_command_hands_in_holds_where_the_command_is_called():
    call = "<command-message>pr-review</command-message>\n<command-name>/pr-review</command-name>"
    guide = GUIDE.replace("## Context", "## What changed")
    messages = as_messages([Message("user", call, origin="harness"), Message("user", guide, origin="human")])
    drafts = find_guides(messages, (), "shop")
    assert {draft.context for draft in drafts} == {
        "A slash command hands it in: it holds where that is called."
    }
    assert all(draft.tags[-1] == "/pr-review" for draft in drafts)


def test_a_rule_for_each_case():
    rule = "For any new test case, change only the assertion to make sure that it fails."
    assert rule in rules(talk(("user", f"{GUIDE}\n{rule}"), ("assistant", "ok")))


def test_the_prompt_of_a_program_is_nobodys_guide():
    assert rules(talk(("user", "# Task\n" + "You must never use the internet for this. " * 20))) == []


def test_a_list_is_never_told_without_its_items():
    heading = "For any new test case, confirm that the tests are:"
    items = "- Not tautological\n- Reliable, they do not depend on a clock"
    found = rules(talk(("user", f"{GUIDE}\n{heading}\n\n{items}"), ("assistant", "ok")))
    assert found[-1] == f"{heading} Not tautological; Reliable, they do not depend on a clock"
    assert not any(
        "confirm" in rule for rule in rules(talk(("user", f"{GUIDE}\n{heading}\n"), ("assistant", "ok")))
    )


def test_marks_of_a_harness_within_a_diff_do_not_end_the_guide_of_a_command():
    call = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    quoted = "<command-name>/fast</command-name>\n<command-message>fast</command-message>"
    head, _, task = GUIDE.partition("## Your task")
    diff = (
        "- Current diff: diff --git a/notes.md b/notes.md\n"
        + "+Always a line of the diff that is no rule at all.\n" * 9
    )
    parts = [("harness", call, 1), ("human", head + diff, 2)]
    parts += [("harness", quoted, 2), ("human", f"@@ -1 +1 @@\n## Your task{task}", 2)]
    messages = [
        Message("user", text, origin=origin, start_line=row, end_line=row) for origin, text, row in parts
    ]
    drafts = find_guides(messages, (), "shop")
    assert [draft.content.partition(": ")[2] for draft in drafts][:1] == [
        "Ignore any changes to: CHANGELOG.md; dist/ files"
    ]
    assert {draft.context for draft in drafts} == {
        "A slash command hands it in: it holds where that is called."
    }


def test_what_an_agent_cites_from_the_file_for_agents():
    told = (
        "Windows paths in `src/paths.py` are never tested (not a supported platform per CLAUDE.md). All pass."
    )
    messages = talk(("user", "Clean up the tests."), ("assistant", told))
    (draft,) = find_cited(messages, "shop")
    assert draft.content.startswith(
        "In shop: Windows paths in `src/paths.py` are never tested (not a supported"
    )
    assert gate_draft(draft, messages) is None
    assert (
        find_cited(
            talk(("user", "x"), ("assistant", "Now let me update CLAUDE.md with the new commands.")), ""
        )
        == []
    )
