"""Native step logs of Antigravity: `{"step_index", "source", "type", "status", "created_at", "content"}`.

Steps name no call id: a result answers the oldest open call of the answer before it.
"""

from __future__ import annotations

from typing import Any

from ultron_core.models import ToolCall
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.origins import Marks
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text, decode, parse_time

__all__ = ["MARKS", "claims", "read"]

#: `<USER_REQUEST>...</USER_REQUEST><ADDITIONAL_METADATA>The current local time is ...</ADDITIONAL_METADATA>`
MARKS = Marks(
    tags=("additional_metadata", "user_settings_change", "system_message"),
    wrappers=("user_request", "userRequest"),
)


def claims(row: dict[str, Any]) -> bool:
    return "step_index" in row and "source" in row and isinstance(row.get("type"), str)


def read(row: dict[str, Any], state: State) -> Read:
    kind, source, content = row.get("type"), row.get("source"), as_text(row.get("content"))
    state.note(harness="antigravity")
    extra: dict[str, Any] = {"timestamp": state.note_time(parse_time(row.get("created_at")))}
    if kind == "USER_INPUT":
        return state.user(content, **extra)
    if kind == "PLANNER_RESPONSE":
        asked = row.get("tool_calls")
        asked = asked if isinstance(asked, list) else []
        calls = [_call(raw, row, i) for i, raw in enumerate(asked) if mapping(raw)]
        state.waiting.clear()
        state.waiting.extend(call.id for call in calls)
        return state.assistant(content, calls=calls, reasoning=row.get("thinking"), **extra)
    if source == "SYSTEM":
        return state.user(content, "harness", **extra) if content.strip() else METADATA
    call_id = state.waiting.popleft() if state.waiting else None
    name = None if call_id else as_text(kind).lower()
    failed = True if row.get("status") == "ERROR" else None
    return state.tool(content, call_id, name=name, is_error=failed, **extra)


def _call(raw: Any, row: dict[str, Any], position: int) -> ToolCall:
    arguments = raw.get("args")
    if isinstance(arguments, dict):
        # each value is JSON in a string
        arguments = {key: decode(value) for key, value in arguments.items()}
    return ToolCall(
        f"step-{as_text(row.get('step_index'))}-{position}", as_text(raw.get("name")), decode(arguments)
    )
