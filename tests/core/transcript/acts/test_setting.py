"""A talk with a customer calls tools as well; work is where code is written or something is edited."""

from tests.core.lessons.builders import talk
from ultron_core.models import Message, ToolCall
from ultron_core.transcript.acts.setting import is_at_work


def test_work_is_where_code_is_written_or_files_are_edited():
    assert is_at_work(talk(("user", "rename it"), ("assistant", "I renamed `run` to `start`.")))
    edit = Message("assistant", "", (ToolCall("c1", "edit_file", "{}"),), origin="model")
    assert is_at_work([edit])


def test_a_booking_is_no_work_on_code():
    call = Message("assistant", "", (ToolCall("c1", "get_reservation_details", "{}"),), origin="model")
    found = Message("tool", '{"flights": "`HAT001`"}', tool_call_id="c1", origin="tool")
    said = talk(("user", "Cancel my flight"), ("assistant", "Which one?"))
    assert not is_at_work([*said, call, found])
    assert not is_at_work([])
