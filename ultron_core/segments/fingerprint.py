"""What a segment says, as 16 hex characters: the identity that survives moves, appends and re-ingests.

A message of role and text alone gives exactly the bytes of the Trajectory Hub spec: role, 0x00, content,
0x01. A message that carries more puts 0x1e and compact JSON after the content (keys sorted, UTF-8 unescaped,
call ids left out because harnesses renumber them, arguments decoded).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from ultron_core.models import Message, MessageLike, as_messages

__all__ = ["fingerprint_messages"]

#: half of a pair that JSON can name and UTF-8 cannot hold: "\ud83d"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def fingerprint_messages(messages: Sequence[MessageLike]) -> str:
    """SHA-256 over the messages in order, its first 16 hex characters. Line numbers and ids do not count."""
    hasher = hashlib.sha256()
    for message in as_messages(messages):
        hasher.update(_clean(message.role))
        hasher.update(b"\x00")
        hasher.update(_clean(message.content))
        extra = _extra(message)
        if extra:
            hasher.update(b"\x1e")
            hasher.update(_canonical(extra))
        hasher.update(b"\x01")
    return hasher.hexdigest()[:16]


def _extra(message: Message) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    if message.tool_calls:
        extra["tool_calls"] = [{"arguments": c.arguments, "name": c.name} for c in message.tool_calls]
    if message.name:
        extra["name"] = message.name
    if message.reasoning:
        extra["reasoning"] = message.reasoning
    return extra


def _canonical(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    # json writes NUL as an escape, so cleaning the encoded text alone would let it through
    return _clean(text.replace("\\u0000", ""))


def _clean(text: str) -> bytes:
    return _LONE_SURROGATE.sub("\ufffd", text.replace("\x00", "")).encode("utf-8")
