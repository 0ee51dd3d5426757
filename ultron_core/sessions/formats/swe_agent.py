"""SWE-agent trajectories: the `history` of a .traj file, or its rows as lines.

The model writes commands in its text (`action`); the user row after it is the terminal's answer.
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
    messages = read_chat(row, state)
    if isinstance(messages, str):
        return messages
    after_action = state.memo.get("swe_action", False)
    state.memo["swe_action"] = row.get("role") == "assistant" and bool(row.get("action"))
    if row.get("role") != "user":
        return messages
    if row.get("is_demo") is True or row.get("message_type") == "demonstration":
        return [replace(message, origin="harness") for message in messages]
    if after_action:
        return [replace(message, origin="tool") for message in messages]
    return messages
