"""Message content of every wire format, taken apart: text, reasoning, tool calls, tool results, the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ultron_core.models import ToolCall
from ultron_core.sessions.text import as_text, check_depth, decode

__all__ = ["Content", "Result", "call_of", "content_text", "image_part", "openai_calls", "take_apart"]

_TEXT = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_TEXT |= {"summary_text": "text", "inputText": "text", "outputText": "text", "reasoning_text": "text"}
_THINKING = {"thinking": "thinking", "reasoning": "text", "think": "think"}
_CALLS = frozenset(("tool_use", "toolCall", "function_call", "tool-call"))
_RESULTS = frozenset(("tool_result", "toolResult", "function_call_output", "tool-result"))
_IMAGES = frozenset(("image", "image_url", "input_image", "inputImage"))
#: base64 and other payloads above this many characters are replaced by their length
_PAYLOAD = 1024


@dataclass(slots=True)
class Result:
    """One tool result inside a content list."""

    call_id: str | None
    text: str
    is_error: bool | None
    parts: tuple[Mapping[str, Any], ...]


@dataclass(slots=True)
class Content:
    """Content of one row. `flow` keeps the order of text (joined when adjacent) and results."""

    flow: list[str | Result] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    parts: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(item for item in self.flow if isinstance(item, str))

    def add_text(self, text: str) -> None:
        if self.flow and isinstance(self.flow[-1], str):
            self.flow[-1] += "\n" + text
        else:
            self.flow.append(text)


def take_apart(content: Any) -> Content:
    """Sort a content value (string, list of blocks, one block, null or anything else) by meaning."""
    result = Content()
    if isinstance(content, str):
        result.flow.append(content)
    elif isinstance(content, list):
        for block in content:
            _sort(block, result)
    elif isinstance(content, dict) and isinstance(content.get("type"), str):
        _sort(content, result)
    elif content is not None:
        result.flow.append(as_text(content))
    return result


def _sort(block: Any, result: Content) -> None:
    if not isinstance(block, dict):
        if block is not None:
            result.add_text(as_text(block))
        return
    kind = block.get("type")
    if not isinstance(kind, str):
        result.parts.append(_slim(block))
    elif kind in _TEXT and isinstance(text := block.get(_TEXT[kind]), str):
        result.add_text(text)
    elif kind in _THINKING:
        text = block.get(_THINKING[kind]) or block.get("text")
        if isinstance(text, str) and text.strip():
            result.thinking.append(text)
    elif kind in _CALLS:
        result.calls.append(call_of(block))
    elif kind in _RESULTS:
        result.flow.append(_result(block))
    elif kind in _IMAGES:
        result.parts.append(image_part(block))
    else:
        result.parts.append(_slim(block))


def call_of(raw: Mapping[str, Any]) -> ToolCall:
    """A call from an Anthropic, OpenAI (nested or flat) or native block; unknown fields are left out."""
    function = raw.get("function")
    if function.__class__ is dict:
        known = raw.get("id"), function.get("name"), function.get("arguments")
        if known[0].__class__ is known[1].__class__ is known[2].__class__ is str:
            return ToolCall(known[0], known[1], decode(known[2]))
    custom = raw.get("custom")  # a tool that takes free text, OpenAI's other kind of call
    if isinstance(custom, dict) and isinstance(custom.get("input"), str):
        return ToolCall(as_text(raw.get("id")), as_text(custom.get("name")), {"input": custom["input"]})
    inner = function if isinstance(function, dict) else raw
    arguments = next(
        (inner[k] for k in ("input", "arguments", "args", "parameters", "params") if k in inner), None
    )
    name = inner.get("name") or inner.get("toolName") or inner.get("tool") or ""
    call_id = raw.get("id") or raw.get("call_id") or raw.get("toolCallId") or raw.get("tool_call_id") or ""
    return ToolCall(id=as_text(call_id), name=as_text(name), arguments=decode(arguments))


def openai_calls(raw: Any) -> list[ToolCall]:
    """The calls of an OpenAI `tool_calls` list; what is not an object is left out."""
    return [call_of(item) for item in raw if isinstance(item, dict)] if isinstance(raw, list) else []


def _result(block: Mapping[str, Any]) -> Result:
    body = block.get("content", block.get("output"))
    text, parts = content_text(body)
    call_id = block.get("tool_use_id") or block.get("toolCallId") or block.get("call_id")
    is_error = block.get("is_error", block.get("isError"))
    return Result(
        as_text(call_id) if call_id else None, text, is_error if isinstance(is_error, bool) else None, parts
    )


def content_text(body: Any) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    """The text of a tool's answer, and its parts that are not text."""
    if isinstance(body, str):
        return body, ()
    if isinstance(body, list):
        inner = take_apart(body)
        return inner.text, tuple(inner.parts)
    if isinstance(body, dict):
        kind = body.get("type")
        if isinstance(kind, str) and (kind in _TEXT or kind in _IMAGES):
            return content_text([body])
    return as_text(body), ()


def image_part(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """An image as {"type", "media_type", "bytes"} (or its web address), without its data."""
    source = block.get("source")
    source = source if isinstance(source, dict) else block
    url = source.get("url") or block.get("image_url") or block.get("imageUrl")
    if isinstance(url, dict):
        url = url.get("url")
    media = source.get("media_type") or source.get("mimeType") or block.get("mimeType")
    data = source.get("data")
    if isinstance(url, str) and url.startswith("data:"):
        head, _, data = url[5:].partition(",")
        media, url = media or head.partition(";")[0], None
    part: dict[str, Any] = {"type": "image", "media_type": media if isinstance(media, str) else None}
    if isinstance(url, str):
        part["url"] = url
    # base64: four characters encode three bytes
    part["bytes"] = len(data.rstrip("=")) * 3 // 4 if isinstance(data, str) else 0
    return part


def _slim(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """An unknown block unchanged, except that long payloads are replaced by their length."""
    check_depth(block)
    return {key: _slim_value(value) for key, value in block.items()}


def _slim_value(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _PAYLOAD and " " not in value[:_PAYLOAD]:
        return {"characters": len(value)}
    if isinstance(value, dict):
        return {key: _slim_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_slim_value(item) for item in value]
    return value
