"""What OpenAI chat lines and Anthropic message lines have in common: `{"role": ..., "content": ...}`."""

from __future__ import annotations

from typing import Any

from ultron_core.models import Message, Origin, Role, ToolCall
from ultron_core.sessions.blocks import call_of, content_text, openai_calls
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.message import new_message
from ultron_core.sessions.origins import is_memory_tool
from ultron_core.sessions.state import Read, State, usage_of
from ultron_core.sessions.text import as_text, parse_time

__all__ = ["ROLES", "read_chat", "read_plain"]

#: rows with only these keys take the short path
_PLAIN = {
    "user": frozenset(("role", "content")),
    "system": frozenset(("role", "content")),
    "assistant": frozenset(("role", "content", "tool_calls")),
    "tool": frozenset(("role", "content", "tool_call_id", "name")),
}
ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "system",
    "developer": "system",
    "function": "tool",
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "toolResult": "tool",
}


def read_plain(row: dict[str, Any], content: str, state: State) -> list[Message] | None:
    """The messages of a row of role and text, and a tool's call ids, alone; None for any other row.

    Every format but OpenAI chat has further keys, so that such a row needs no search for its format.
    """
    role: Any = row.get("role")
    keys = _PLAIN.get(role) if role.__class__ is str else None
    if keys is None or not keys.issuperset(row):
        return None
    start, end = state.start, state.end
    if role == "assistant":
        if row.get("tool_calls"):
            state.openai_marks += 1
            return state.assistant(content, calls=openai_calls(row["tool_calls"]))
        return [new_message(role, content, (), None, None, None, None, "model", "main", start, end)]
    if role == "tool":
        call_id, name = row.get("tool_call_id"), row.get("name")
        if call_id.__class__ is not str or not call_id:
            call_id = as_text(call_id) or None
        if name.__class__ is not str or not name:
            name = state.calls.get(call_id) if call_id else None
        state.openai_marks += 1
        by: Origin = "recalled" if name and is_memory_tool(name) else "tool"
        return [new_message(role, content, (), call_id, name, None, None, by, "main", start, end)]
    pieces = state.origins.split(content, "human" if role == "user" else "harness")
    if len(pieces) == 1:
        origin, text = pieces[0]
        return [new_message(role, text, (), None, None, None, None, origin, "main", start, end)]
    return [
        new_message(role, text, (), None, None, None, None, origin, "main", start, end)
        for origin, text in pieces
    ]


def read_chat(row: dict[str, Any], state: State, **extra: Any) -> Read:
    """Messages of one row with role and content, whatever blocks the content holds."""
    raw_role = row.get("role")
    role = ROLES.get(raw_role) if raw_role.__class__ is str else None
    if role is None:
        return "no_role" if raw_role is None else "unknown_role"
    content = row.get("content")
    stamp = row.get("timestamp") or row.get("created_at")
    if stamp and "timestamp" not in extra:
        extra["timestamp"] = state.note_time(parse_time(stamp))
    name = row.get("name")
    if isinstance(name, str) and name:
        extra["name"] = name
    if role == "user":
        if content is None and "content" in row:
            # the turn took place, its text is lost: kept, so that answers keep their question
            return state.user([{"type": "null_content"}], **extra)
        return state.user(content, **extra) or "empty"
    if role == "tool":
        return _tool(row, state, content, extra)
    if role == "system":
        return state.system(content, **extra) or "empty"
    return _assistant(row, state, content, extra)


def _assistant(row: dict[str, Any], state: State, content: Any, extra: dict[str, Any]) -> Read:
    calls: list[ToolCall] = openai_calls(row["tool_calls"]) if row.get("tool_calls") else []
    if row.get("function_call"):
        calls.append(call_of(mapping(row["function_call"])))
    reasoning = row.get("reasoning_content") or row.get("reasoning") or row.get("reasoning_text")
    model = row.get("model")
    if isinstance(model, str) and "model" not in extra:
        extra["model"] = model
        state.note(model=model)
    if row.get("usage"):
        extra["usage"] = usage_of(row["usage"])
    if content is None and row.get("refusal"):
        content = as_text(row["refusal"])
    return state.assistant("" if content is None else content, calls=calls, reasoning=reasoning, **extra)


def _tool(row: dict[str, Any], state: State, content: Any, extra: dict[str, Any]) -> Read:
    text, parts = content_text(content)
    ids = row.get("tool_call_ids")
    call_id = row.get("tool_call_id") or row.get("tool_use_id") or row.get("toolCallId")
    if not call_id and isinstance(ids, list) and ids:
        call_id = ids[0]
    name = extra.pop("name", None) or row.get("toolName")
    is_error = row.get("is_error", row.get("isError"))
    return state.tool(
        text,
        as_text(call_id) if call_id else None,
        name=name if isinstance(name, str) else None,
        is_error=is_error if isinstance(is_error, bool) else None,
        parts=parts,
        **extra,
    )
