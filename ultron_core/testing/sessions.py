"""Session files in the two wire formats, from plain messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ultron_core.models import Message, MessageLike, ToolCall, as_messages

__all__ = ["session_lines"]


def session_lines(
    messages: Sequence[MessageLike], wire_format: Literal["openai", "anthropic"] = "openai"
) -> bytes:
    """One JSON line per message, as an agent would log it; the bytes are the same for the same messages.

    Mappings are read as OpenAI messages (`role`, `content`, `tool_calls`, `tool_call_id`, `reasoning`).
    """
    shape = _openai if wire_format == "openai" else _anthropic
    lines = [json.dumps(shape(message), ensure_ascii=False) for message in as_messages(messages)]
    return "".join(line + "\n" for line in lines).encode("utf-8")


def _openai(message: Message) -> dict[str, Any]:
    row: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.reasoning:
        row["reasoning_content"] = message.reasoning
    if message.tool_calls:
        row["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _text(call)}}
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        row["tool_call_id"] = message.tool_call_id
    if message.name:
        row["name"] = message.name
    return row


def _text(call: ToolCall) -> str:
    is_text = isinstance(call.arguments, str)
    return str(call.arguments) if is_text else json.dumps(call.arguments, ensure_ascii=False)


def _anthropic(message: Message) -> Mapping[str, Any]:
    if message.role == "tool":
        block: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": message.tool_call_id,
            "content": message.content,
        }
        if message.is_error is not None:
            block["is_error"] = message.is_error
        return {"role": "user", "content": [block]}
    blocks: list[dict[str, Any]] = []
    if message.reasoning:
        blocks.append({"type": "thinking", "thinking": message.reasoning})
    if message.content or not (message.reasoning or message.tool_calls):
        blocks.append({"type": "text", "text": message.content})
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        for call in message.tool_calls
    ]
    return {"role": message.role, "content": blocks}
