"""Native wire logs of Kimi CLI: `context.append_message` rows and loop events; prompts are repeated by them."""

from __future__ import annotations

from typing import Any

from ultron_core.models import ToolCall
from ultron_core.sessions.blocks import content_text, openai_calls
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.state import METADATA, Read, State
from ultron_core.sessions.text import as_text, decode, parse_time

__all__ = ["claims", "read"]

_FAMILIES = (
    "config.", "tools.", "turn.", "context.", "llm.", "permission.", "profile.", "plugin.", "runtime.",
    "token_counting.", "usage.", "todo.", "goal.", "skill.", "mcp.", "cron.", "task.", "subagent.",
)  # fmt: skip


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if not isinstance(kind, str) or "role" in row:
        return False
    return (kind.startswith(_FAMILIES) and "time" in row) or (
        kind == "metadata" and "protocol_version" in row
    )


def read(row: dict[str, Any], state: State) -> Read:
    kind = row.get("type")
    extra: dict[str, Any] = {"timestamp": state.note_time(parse_time(row.get("time")))}
    agent = row.get("agentId")
    if isinstance(agent, str) and agent not in ("", "main"):
        extra["thread"] = f"agent:{agent}"
    if kind == "metadata":
        state.note(harness="kimi", harness_version=as_text(row.get("protocol_version")))
    elif kind in ("config.update", "profile.bind"):
        state.note(model=row.get("modelAlias"), cwd=mapping(row.get("environmentDisclosure")).get("cwd"))
        prompt = row.get("systemPrompt")
        if isinstance(prompt, str) and prompt != state.memo.get("kimi_prompt"):
            state.memo["kimi_prompt"] = prompt
            return state.system(prompt, **extra)
    elif kind == "llm.tools_snapshot":
        state.note_tools(row.get("tools"))
    elif kind == "context.append_message":
        return _message(mapping(row.get("message")), state, extra)
    elif kind == "context.append_loop_event":
        return _event(mapping(row.get("event")), state, extra)
    elif kind in ("context.apply_compaction", "context.compaction") and isinstance(row.get("summary"), str):
        return state.user(row["summary"], "harness", **extra)
    return METADATA


def _message(message: Any, state: State, extra: dict[str, Any]) -> Read:
    role, content = message.get("role"), message.get("content")
    if role == "user":
        kind = mapping(message.get("origin")).get("kind")
        return state.user(content, "human" if kind in (None, "user") else "harness", **extra)
    if role == "assistant":
        return state.assistant(
            "" if content is None else content, calls=openai_calls(message.get("toolCalls")), **extra
        )
    if role == "tool":
        text, parts = content_text(content)
        return state.tool(text, as_text(message.get("toolCallId")) or None, parts=parts, **extra)
    return state.system(content, **extra) if role == "system" else "unknown_role"


def _event(event: Any, state: State, extra: dict[str, Any]) -> Read:
    kind = event.get("type")
    if kind == "content.part":
        state.merge_key = as_text(event.get("stepUuid")) or "~kimi"
        return state.assistant([event.get("part")], **extra)
    if kind == "tool.call":
        state.merge_key = as_text(event.get("stepUuid")) or "~kimi"
        arguments = decode(event.get("args", event.get("arguments")))
        call = ToolCall(as_text(event.get("toolCallId")), as_text(event.get("name")), arguments)
        return state.assistant("", calls=[call], **extra)
    if kind == "tool.result":
        result = mapping(event.get("result"))
        text, parts = content_text(result.get("output", event.get("result", event.get("output"))))
        failed = result.get("isError", event.get("isError"))
        return state.tool(
            text, as_text(event.get("toolCallId")) or None, parts=parts,
            is_error=failed if isinstance(failed, bool) else None, **extra,
        )  # fmt: skip
    return METADATA
