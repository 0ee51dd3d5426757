"""Native logs of Qwen Code: rows with uuid and parent, `message` of Google's parts, tool results as rows of their own.

    {"uuid", "parentUuid", "sessionId", "type": "assistant", "message": {"role": "model", "parts": [...]}}

Rows name their parent and a rewind leaves a branch behind, so a file is read twice. Two rows of one answer share
their uuid (thinking first, then text and calls), so an equal uuid is not a duplicate here.
"""

from __future__ import annotations

from typing import Any

from ultron_core.models import Message
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.formats.parts import take_parts, usage_of_parts
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text, parse_time
from ultron_core.sessions.tree import Tree

__all__ = ["claims", "plant", "read"]

_TALK = frozenset(("user", "assistant", "tool_result"))


def claims(row: dict[str, Any]) -> bool:
    """Claude Code's rows look alike; only here a message has parts, and a system row a payload."""
    if "uuid" not in row or not isinstance(row.get("type"), str):
        return False
    message = row.get("message")
    if isinstance(message, dict):
        return isinstance(message.get("parts"), list)
    return row["type"] == "system" and "systemPayload" in row


def plant(row: dict[str, Any], tree: Tree) -> bool:
    own, parent = row.get("uuid"), row.get("parentUuid")
    talks = row["type"] in _TALK
    if isinstance(own, str):
        prompt = row["type"] == "user" and not take_parts(mapping(row.get("message")).get("parts")).answers
        tree.add(own, parent if isinstance(parent, str) else None, talks, prompt)
    return bool(row["type"] == "system")


def read(row: dict[str, Any], state: State) -> Read:
    kind, uuid = row["type"], row.get("uuid")
    state.note(harness="qwen_code", harness_version=row.get("version"), cwd=row.get("cwd"))
    state.note(session_id=row.get("sessionId"))
    if kind == "system":
        return METADATA  # telemetry, titles, slash commands and rewinds
    if kind not in _TALK:
        return "unknown_type"
    uuid = uuid if isinstance(uuid, str) else None
    thread = state.thread_of(uuid) if uuid else "main"
    time = state.note_time(parse_time(row.get("timestamp")))
    found = take_parts(row["message"]["parts"])
    extra: dict[str, Any] = {"thread": thread, "timestamp": time, "uuid": uuid}
    if kind == "assistant":
        model = row.get("model")
        state.note(model=model)
        state.merge_key = uuid or ""
        return state.assistant(
            found.text, calls=found.calls, reasoning=found.thinking, parts=tuple(found.other),
            model=as_text(model) or None, usage=usage_of_parts(row.get("usageMetadata")), **extra,
        )  # fmt: skip
    messages: list[Message] = []
    for answer in found.answers:
        messages += state.tool(
            answer.text, answer.call_id, name=answer.name, is_error=answer.is_error, **extra
        )
    if kind == "user" and (found.texts or found.other or not found.answers):
        content = [{"type": "text", "text": found.text}, *found.other] if found.other else found.text
        messages += state.user(content, **extra)
    return messages
