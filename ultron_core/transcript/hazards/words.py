"""The words of one command: its program, its operands, its short flags."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["URL", "Words", "has_short", "operands", "program_of"]

Words = Sequence[str]
#: an address on the network, e.g. `https://x`
URL = re.compile(r"(?:https?|ftp|git|ssh)://|^git@|^\d{1,3}(?:\.\d{1,3}){3}\b")
#: stands before a command and changes nothing of what it does
_BEFORE = frozenset(
    [
        "sudo",
        "doas",
        "env",
        "nohup",
        "time",
        "nice",
        "command",
        "exec",
        "xargs",
        "timeout",
        "then",
        "do",
        "else",
    ]
)


def program_of(words: Words) -> tuple[str, list[str]]:
    """The program without its path and what stands before it, in small letters, and its arguments; empty without."""
    rest = list(words)
    while rest and (rest[0].lower() in _BEFORE or re.fullmatch(r"[A-Za-z_]\w*=.*|-\S+|\d+[smh]?", rest[0])):
        rest.pop(0)
    return (rest[0].rsplit("/", 1)[-1].lower() or rest[0], rest[1:]) if rest else ("", [])


def has_short(arguments: Words, letters: str) -> bool:
    """Whether a cluster of short flags holds one of the letters: `-rf`."""
    return any(re.fullmatch(rf"-\w*[{letters}]\w*", word) for word in arguments)


def operands(arguments: Words) -> list[str]:
    """The arguments that are no flags."""
    return [word for word in arguments if not word.startswith("-")]
