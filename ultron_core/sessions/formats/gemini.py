"""Native logs of Gemini CLI: one object with `messages`, or (since 0.40) a header and a row for each message.

    {"id", "timestamp", "type": "gemini", "content": "...", "toolCalls": [{"id", "name", "args", "result"}]}

A call and its result are one object; `info` and `error` rows are what the screen showed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ultron_core.models import Message, ToolCall
from ultron_core.sessions.formats.parts import response_text, take_parts, usage_of_parts
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text, decode, parse_time

__all__ = ["claims", "read"]

_PERSON, _MODEL = frozenset(("user",)), frozenset(("gemini", "model"))
#: `{"id": "m3", "timestamp": "...", "type": "info", "content": "Request cancelled."}`
_SHOWN = frozenset(("info", "error", "warning"))


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if isinstance(kind, str) and kind in _PERSON | _MODEL | _SHOWN:
        # no other harness numbers bare rows with an id and a time and has neither a role nor a message in them
        return "id" in row and "timestamp" in row and not row.keys() & {"role", "message", "uuid", "payload"}
    return ("projectHash" in row and "sessionId" in row) or row.keys() == {"$set"}


def read(row: dict[str, Any], state: State) -> Read:
    kind = row.get("type")
    state.note(harness="gemini_cli", session_id=row.get("sessionId"))
    if kind not in _PERSON | _MODEL:
        return METADATA
    time = state.note_time(parse_time(row.get("timestamp")))
    extra: dict[str, Any] = {"timestamp": time, "uuid": as_text(row.get("id")) or None}
    found = take_parts(row.get("content") or row.get("parts"))
    if kind in _PERSON:
        content = [{"type": "text", "text": found.text}, *found.other] if found.other else found.text
        return state.user(content, **extra)
    model = row.get("model")
    state.note(model=model)
    asked = _objects(row.get("toolCalls"))
    thoughts = [_thought(item) for item in _objects(row.get("thoughts"))]
    messages = state.assistant(
        found.text, calls=[_call(raw) for raw in asked] + found.calls,
        reasoning="\n\n".join([*filter(None, thoughts), *found.thoughts]), parts=tuple(found.other),
        model=as_text(model) or None, usage=usage_of_parts(row.get("tokens")), **extra,
    )  # fmt: skip
    for raw in asked:
        messages += _results(raw, state, extra)
    return messages


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _thought(thought: Mapping[str, Any]) -> str:
    return ": ".join(filter(None, (as_text(thought.get("subject")), as_text(thought.get("description")))))


def _call(raw: Mapping[str, Any]) -> ToolCall:
    return ToolCall(as_text(raw.get("id")), as_text(raw.get("name")), decode(raw.get("args")))


def _results(raw: Mapping[str, Any], state: State, extra: Mapping[str, Any]) -> list[Message]:
    """The answer of a call; of one that was cancelled the log may hold only what the screen showed."""
    failed = True if raw.get("status") in ("error", "cancelled") else None
    call_id, name = as_text(raw.get("id")) or None, as_text(raw.get("name")) or None
    answers = take_parts(raw.get("result")).answers if raw.get("result") else []
    texts = [(answer.text, failed or answer.is_error) for answer in answers]
    if not texts and raw.get("resultDisplay"):
        texts = [(response_text(raw["resultDisplay"])[0], failed)]
    return [
        message
        for text, is_error in texts
        for message in state.tool(text, call_id, name=name, is_error=is_error, **extra)
    ]
