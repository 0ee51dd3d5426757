"""The parser's quick way to make a message gives just what the class gives."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from ultron_core.models import Message, ToolCall
from ultron_core.sessions.message import new_message

VALUES = {
    "role": "tool",
    "content": "a",
    "tool_calls": (ToolCall("1", "f", "x"),),
    "tool_call_id": "1",
    "name": "f",
    "is_error": True,
    "reasoning": "r",
    "origin": "tool",
    "thread": "agent:a",
    "start_line": 3,
    "end_line": 4,
    "timestamp": None,
    "parts": (),
    "model": "m",
    "usage": None,
    "uuid": "u",
}


def test_every_field_is_set_in_the_order_of_the_class():
    names = [field.name for field in fields(Message)]
    assert list(inspect.signature(new_message).parameters) == names == list(VALUES)
    quick = new_message(*VALUES.values())
    assert quick == Message(**VALUES)
    assert {name: getattr(quick, name) for name in names} == VALUES


def test_it_is_a_message_like_any_other():
    quick, slow = new_message(*VALUES.values()), Message(**VALUES)
    assert type(quick) is Message
    assert hash(quick) == hash(slow)
    assert repr(quick) == repr(slow)
    assert replace(quick, content="b") == replace(slow, content="b")
    assert pickle.loads(pickle.dumps(quick)) == copy.deepcopy(quick) == slow
    with pytest.raises(FrozenInstanceError):
        quick.content = "b"
