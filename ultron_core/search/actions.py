"""What an agent did, in a few words: the calls of a message, and the lines of a result that speak of an error.

Whole tool output would be most of the index and little of the answer; what people look for are the file, the
command and the error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ultron_core.models import Message

__all__ = ["action_lines"]

_VALUE_CHARS, _CALL_CHARS, _LINE_CHARS = 160, 400, 240
#: lines of one result, and how much of it is looked at
_MOST_LINES, _LOOKED_AT = 4, 40_000
_ERROR = re.compile(
    r"\b(?:[A-Za-z_.]*(?:Error|Exception|Warning)|E[A-Z]{3,}|error|fatal|panic(?:ked)?|FAIL(?:ED|URE)?|failed|denied"
    r"|abort(?:ed)?|undefined reference|cannot|could not|not found|no such file|timed out|refused)\b"
    r"|错误|失败|异常|报错|超时|拒绝|找不到",
)


def action_lines(message: Message) -> Iterator[str]:
    """One line a call, and up to four error lines of a result; nothing for a message without either."""
    for call in message.tool_calls:
        said = " ".join(value[:_VALUE_CHARS] for value in _strings(call.arguments))
        yield f"{call.name}: {' '.join(said.split())}"[:_CALL_CHARS]
    if message.role == "tool":
        yield from _error_lines(message)


def _error_lines(message: Message) -> Iterator[str]:
    text = message.content
    if len(text) > _LOOKED_AT:
        # tools print what went wrong at the end
        text = text[: _LOOKED_AT // 4] + "\n" + text[-_LOOKED_AT * 3 // 4 :]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = list(dict.fromkeys(line[:_LINE_CHARS] for line in lines if _ERROR.search(line)))
    if message.is_error and not found:
        found = [line[:_LINE_CHARS] for line in lines[:2]]
    for line in found[: _MOST_LINES // 2] + found[_MOST_LINES // 2 :][-_MOST_LINES // 2 :]:
        yield f"tool: {line}"


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
