"""Native logs of pi and OpenClaw: a `session` header, then `message` rows in a tree of id and parentId."""

from __future__ import annotations

from typing import Any

from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.formats.chat import read_chat
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text, parse_time
from ultron_core.sessions.tree import Node

__all__ = ["claims", "node", "read"]

_META = frozenset(
    [
        "session",
        "model_change",
        "thinking_level_change",
        "label",
        "session_info",
        "custom",
        "bookmark",
        "title",
        "queue",
    ]
)


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if kind == "message":
        message = row.get("message")
        return isinstance(message, dict) and isinstance(message.get("role"), str) and "role" not in row
    if kind == "compaction" or kind == "branch_summary" or kind == "custom_message":
        return "summary" in row or "content" in row
    if kind == "session":
        return "id" in row and "role" not in row
    return isinstance(kind, str) and kind in _META and "role" not in row and "timestamp" in row


def node(row: dict[str, Any]) -> Node | None:
    """The row's place in the tree of parentId; logs of early versions have no ids and no tree."""
    own, parent = row.get("id"), row.get("parentId")
    if not isinstance(own, str):
        return None
    role = mapping(row.get("message")).get("role")
    return Node(own, parent if isinstance(parent, str) else None, talks=bool(role), prompt=role == "user")


def read(row: dict[str, Any], state: State) -> Read:
    kind = row.get("type")
    if kind == "session":
        state.note(harness="pi", session_id=row.get("id"), cwd=row.get("cwd"), model=row.get("modelId"))
        state.note(harness_version=as_text(row.get("version")))
        return METADATA
    if kind == "model_change":
        state.note(model=row.get("modelId"))
    own = row.get("id") if isinstance(row.get("id"), str) else None
    extra: dict[str, Any] = {"timestamp": state.note_time(parse_time(row.get("timestamp"))), "uuid": own}
    extra["thread"] = state.thread_of(own) if own else "main"
    if kind in ("compaction", "branch_summary"):
        return state.user(as_text(row.get("summary")), "harness", **extra)
    if kind == "custom_message":
        return state.user(row.get("content"), "harness", **extra)
    if kind != "message":
        return METADATA
    return _message(dict(mapping(row.get("message"))), state, extra)


def _message(message: dict[str, Any], state: State, extra: dict[str, Any]) -> Read:
    role = message.get("role")
    if role == "bashExecution":
        # a person ran a command; the model sees both lines
        code = message.get("exitCode")
        shown = state.user(f"! {as_text(message.get('command'))}", **extra)
        failed = code != 0 if isinstance(code, int) else None
        return shown + state.tool(as_text(message.get("output")), name="bash", is_error=failed, **extra)
    if role in ("branchSummary", "compactionSummary", "custom", "hookMessage"):
        return state.user(message.get("summary") or message.get("content"), "harness", **extra)
    return read_chat(message, state, **extra)
