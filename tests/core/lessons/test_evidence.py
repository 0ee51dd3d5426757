"""A quote appears in its message, also when redaction has replaced some of its words."""

import pytest

from ultron_core.lessons.evidence import appears_in
from ultron_core.models import Message, ToolCall

RESULT = Message("tool", 'curl -H "Authorization: Bearer abc.def" failed for Zoe Miller\nand zoe@example.org')
CALLED = Message("assistant", "", tool_calls=(ToolCall("1", "bash", {"command": "make all\nmake check"}),))


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("failed for Zoe Miller", True),
        ("failed for <PERSON>", True),
        ("failed for <PERSON>\nand <EMAIL_ADDRESS_2>", True),
        ("Authorization: Bearer <REDACTED_TOKEN>", True),
        ("failed for <PERSON> yesterday", False),
        ("worked for <PERSON>", False),
        ("<PERSON>", False),
        ("<PERSON> and <PERSON_2>", False),
        ("failed for <someone>", False),
        ("   ", False),
    ],
)
def test_a_placeholder_matches_any_text_and_the_rest_must_be_verbatim(quote, stands):
    assert appears_in(quote, RESULT) is stands


def test_a_placeholder_that_is_in_the_log_is_found_as_it_is():
    assert appears_in("for <PERSON>", Message("user", "look it up for <PERSON> now"))


def test_a_command_may_be_quoted_as_json_shows_it():
    assert appears_in(r"make all\nmake check", CALLED)
    assert not appears_in(r"make all\nmake clean", CALLED)
