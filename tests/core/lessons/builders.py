"""Small sessions for the tests of extraction."""

from __future__ import annotations

from ultron_core.models import Message, ToolCall, as_messages


def talk(*turns):
    """Messages from (role, text) or (call, result) turns; a call is (tool, arguments)."""
    messages = []
    for number, (what, value) in enumerate(turns):
        if isinstance(what, tuple):
            tool, arguments = what
            call = ToolCall(f"c{number}", tool, arguments)
            messages.append(Message("assistant", "", tool_calls=(call,), origin="model"))
            messages.append(Message("tool", value, tool_call_id=f"c{number}", origin="tool"))
        else:
            origin = {"user": "human", "assistant": "model", "system": "harness", "recalled": "recalled"}[
                what
            ]
            messages.append(Message("user" if what == "recalled" else what, value, origin=origin))
    return as_messages(messages)


def bash(command):
    return ("Bash", {"command": command})
