"""Native chat history of Grok's command line: rows of a type, a content and nothing that says when.

    {"type": "assistant", "content": "...", "tool_calls": [{"id", "name", "arguments"}], "model_id": "grok-4.5"}

Reasoning is a row before its answer, and goes with it. What the harness put in has a `synthetic_reason`.
"""

from __future__ import annotations

from typing import Any

from ultron_core.sessions.blocks import content_text, openai_calls, take_apart
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text

__all__ = ["claims", "read"]

_OTHERS = frozenset(("role", "message", "uuid", "id", "timestamp", "payload", "sessionId", "session_id"))


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if not isinstance(kind, str):
        return False
    if kind == "reasoning":
        return isinstance(row.get("summary"), list) and "payload" not in row and "role" not in row
    if kind == "backend_tool_call":
        return isinstance(row.get("kind"), dict)
    if kind in ("system", "user", "assistant"):
        return "content" in row and not row.keys() & _OTHERS
    return kind == "tool_result" and "tool_call_id" in row and not row.keys() & _OTHERS


def read(row: dict[str, Any], state: State) -> Read:
    kind, content = row["type"], row.get("content")
    if kind == "reasoning":
        text = take_apart(row.get("summary")).text
        if not text.strip():
            return METADATA
        state.merge_key = "~grok"
        return state.assistant("", reasoning=text)
    if kind == "backend_tool_call":
        return METADATA  # a search that the server ran: the log holds its question and no answer
    state.note(harness="grok", model=row.get("model_id"))
    if kind == "system":
        return state.system(content)
    if kind == "user":
        return state.user(content, "harness" if row.get("synthetic_reason") else "human")
    if kind == "tool_result":
        text, parts = content_text(content)
        return state.tool(text, as_text(row.get("tool_call_id")) or None, parts=parts)
    state.merge_key = "~grok"
    return state.assistant(
        "" if content is None else content,
        calls=openai_calls(row.get("tool_calls")),
        model=as_text(row.get("model_id")) or None,
    )
