"""Google's `parts`, as Gemini CLI and Qwen Code write them: texts, thoughts, function calls and their responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ultron_core.models import ToolCall
from ultron_core.sessions.blocks import image_part
from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.text import as_text, decode

__all__ = ["Answer", "Parts", "response_text", "take_parts", "usage_of_parts"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered: `{"functionResponse": {"id", "name", "response": {"output": ...}}}`."""

    call_id: str | None
    name: str | None
    text: str
    is_error: bool | None


@dataclass(slots=True)
class Parts:
    """The content of one row, sorted by meaning."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    other: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    @property
    def thinking(self) -> str | None:
        return "\n\n".join(self.thoughts) or None


def take_parts(content: Any) -> Parts:
    """Sort a string, a part or a list of parts."""
    found = Parts()
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            found.texts.append(part)
        elif isinstance(part, dict):
            _sort(part, found)
    return found


def _sort(part: dict[str, Any], found: Parts) -> None:
    if isinstance(part.get("text"), str):
        (found.thoughts if part.get("thought") is True else found.texts).append(part["text"])
    elif isinstance(call := part.get("functionCall"), dict):
        found.calls.append(
            ToolCall(as_text(call.get("id")), as_text(call.get("name")), decode(call.get("args")))
        )
    elif isinstance(answer := part.get("functionResponse"), dict):
        text, is_error = response_text(answer.get("response"))
        call_id, name = as_text(answer.get("id")), as_text(answer.get("name"))
        found.answers.append(Answer(call_id or None, name or None, text, is_error))
    elif isinstance(data := part.get("inlineData"), dict):
        found.other.append(image_part(data))
    elif part:
        found.other.append(image_part(part) if "fileData" in part else part)


def response_text(response: Any) -> tuple[str, bool | None]:
    """The text of a response, and whether it is an error: `{"output": "..."}` or `{"error": "..."}`."""
    body = mapping(response)
    for key in ("output", "error", "content", "result"):
        if key in body:
            return as_text(body[key]), True if key == "error" else None
    return (as_text(response) if response else ""), None


def usage_of_parts(raw: Any) -> Mapping[str, int] | None:
    """Token counts: `{"promptTokenCount": 12, "candidatesTokenCount": 4}` or `{"input": 100, "output": 10}`."""
    known = mapping(raw)
    counts = {}
    for ours, theirs in (
        ("input", ("promptTokenCount", "input")),
        ("output", ("candidatesTokenCount", "output")),
        ("cache_read", ("cachedContentTokenCount", "cached")),
        ("reasoning", ("thoughtsTokenCount", "thoughts")),
    ):
        value = next((known[key] for key in theirs if known.get(key).__class__ is int), None)
        if value is not None:
            counts[ours] = value
    return counts or None
