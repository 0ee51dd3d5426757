"""Native logs of Claude Code (`~/.claude/projects/<project>/<session>.jsonl` and its sub-agents' files).

Rows name their parent, so a file is read twice: rewound branches and sub-agents become threads. Rows of one
answer (equal message id) are put together. A row whose uuid came before (a resumed session repeats its
history) counts once. progress, attachment, system, summary and snapshot rows carry no message.
"""

from __future__ import annotations

import re
from typing import Any

from ultron_core.models import Message, Origin
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.state import METADATA, Read, State, usage_of
from ultron_core.sessions.text import as_text, parse_time
from ultron_core.sessions.tree import Node

__all__ = ["claims", "node", "read"]

_TALK = frozenset(("user", "assistant"))
_META = frozenset(
    [
        "progress",
        "attachment",
        "system",
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "permission-mode",
        "mode",
        "agent-name",
        "agent-color",
        "agent-setting",
        "custom-title",
        "ai-title",
        "last-prompt",
        "tag",
        "pr-link",
        "worktree-state",
        "bridge-session",
        "atis-latch",
        "frame-link",
        "started",
        "content-replacement",
        "speculation-accept",
        "marble-origami-commit",
        "marble-origami-snapshot",
        "result",
        "stream_event",
        "rate_limit_event",
    ]
)
_MARKS = ("parentUuid", "sessionId", "isSidechain", "leafUuid", "session_id")
# a scrubber's placeholder ("[trimmed]") names no row
_ID = re.compile(r"[\w.:@-]+")


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _TALK:
        return isinstance(row.get("message"), dict) and "role" not in row
    return kind in _META or any(mark in row for mark in _MARKS[:3])


def node(row: dict[str, Any]) -> Node | None:
    """The row's place in the tree of parentUuid (logicalParentUuid after a compaction)."""
    uuid = row.get("uuid")
    if not isinstance(uuid, str) or not _ID.fullmatch(uuid):
        return None
    parent = row.get("parentUuid") or row.get("logicalParentUuid")
    agent = None
    if row.get("isSidechain") is True:
        agent = as_text(row.get("agentId"))
    kind = row.get("type")
    return Node(
        uuid,
        parent if isinstance(parent, str) else None,
        talks=kind in _TALK,
        prompt=kind == "user" and not row.get("isMeta") and _is_prompt(mapping(row.get("message"))),
        agent=agent,
        quiet=kind == "progress",
    )


def _is_prompt(message: Any) -> bool:
    content = message.get("content")
    if isinstance(content, list):
        return not any(isinstance(b, dict) and b.get("type") == "tool_result" for b in content)
    return isinstance(content, str)


def read(row: dict[str, Any], state: State) -> Read:
    kind = row.get("type")
    uuid = row.get("uuid")
    uuid = uuid if isinstance(uuid, str) and _ID.fullmatch(uuid) else None
    if uuid:
        if uuid in state.seen_ids:
            return "duplicate_uuid"
        state.seen_ids.add(uuid)
    if "cwd" not in state.info:
        state.note(harness="claude_code", session_id=row.get("sessionId"), cwd=row.get("cwd"))
        state.note(harness_version=row.get("version"))
    if kind == "attachment":
        return _attachment(row, state, uuid)
    if kind not in _TALK:
        return METADATA if kind in _META else "unknown_type"
    message = mapping(row.get("message"))
    extra: dict[str, Any] = {"thread": _thread(row, uuid, state), "uuid": uuid}
    extra["timestamp"] = state.note_time(parse_time(row.get("timestamp")))
    if kind == "assistant":
        return _assistant(row, message, state, extra)
    return _user(row, message, state, extra)


def _thread(row: dict[str, Any], uuid: str | None, state: State) -> str:
    if uuid:
        return state.threads.get(uuid, "main")
    if row.get("isSidechain") is True:
        return f"agent:{as_text(row.get('agentId')) or 'unnamed'}"
    return "main"


def _assistant(row: dict[str, Any], message: Any, state: State, extra: dict[str, Any]) -> list[Message]:
    origin: Origin = "model"
    model = message.get("model")
    if row.get("isApiErrorMessage") is True or model == "<synthetic>":
        origin = "harness"
    else:
        state.note(model=model)
        extra["model"] = model if isinstance(model, str) else None
    extra["usage"] = usage_of(message.get("usage"))
    if isinstance(message.get("id"), str):
        state.merge_key = message["id"]
    content = message.get("content")
    return state.assistant("" if content is None else content, origin=origin, **extra)


def _user(row: dict[str, Any], message: Any, state: State, extra: dict[str, Any]) -> list[Message]:
    origin: Origin = "human"
    kind = as_text(mapping(row.get("origin")).get("kind"))
    injected = row.get("isMeta") is True or row.get("isCompactSummary") is True
    if injected or row.get("isVisibleInTranscriptOnly") is True or kind in _NOT_HUMAN:
        origin = "harness"
    elif row.get("isSidechain") is True:
        # the parent model wrote the sub-agent's task
        origin = "model"
    messages = state.user(message.get("content"), origin, **extra)
    source = row.get("sourceToolUseID")
    if isinstance(source, str):
        return [_answered(item, source, state) for item in messages]
    return messages


_NOT_HUMAN = frozenset(
    ("task", "task-notification", "agent", "hook", "system", "coordinator", "channel", "peer")
)


def _answered(message: Message, call_id: str, state: State) -> Message:
    if message.role != "tool" or message.tool_call_id:
        return message
    return state.tool(
        message.content, call_id, is_error=message.is_error, parts=message.parts,
        thread=message.thread, timestamp=message.timestamp, uuid=message.uuid,
    )[0]  # fmt: skip


def _attachment(row: dict[str, Any], state: State, uuid: str | None) -> Read:
    """Of all attachments only a prompt that a person queued while the model worked is a message."""
    attachment = mapping(row.get("attachment"))
    if attachment.get("type") != "queued_command" or attachment.get("commandMode") != "prompt":
        return METADATA
    extra: dict[str, Any] = {"thread": _thread(row, uuid, state), "uuid": uuid}
    extra["timestamp"] = state.note_time(parse_time(row.get("timestamp")))
    kind = as_text(mapping(attachment.get("origin")).get("kind"))
    return state.user(attachment.get("prompt"), "harness" if kind in _NOT_HUMAN else "human", **extra)
