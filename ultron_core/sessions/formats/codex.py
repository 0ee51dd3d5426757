"""Native rollouts of Codex (`~/.codex/sessions/.../rollout-*.jsonl`), also older ones without an envelope.

`response_item` rows are the conversation; `event_msg` rows repeat it for the screen and are metadata (of them only
the failure of a call and the tokens of an answer are read), as is `compacted.replacement_history`. Pieces of one
answer that follow each other become one message.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from ultron_core.models import ToolCall
from ultron_core.sessions.blocks import content_text, take_apart
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.origins import Marks
from ultron_core.sessions.state import METADATA, Read, State, usage_of
from ultron_core.sessions.text import as_text, decode, parse_time

__all__ = ["MARKS", "claims", "read"]

#: `<environment_context><cwd>/repo</cwd> ...</environment_context>` opens a rollout, AGENTS.md follows it
MARKS = Marks(
    tags=(
        *("environment_context", "user_instructions", "turn_aborted", "subagent_notification"),
        *("permissions instructions", "collaboration_mode", "apps_instructions", "skills_instructions"),
        *("plugins_instructions", "model_switch"),
    ),
    openings=(
        "# AGENTS.md instructions for ",
        "Another language model started to solve this problem",
        "# Resuming from a compaction",
    ),
)

_ENVELOPES = frozenset(
    [
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "inter_agent_communication_metadata",
    ]
)
_CALLS = frozenset(
    [
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "tool_search_call",
        "web_search_call",
        "image_generation_call",
        "mcp_call",
        "computer_call",
    ]
)
_OUTPUTS = frozenset(
    [
        "function_call_output",
        "custom_tool_call_output",
        "tool_search_output",
        "local_shell_call_output",
        "mcp_call_output",
        "computer_call_output",
    ]
)
_BARE = _CALLS | _OUTPUTS | {"reasoning"}
#: how shell tools begin a plain-text answer, e.g. `Exit code: 1⏎`, `Process exited with code 0⏎`
_EXIT_CODE = re.compile(
    r"(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Exit code:|Process exited with code) (-?\d{1,10})\n"
)
#: keys of the first line of a rollout without an envelope
_OLD_HEADER = {"id", "timestamp", "instructions"}
_INPUTS = frozenset(("input_text", "output_text", "input_image"))


def claims(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if not isinstance(kind, str):
        return row.get("record_type") == "state" or row.keys() >= _OLD_HEADER
    if isinstance(row.get("payload"), dict):
        return kind in _ENVELOPES or "timestamp" in row
    if kind == "message":
        content = row.get("content")
        return "role" in row and isinstance(content, list) and any(
            as_text(mapping(block).get("type")) in _INPUTS for block in content
        )  # fmt: skip
    if kind in _BARE:
        return "call_id" in row or "summary" in row or "action" in row or "arguments" in row
    return row.get("record_type") == "state"


def read(row: dict[str, Any], state: State) -> Read:
    stamp = state.note_time(parse_time(row.get("timestamp")))
    if row.get("record_type") == "state":
        return METADATA
    kind, payload = row.get("type"), row.get("payload")
    if not isinstance(kind, str):
        return _header(row, state, stamp)
    if not isinstance(payload, dict):
        return _item(row, state, {"timestamp": stamp})
    if kind == "response_item":
        return _item(payload, state, {"timestamp": stamp, "model": state.memo.get("codex_model")})
    if kind == "session_meta":
        return _header(payload, state, stamp)
    if kind == "event_msg":
        _event(payload, state)
    elif kind == "turn_context":
        state.note(cwd=payload.get("cwd"), model=payload.get("model"))
        if isinstance(payload.get("model"), str):
            state.memo["codex_model"] = payload["model"]
    elif kind == "compacted" and as_text(payload.get("message")).strip():
        return state.user(as_text(payload["message"]), "harness", timestamp=stamp)
    elif kind not in _ENVELOPES:
        return "unknown_type"
    return METADATA


def _header(payload: dict[str, Any], state: State, stamp: datetime | None) -> Read:
    """The system prompt is given once, by the first header: a resumed session repeats its own."""
    state.note(harness="codex", session_id=payload.get("id"), cwd=payload.get("cwd"))
    state.note(harness_version=payload.get("cli_version"))
    state.note(remote=mapping(payload.get("git")).get("repository_url"))
    state.note_tools(payload.get("tools"))
    prompt = mapping(payload.get("base_instructions")).get("text") or payload.get("instructions")
    if not isinstance(prompt, str) or "codex_prompt" in state.memo:
        return METADATA
    state.memo["codex_prompt"] = True
    return state.system(prompt, timestamp=stamp)


def _event(event: dict[str, Any], state: State) -> None:
    kind = event.get("type")
    if kind == "token_count":
        state.late_usage = usage_of(mapping(event.get("info")).get("last_token_usage"))
        return
    call_id, failed = event.get("call_id"), None
    if kind == "exec_command_end" and isinstance(event.get("exit_code"), int):
        failed = event["exit_code"] != 0
    elif kind == "patch_apply_end" and isinstance(event.get("success"), bool):
        failed = not event["success"]
    elif kind == "mcp_tool_call_end":
        result = mapping(event.get("result"))
        failed = "Err" in result or mapping(result.get("Ok")).get("isError") is True
    if failed is not None and isinstance(call_id, str):
        state.failed[call_id] = failed


def _item(item: dict[str, Any], state: State, extra: dict[str, Any]) -> Read:
    kind = as_text(item.get("type"))
    if kind == "message":
        return _message(item, state, extra)
    if kind in _CALLS:
        state.merge_key = "~codex"
        return state.assistant("", calls=[_call(item)], **extra)
    if kind in _OUTPUTS:
        return _output(item, state, extra)
    if kind == "reasoning":
        taken = take_apart(item.get("summary")), take_apart(item.get("content"))
        text = "\n\n".join(t for part in taken for t in (part.text, *part.thinking) if t)
        if not text.strip():
            return METADATA
        state.merge_key = "~codex"
        return state.assistant("", reasoning=text, **extra)
    if kind == "agent_message":
        extra.pop("model", None)
        return state.user(item.get("content"), "model", name=as_text(item.get("author")) or None, **extra)
    if kind in ("ghost_snapshot", "compaction", "compaction_summary"):
        return METADATA
    return "unknown_type"


def _message(item: dict[str, Any], state: State, extra: dict[str, Any]) -> Read:
    role, content = item.get("role"), item.get("content")
    if role == "assistant":
        state.merge_key = "~codex"
        return state.assistant("" if content is None else _real(content), **extra)
    extra.pop("model", None)
    if role in ("system", "developer"):
        return state.system(content, **extra)
    return state.user(_real(content), **extra) if role == "user" else "unknown_role"


def _real(content: Any) -> Any:
    """Content without image blocks that contain no image."""
    if not isinstance(content, list):
        return content
    return [b for b in content if not (mapping(b).get("type") == "input_image" and not b.get("image_url"))]


def _call(item: dict[str, Any]) -> ToolCall:
    kind = as_text(item.get("type"))
    name = as_text(item.get("name")) or kind.removesuffix("_call")
    arguments = next((item[key] for key in ("arguments", "input", "action") if key in item), None)
    # a custom tool takes free text (a patch); an object to all who read calls, as trainers want one
    free = kind == "custom_tool_call" and isinstance(arguments, str)
    return ToolCall(
        as_text(item.get("call_id") or item.get("id")),
        name,
        {"input": arguments} if free else decode(arguments),
    )


def _output(item: dict[str, Any], state: State, extra: dict[str, Any]) -> Read:
    body = item.get("output", item.get("tools"))
    failed: bool | None = None
    # shell tools answer with {"output": ..., "metadata": {"exit_code": ...}} in a string
    decoded = mapping(decode(body)) if isinstance(body, str) and body.startswith("{") else mapping(body)
    if isinstance(decoded.get("output"), str) and ("metadata" in decoded or len(decoded) == 1):
        body = decoded["output"]
        code = mapping(decoded.get("metadata")).get("exit_code")
        failed = code != 0 if isinstance(code, int) else None
    elif isinstance(decoded.get("content"), (str, list)):
        body = decoded["content"]
        failed = not decoded["success"] if isinstance(decoded.get("success"), bool) else None
    text, parts = content_text(body)
    call_id = as_text(item.get("call_id")) or None
    if failed is None and call_id in state.failed:
        failed = state.failed[call_id]
    if failed is None and (code := _EXIT_CODE.match(text)):
        failed = code[1] != "0"
    return state.tool(text, call_id, is_error=failed, parts=parts, timestamp=extra.get("timestamp"))
