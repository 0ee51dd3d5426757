"""A valid call parses, names a tool that is declared, and has arguments that fit its schema."""

import pytest

from ultron_core.training.calls import calls_in, is_valid_call
from ultron_core.training.records import Answer

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "look_up",
            "parameters": {
                "type": "object",
                "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
                "required": ["q"],
            },
        },
    },
    {"type": "function", "function": {"name": "stop"}},
]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "look_up", "arguments": {"q": "x", "n": 3}}</tool_call>',
        'I look.\n<tool_call>\n{"name": "look_up", "arguments": {"q": "x"}}\n</tool_call>',
        '<tool_call>{"name": "look_up", "arguments": {"q": "x"}}',
        '{"name": "look_up", "parameters": {"q": "x"}}',
        '<tool_call>{"name": "stop", "arguments": {}}</tool_call>',
    ],
)
def test_a_valid_call_in_each_way_to_write_it(text):
    assert is_valid_call(Answer(text), TOOLS)


@pytest.mark.parametrize(
    "text",
    [
        "look_up x",
        '<tool_call>{"name": "look_up", "arguments": {"q": "x"}</tool_call>',
        '<tool_call>{"name": "find", "arguments": {"q": "x"}}</tool_call>',
        '<tool_call>{"name": "look_up", "arguments": {"n": 3}}</tool_call>',
        '<tool_call>{"name": "look_up", "arguments": {"q": "x", "n": "3"}}</tool_call>',
        '<tool_call>{"name": "look_up", "arguments": "x"}</tool_call>',
        '<tool_call>["look_up"]</tool_call>',
        '<tool_call>{"name": "stop", "arguments": {}}</tool_call><tool_call>{"name": "find"}</tool_call>',
    ],
)
def test_what_is_none(text):
    assert not is_valid_call(Answer(text), TOOLS)


def test_calls_that_the_family_s_reader_found_are_taken():
    found = Answer("", [{"type": "function", "function": {"name": "look_up", "arguments": {"q": "x"}}}])
    assert is_valid_call(found, TOOLS) and calls_in(found) == [{"name": "look_up", "arguments": {"q": "x"}}]


def test_a_schema_that_no_validator_takes_refuses_nothing():
    odd = [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "text"}}}]
    assert is_valid_call(Answer('{"name": "look_up", "arguments": {"q": 1}}'), odd)
