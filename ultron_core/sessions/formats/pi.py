"""Native logs of pi: a `session` header, then `message` rows in a tree of id and parentId.

OpenClaw and the session store of Droid write rows of the same shape; see `State.speaks`.
"""

from __future__ import annotations

from typing import Any

from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.formats.chat import read_chat
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text, parse_time
from ultron_core.sessions.tree import Tree

__all__ = ["claims", "plant", "read"]

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


def plant(row: dict[str, Any], tree: Tree) -> bool:
    """The row's place in the tree of parentId; logs of early versions have no ids and no tree."""
    own, parent = row.get("id"), row.get("parentId")
    if isinstance(own, str):
        role = mapping(row.get("message")).get("role")
        tree.add(own, parent if isinstance(parent, str) else None, bool(role), role == "user")
    return False


def read(row: dict[str, Any], state: State) -> Read:
    kind = row.get("type")
    if kind != "message" and _names_openclaw(row):
        state.speaks("openclaw", of="pi")
    if kind == "session":
        state.note(harness=state.dialects.get("pi", "pi"), session_id=row.get("id"), cwd=row.get("cwd"))
        state.note(model=row.get("modelId"), harness_version=as_text(row.get("version")))
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


def _names_openclaw(row: dict[str, Any]) -> bool:
    """OpenClaw's provider and entries carry its name, and its workspaces are in a folder of that name."""
    if any(as_text(row.get(key)).startswith("openclaw") for key in ("provider", "customType")):
        return True
    return row["type"] == "session" and "/.openclaw/" in as_text(row.get("cwd")).replace("\\", "/")


def _message(message: dict[str, Any], state: State, extra: dict[str, Any]) -> Read:
    role, content = message.get("role"), message.get("content")
    if role == "bashExecution":
        return _ran_by_hand(message, state, extra)
    if role in ("branchSummary", "compactionSummary", "custom", "hookMessage"):
        return state.user(message.get("summary") or content, "harness", **extra)
    if role == "assistant":
        if not content and isinstance(message.get("errorMessage"), str):
            return state.assistant(message["errorMessage"], origin="harness", **extra)
        if message.get("provider") == "openclaw":
            # what the gateway sent unprompted, logged as an answer
            state.speaks("openclaw", of="pi")
            return state.assistant("" if content is None else content, origin="harness", **extra)
    if role == "toolResult":
        state.memo["pi_results"] = True
    elif "pi_results" not in state.memo and _has_droid_blocks(content):
        state.speaks("droid", of="pi")
    return read_chat(message, state, **extra)


def _has_droid_blocks(content: Any) -> bool:
    """pi has calls of type `toolCall` and results in rows of role `toolResult`; Droid has Anthropic's blocks."""
    blocks = content if isinstance(content, list) else []
    return any(mapping(block).get("type") in ("tool_use", "tool_result") for block in blocks)


def _ran_by_hand(message: dict[str, Any], state: State, extra: dict[str, Any]) -> Read:
    """A person ran a command; the model sees both the command and what it printed."""
    code = message.get("exitCode")
    shown = state.user(f"! {as_text(message.get('command'))}", **extra)
    failed = True if message.get("cancelled") is True else code != 0 if isinstance(code, int) else None
    return shown + state.tool(as_text(message.get("output")), name="bash", is_error=failed, **extra)
