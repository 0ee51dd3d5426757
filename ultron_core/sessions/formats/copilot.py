"""Native logs of GitHub Copilot CLI: `{"type": "user.message", "data": {...}, "id", "parentId"}` events."""

from __future__ import annotations

from typing import Any

from ultron_core.sessions.blocks import content_text, openai_calls
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text, parse_time

__all__ = ["claims", "read"]

_FAMILIES = ("session.", "user.", "assistant.", "tool.", "hook.", "system.", "subagent.", "skill.", "abort")
_META = ("session.", "hook.", "assistant.", "tool.", "subagent.", "skill.", "abort")


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    return isinstance(kind, str) and isinstance(row.get("data"), dict) and kind.startswith(_FAMILIES)


def read(row: dict[str, Any], state: State) -> Read:
    kind, data = as_text(row.get("type")), mapping(row.get("data"))
    extra: dict[str, Any] = {"timestamp": state.note_time(parse_time(row.get("timestamp")))}
    parent = data.get("parentToolCallId") or row.get("agentId")
    if isinstance(parent, str) and parent:
        extra["thread"] = f"agent:{parent}"
    if kind == "session.start":
        state.note(harness="copilot", session_id=data.get("sessionId"), model=data.get("selectedModel"))
        place = mapping(data.get("context"))
        state.note(harness_version=data.get("copilotVersion"), cwd=place.get("cwd"))
        state.note(root=place.get("gitRoot"), remote=place.get("repository"))
    elif kind == "session.model_change":
        state.note(model=data.get("newModel"))
    elif kind == "session.compaction_complete" and isinstance(data.get("summaryContent"), str):
        return state.user(data["summaryContent"], "harness", **extra)
    elif kind == "user.message":
        return _prompt(data, state, extra)
    elif kind == "assistant.message":
        return _assistant(data, state, extra)
    elif kind == "assistant.reasoning":
        state.merge_key = "~copilot"
        return state.assistant("", reasoning=as_text(data.get("content")), **extra)
    elif kind == "tool.execution_start":
        state.calls[as_text(data.get("toolCallId"))] = as_text(data.get("toolName"))
    elif kind == "tool.execution_complete":
        return _result(data, state, extra)
    elif kind == "system.message":
        return state.system(data.get("content"), **extra)
    elif kind == "system.notification":
        return state.user(as_text(data.get("content")), "harness", **extra)
    elif not kind.startswith(_META):
        return "unknown_type"
    return METADATA


def _prompt(data: Any, state: State, extra: dict[str, Any]) -> Read:
    """What a person wrote; files and images that go with it are parts."""
    files = data.get("attachments")
    attached = (
        [{**f, "type": "attachment"} for f in files if isinstance(f, dict)] if isinstance(files, list) else []
    )
    words = [{"type": "text", "text": as_text(data.get("content"))}]
    return state.user([*words, *attached] if attached else words[0]["text"], **extra)


def _assistant(data: Any, state: State, extra: dict[str, Any]) -> Read:
    model = data.get("model")
    if isinstance(model, str):
        extra["model"] = model
    state.note(model=model)
    if isinstance(data.get("outputTokens"), int):
        extra["usage"] = {"output": data["outputTokens"]}
    state.merge_key = "~copilot"
    calls = openai_calls(data.get("toolRequests"))
    content = as_text(data.get("content"))
    return state.assistant(content, calls=calls, reasoning=data.get("reasoningText"), **extra)


def _result(data: Any, state: State, extra: dict[str, Any]) -> Read:
    result, error = data.get("result"), data.get("error")
    body = mapping(result).get("content", result)
    if body is None and error is not None:
        body = mapping(error).get("message", error)
    text, parts = content_text(body)
    success = data.get("success")
    failed = not success if isinstance(success, bool) else None
    return state.tool(text, as_text(data.get("toolCallId")) or None, is_error=failed, parts=parts, **extra)
