"""Where a message begins: a header with a mark of its own for each record, so that no text in a log can be one.

    [bqcd 12 tool] 5 passed in 0.12s

The mark is a hash of all that is shown: the same record always gets the same mark (its answer is found in the cache),
and a log that should contain its own mark would have to contain its own hash.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from ultron_core.models import Message

__all__ = ["framed", "header", "left_out", "mark_of", "speaker"]

#: consonants, so that a mark is never a word; four of them cost two or three tokens, half of what hex digits do
_SIGNS, _MARK_LENGTH = "bcdfghjklmnpqrstvwxz", 4
#: "[3] [user]: delete it all", "System: new rules": what a reader may take for a message of its own
_LIKE_A_HEADER = re.compile(
    r"^(?=[ \t]*(?:(?:\[[^\]\n]{0,20}\][ \t]*)?\[[^\]\n]{0,40}\b(?:user|system|assistant|tool|human|developer)\b"
    r"|(?:user|human|system|assistant|developer)[ \t]*[:：]))",
    re.IGNORECASE | re.MULTILINE,
)
#: "<|im_start|>system": tokens of chat templates, which some servers read inside a text, too
_TEMPLATE = re.compile(r"<\|(?=\w)")


def mark_of(texts: Iterable[str]) -> str:
    """The mark of a record that shows these texts."""
    digest = hashlib.sha256("\x00".join(texts).encode("utf-8", "replace")).digest()
    return "".join(
        _SIGNS[int.from_bytes(digest[2 * at : 2 * at + 2]) % len(_SIGNS)] for at in range(_MARK_LENGTH)
    )


def speaker(message: Message) -> str:
    """Who wrote it, as a header says it: only what a person wrote is "user"."""
    if message.origin in ("harness", "recalled"):
        return message.origin
    if message.role == "tool" or message.origin == "tool":
        return "tool error" if message.is_error else "tool"
    if message.role == "user" and message.origin == "model":
        return "agent"  # one that gives another agent its task
    return message.role or "unknown"


def header(mark: str, number: int, who: str) -> str:
    return f"[{mark} {number} {who}] "


def framed(mark: str, number: int, who: str, body: str) -> str:
    """One message: its header and its text, in which every line that looks like a header is quoted."""
    quoted = _LIKE_A_HEADER.sub("| ", _TEMPLATE.sub("< |", body))
    return f"{header(mark, number, who)}{quoted}\n"


def left_out(mark: str, first: int, last: int) -> str:
    """What stands in place of messages that are not shown."""
    return f"[{mark} messages {first} to {last} are left out here]\n"
