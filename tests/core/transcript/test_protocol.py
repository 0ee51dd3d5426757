"""Which user rows a program wrote: told from the session's own regularity."""

import pytest

from ultron_core.models import Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.people import is_request
from ultron_core.transcript.protocol import fenced, program_rows


def _said(text: str) -> Message:
    return Message("assistant", text, origin="model")


def _session(answer: str, act: str, rounds: int = 4) -> list[Message]:
    messages = [Message("user", "Find out who wrote the book.")]
    for number in range(rounds):
        messages += [_said(act.format(number)), Message("user", answer.format(number))]
    return messages


@pytest.mark.parametrize(
    ("act", "answer"),
    [
        (
            "THOUGHT: look\n```bash\ncat a{}.py\n```",
            "<returncode>0</returncode>\n<output>import os{}</output>",
        ),
        ("Thought: search\nAction: Search[x{}]", "x{} was an American author"),
        ("> go to cabinet {}", "The cabinet {} is closed."),
        ("I try it.\n```python\nprint({})\n```", "Observation:\n{}"),
    ],
)
def test_rows_that_always_answer_a_block_or_an_action_are_a_program_s(act, answer):
    assert program_rows(_session(answer, act)) == {2, 4, 6, 8}


def test_a_person_who_speaks_up_between_the_outputs_stays_a_person():
    messages = _session("<returncode>{}</returncode>", "Look.\n```bash\nls {}\n```")
    messages += [_said("Done.\n```bash\nsubmit\n```"), Message("user", "Now write the README too, please.")]
    assert len(messages) - 1 not in program_rows(messages)


def test_a_talk_about_code_has_no_program_rows():
    talk = [
        Message("user", "How do I sort a list?"),
        _said("```python\nsorted(a)\n```"),
        Message("user", "And in reverse?"),
        _said("```python\nsorted(a, reverse=True)\n```"),
        Message("user", "Does it copy the list?"),
        _said("Yes.\n```python\na.sort()\n```"),
        Message("user", "Great, that helps."),
    ]
    assert program_rows(talk) == frozenset()


@pytest.mark.parametrize(
    "notice",
    [
        "Read the output file to retrieve the result: /tmp/tasks/b0be39e.output",
        "Full transcript available at: /tmp/tasks/aa67793.output",
        '@agent Enable: "Enable the new model for all clients"',
        "Implement the plan as specified, it is attached for your reference. Do NOT edit the plan file itself.\n\n"
        "To-do's from the plan have already been created. Do not create them again. Don't stop until you have "
        "completed all the to-dos.",
        "This is the Gemini CLI. We are setting up the context for our chat.\nToday's date is Monday.",
        "System: Please continue.",
        "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.txt\n```",
    ],
)
def test_a_notice_in_the_person_s_place_is_no_request(notice):
    assert not is_request(Message("user", notice))
    assert is_request(Message("user", "Read the output file and tell me what it says"))


def test_what_a_person_says_behind_the_output_of_their_command_is_a_request():
    shown = "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na.txt\n```"
    assert not is_request(Message("user", shown))
    assert is_request(Message("user", f"{shown}\nWhy is b.txt missing? Please fix it."))
    assert is_request(Message("user", "I ran the following shell command: ls. Why does it print nothing?"))


SET_IN = """1. **Comments**: added.
   ```ini
   ; --- General ---
   ```
2. **Load fix**: stops at the header.
- ```bash
  make check
  ```
   Run it twice. 重新加载后生效。"""


def test_a_block_that_is_set_in_below_a_point_ends_where_its_own_fence_does():
    assert fenced(SET_IN) == [("ini", "   ; --- General ---"), ("bash", "  make check")]
    told = without_code(SET_IN)
    assert "stops at the header" in told and "重新加载后生效" in told
    assert "General" not in told and "make check" not in told


def test_another_block_that_opens_within_one_does_not_end_it():
    text = "Write:\n```md\nRun\n```js\nrun()\n```\nThat is all."
    assert fenced(text) == [("md", "Run\n```js\nrun()")]
    assert without_code(text) == "Write:\n\n\nThat is all."
    assert "drop the cache" in without_code("Run:\n```\nls\n```Then drop the cache.\nThat is all.")


def test_a_block_at_the_margin_holds_fences_that_are_set_in():
    text = "Write:\n```markdown\n1. Run\n   ```bash\n   ls\n   ```\n2. Look\n```\nThat is all."
    assert [name for name, _ in fenced(text)] == ["markdown"]
    assert without_code(text) == "Write:\n\n\nThat is all."
