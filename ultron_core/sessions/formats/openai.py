"""OpenAI chat lines: `{"role", "content", "tool_calls", "tool_call_id", "reasoning_content", ...}`.

Also any other line with a role, and header lines with `"_type": "metadata"`.
"""

from __future__ import annotations

from typing import Any

from ultron_core.sessions.formats.chat import read_chat
from ultron_core.sessions.state import METADATA, Read, State

__all__ = ["claims", "read"]

_OPENAI_ROLES = ("tool", "function", "developer")
_OPENAI_KEYS = frozenset(("tool_calls", "tool_call_id", "function_call", "reasoning_content", "refusal"))


def claims(row: dict[str, Any]) -> bool:
    return "role" in row or "_type" in row


def read(row: dict[str, Any], state: State) -> Read:
    if "_type" in row and ("role" not in row or row["_type"] == "metadata"):
        if row["_type"] != "metadata":
            return "unknown_type"
        state.note(**{key: row.get(key) for key in ("session_id", "model", "cwd", "harness")})
        state.note_tools(row.get("tools"))
        return METADATA
    if row.get("role") in _OPENAI_ROLES or not _OPENAI_KEYS.isdisjoint(row):
        state.openai_marks += 1
    return read_chat(row, state)
