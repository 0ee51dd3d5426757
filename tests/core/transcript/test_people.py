"""Whose words a message holds."""

from ultron_core.models import Message
from ultron_core.transcript.people import is_human, is_request


def test_a_person_asks():
    message = Message("user", "Sort the list.")
    assert is_request(message)
    assert is_human(message)


def test_an_agent_that_opens_a_talk_asks_and_is_no_person():
    message = Message("user", "Solve it together.", name="Geometry_Expert")
    assert is_request(message)
    assert not is_human(message)


def test_what_a_harness_or_a_tool_writes_as_a_user_row_is_no_request():
    for message in (
        Message("user", "<reminder>be brief</reminder>", origin="harness"),
        Message("user", "From memory: use uv", origin="recalled"),
        Message("user", "exit code 1", origin="tool"),
        Message("user", "done", tool_call_id="c1"),
        Message("user", "Look at the tests.", origin="model"),
        Message("user", "  "),
        Message("assistant", "Hello", origin="model"),
    ):
        assert not is_request(message)
        assert not is_human(message)
