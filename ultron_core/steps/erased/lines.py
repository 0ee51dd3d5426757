"""Words of a message taken out: of its record, and of the bytes of a log."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from ultron_core.models import Message
from ultron_core.segments import fingerprint_messages
from ultron_core.sessions import parse_session
from ultron_core.sessions.lines.records import ERASED_LINE

__all__ = ["blanked", "emptied"]


def emptied(message: Message) -> Message:
    """A message without its words: where it stands, who said it and when stays."""
    return replace(message, content="", tool_calls=(), reasoning=None, parts=(), name=None)


@dataclass(frozen=True, slots=True)
class _Lines:
    """The physical lines of messages that go, and of those that stay."""

    gone: frozenset[int]
    kept: frozenset[int]


def blanked(body: bytes, digests: Collection[str]) -> bytes | None:
    """The same bytes with the lines of these messages blanked, each as long as before; None where that cannot be done:
    a packed log, or lines that hold other messages, too."""
    if body[:2] == b"\x1f\x8b":
        return None
    lines = _lines_of(body, digests)
    if lines.gone & lines.kept:
        return None
    parts = body.split(b"\n")
    for number in lines.gone:
        room = len(parts[number - 1])
        parts[number - 1] = ERASED_LINE.ljust(room) if room >= len(ERASED_LINE) else b" " * room
    return b"\n".join(parts)


def _lines_of(body: bytes, digests: Collection[str]) -> _Lines:
    gone: set[int] = set()
    kept: set[int] = set()
    for message in parse_session(body).messages:
        lines = range(message.start_line, message.end_line + 1)
        (gone if fingerprint_messages([message]) in digests else kept).update(lines)
    return _Lines(frozenset(gone), frozenset(kept))
