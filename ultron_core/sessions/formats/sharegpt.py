"""ShareGPT conversations: `{"conversations": [{"from": "human", "value": "..."}, ...]}`, one per line.

Also the turns with calls that trainers added (`function_call`, `observation`): a call is JSON with `name` and
`arguments`, or a list of them; the log has no ids, so results answer calls in order.
"""

from __future__ import annotations

from typing import Any

from ultron_core.models import ToolCall
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.state import Read, State
from ultron_core.sessions.text import as_text, decode

__all__ = ["claims", "read"]

_MODEL = frozenset(("gpt", "assistant", "chatgpt", "bing", "bard", "model"))
_RESULT = frozenset(("observation", "tool", "function_response"))


def claims(row: dict[str, Any]) -> bool:
    return isinstance(row.get("from"), str) and "value" in row and "role" not in row


def read(row: dict[str, Any], state: State) -> Read:
    speaker, text = row["from"], as_text(row["value"])
    if speaker in ("human", "user"):
        return state.user(text)
    if speaker in _MODEL:
        return state.assistant(text)
    if speaker == "function_call":
        return _calls(text, state)
    if speaker in _RESULT:
        return state.tool(text, state.waiting.popleft() if state.waiting else None)
    return state.system(text) if speaker == "system" else "unknown_role"


def _calls(text: str, state: State) -> Read:
    """A turn of calls alone; one that cannot be read as a call keeps its text."""
    asked = decode(text)
    found = [mapping(call) for call in (asked if isinstance(asked, list) else [asked])]
    if not all(isinstance(call.get("name"), str) for call in found):
        return state.assistant(text)
    first = len(state.calls)
    calls = [
        ToolCall(f"turn-{first + i}", call["name"], decode(call.get("arguments")))
        for i, call in enumerate(found)
    ]
    state.waiting.clear()
    state.waiting.extend(call.id for call in calls)
    return state.assistant("", calls=calls)
