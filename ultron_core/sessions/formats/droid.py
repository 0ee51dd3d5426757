"""Native logs of Factory Droid: the session store (`session_start`, then messages) and its stream-json output.

The store's `message` rows have the shape of `pi`, which reads them; only here do they hold Anthropic's tool blocks.
"""

from __future__ import annotations

from typing import Any

from ultron_core.sessions.blocks import call_of, content_text
from ultron_core.sessions.formats import pi
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.origins import Marks
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text, parse_time
from ultron_core.sessions.tree import Tree

__all__ = ["MARKS", "claims", "plant", "read"]

#: `<system-notification>...</system-notification>`, and the same in capitals as a message of its own
MARKS = Marks(tags=("system-notification", "system_notification"), openings=("[SYSTEM NOTIFICATION",))

_STREAM = frozenset(("tool_call", "tool_result", "completion", "reasoning"))
_STORE = frozenset(("session_start", "todo_state", "session_end", "compaction_state"))


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _STORE:
        return "id" in row or "todos" in row
    if kind in _STREAM:
        return "session_id" in row or "toolCallId" in row
    if kind == "system":
        return row.get("subtype") == "init" and "session_id" in row
    return kind == "message" and (("text" in row and "role" in row) or pi.claims(row))


def plant(row: dict[str, Any], tree: Tree) -> bool:
    return pi.plant(row, tree)


def read(row: dict[str, Any], state: State) -> Read:
    kind = row.get("type")
    state.note(harness="droid", session_id=row.get("session_id"), model=row.get("model"))
    if kind in _STORE or kind == "system":
        state.speaks("droid", of="pi")
        state.note(session_id=row.get("id"), cwd=row.get("cwd"), harness_version=row.get("version"))
        summary = row.get("summaryText") or row.get("summary")
        if isinstance(summary, str):
            return state.user(summary, "harness", timestamp=state.note_time(parse_time(row.get("timestamp"))))
        return METADATA
    if "message" in row:
        return pi.read(row, state)
    stamp: dict[str, Any] = {"timestamp": state.note_time(parse_time(row.get("timestamp")))}
    call_id = as_text(row.get("toolCallId") or row.get("id"))
    if kind == "tool_call":
        return state.assistant("", calls=[call_of({**row, "id": call_id})], **stamp)
    if kind == "tool_result":
        return _result(row, call_id, state, stamp)
    if kind == "completion":
        return state.assistant(as_text(row.get("finalText")), **stamp)
    if kind == "reasoning":
        return state.assistant("", reasoning=as_text(row.get("text")), **stamp)
    if row.get("role") == "assistant":
        return state.assistant(as_text(row.get("text")), **stamp)
    if row.get("role") == "system":
        return state.system(as_text(row.get("text")), **stamp)
    return state.user(as_text(row.get("text")), **stamp)


def _result(row: dict[str, Any], call_id: str, state: State, stamp: dict[str, Any]) -> Read:
    value = row.get("value", row.get("content"))
    result = mapping(value)
    failed = row.get("isError") if isinstance(row.get("isError"), bool) else None
    if isinstance(result.get("exitCode"), int):
        failed = result["exitCode"] != 0
    if "stdout" in result:
        outputs = (as_text(result.get("stdout")), as_text(result.get("stderr")))
        text, parts = "\n".join(out.rstrip("\n") for out in outputs if out), ()
    else:
        text, parts = content_text(value)  # type: ignore[assignment]
    return state.tool(text, call_id or None, is_error=failed, parts=parts, **stamp)
