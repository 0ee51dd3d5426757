"""Anthropic message lines: content is a list of text, thinking, tool_use, tool_result, image ... blocks."""

from __future__ import annotations

from typing import Any

from ultron_core.sessions.formats.chat import read_chat
from ultron_core.sessions.state import Read, State

__all__ = ["claims", "read"]

_BLOCKS = frozenset(
    ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document", "image")
)


def claims(row: dict[str, Any]) -> bool:
    content = row.get("content")
    if row.get("type") == "message" and "stop_reason" in row and row.get("role") == "assistant":
        return True
    if not isinstance(content, list) or "role" not in row or ("type" in row and row["type"] != "message"):
        return False
    return any(
        isinstance(b, dict) and isinstance(b.get("type"), str) and b["type"] in _BLOCKS for b in content
    )


def read(row: dict[str, Any], state: State) -> Read:
    return read_chat(row, state)
