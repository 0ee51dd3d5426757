"""SWE-agent trajectories: the `history` of a .traj file, or its rows as lines.

The model writes commands in its text (`action`); the user row after it is the terminal's answer: it keeps its
role, as in the prompt that the model saw, and its origin is `tool`. Where the log has tool calls, a tool row
answers the oldest one that is open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ultron_core.sessions.formats.chat import read_chat
from ultron_core.sessions.state import Read, State

__all__ = ["claims", "read"]


def claims(row: dict[str, Any]) -> bool:
    return "role" in row and ("agent" in row or "thought" in row or "action" in row) and "content" in row


def read(row: dict[str, Any], state: State) -> Read:
    state.note(harness="swe_agent")
    role = row.get("role")
    if role == "tool" and state.waiting and not (row.get("tool_call_id") or row.get("tool_call_ids")):
        row = {**row, "tool_call_id": state.waiting.popleft()}
    messages = read_chat(row, state)
    if isinstance(messages, str):
        return messages
    after_action = state.memo.get("swe_action", False)
    state.memo["swe_action"] = role == "assistant" and bool(row.get("action"))
    if role == "assistant":
        state.waiting.clear()
        state.waiting.extend(call.id for message in messages for call in message.tool_calls if call.id)
    if role != "user":
        return messages
    if row.get("is_demo") is True or row.get("message_type") == "demonstration" or _is_demo(row["content"]):
        return [replace(message, origin="harness") for message in messages]
    if after_action:
        return [replace(message, origin="tool") for message in messages]
    return messages


def _is_demo(content: Any) -> bool:
    """Logs of early versions do not mark the demonstration, which opens as its template does."""
    return isinstance(content, str) and content.lstrip().startswith(
        "Here is a demonstration of how to correctly"
    )
