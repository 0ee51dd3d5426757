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
    kinds = [b["type"] for b in content if isinstance(b, dict) and isinstance(b.get("type"), str)]
    # OpenAI's models answer in a string, even where its users may write blocks
    spoken = row["role"] == "assistant" and kinds[:1] == ["text"] and "tool_calls" not in row
    return spoken or not _BLOCKS.isdisjoint(kinds)


def read(row: dict[str, Any], state: State) -> Read:
    return read_chat(row, state)
