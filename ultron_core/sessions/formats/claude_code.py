"""Native logs of Claude Code (`~/.claude/projects/<project>/<session>.jsonl` and its sub-agents' files).

Rows name their parent, so a file is read twice: rewound branches and sub-agents become threads. Rows of one
answer (equal message id) are merged. A row whose uuid came before (a resumed session repeats its
history) counts once. progress, attachment, system, summary and snapshot rows carry no message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ultron_core.models import Message, Origin
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.state import METADATA, Read, State, usage_of
from ultron_core.sessions.text import as_text, parse_time
from ultron_core.sessions.tree import Tree

__all__ = ["claims", "plant", "read"]

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
_ID = re.compile(r"[\w.:@-]+")


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if kind.__class__ is not str:
        return False
    if kind in _TALK:
        return row.get("message").__class__ is dict and "role" not in row
    return kind in _META or "parentUuid" in row or "sessionId" in row or "isSidechain" in row


def plant(row: dict[str, Any], tree: Tree) -> bool:
    """The row's place in the tree of parentUuid (logicalParentUuid after a compaction)."""
    uuid = _id(row)
    kind: str = row["type"]
    if uuid is not None:
        parent = row.get("parentUuid") or row.get("logicalParentUuid")
        if parent.__class__ is not str:
            parent = None
        agent = as_text(row.get("agentId")) if row.get("isSidechain") is True else None
        prompt = kind == "user" and not row.get("isMeta") and _is_prompt(row["message"])
        tree.add(uuid, parent, kind in _TALK, prompt, agent)
    return kind == "progress"


def _id(row: dict[str, Any]) -> str | None:
    uuid = row.get("uuid")
    # a uuid has 36 characters; a scrubber's placeholder ("[trimmed]") names no row
    if uuid.__class__ is str and ((len(uuid) == 36 and uuid[8] == "-") or _ID.fullmatch(uuid)):
        return uuid
    return None


def _is_prompt(message: dict[str, Any]) -> bool:
    content = message.get("content")
    if isinstance(content, list):
        return not any(isinstance(b, dict) and b.get("type") == "tool_result" for b in content)
    return isinstance(content, str)


def read(row: dict[str, Any], state: State) -> Read:
    kind, uuid = row["type"], _id(row)
    if "cwd" not in state.info:
        state.note(harness="claude_code", session_id=row.get("sessionId"), cwd=row.get("cwd"))
        state.note(harness_version=row.get("version"))
    if kind not in _TALK and kind != "attachment":
        return METADATA if kind in _META else "unknown_type"
    if uuid:
        if uuid in state.seen_ids:
            return "duplicate_uuid"
        state.seen_ids.add(uuid)
    if kind == "attachment":
        return _attachment(row, state, uuid)
    message = row["message"]
    extra: dict[str, Any] = {"thread": _thread(row, uuid, state), "uuid": uuid}
    extra["timestamp"] = state.note_time(parse_time(row.get("timestamp")))
    if kind == "assistant":
        return _assistant(row, message, state, extra)
    return _user(row, message, state, extra)


def _thread(row: dict[str, Any], uuid: str | None, state: State) -> str:
    if uuid:
        return state.thread_of(uuid)
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
    injected = row.get("isMeta") is True or row.get("isCompactSummary") is True
    if injected or row.get("isVisibleInTranscriptOnly") is True or _sent_by_harness(row):
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


def _sent_by_harness(row: Mapping[str, Any]) -> bool:
    origin = row.get("origin")
    return origin.__class__ is dict and as_text(origin.get("kind")) in _NOT_HUMAN


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
    origin: Origin = "harness" if _sent_by_harness(attachment) else "human"
    return state.user(attachment.get("prompt"), origin, **extra)
