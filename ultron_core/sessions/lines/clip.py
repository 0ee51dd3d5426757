"""Strings of many megabytes are cut before they are parsed: text with one emoji takes four bytes a character."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ultron_core.sessions.lines.source import MAX_LINE_BYTES

__all__ = ["MAX_STRING_BYTES", "clip", "clipped_lines"]

#: bytes of one string in a log that are kept: as many as of an archived payload
MAX_STRING_BYTES = 10_000_000
#: a whole string, possessive, so that it needs no memory for backtracking: `"a \" in a string"`
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
#: what may be the beginning of an escape: `\u00`
_CUT_ESCAPE = re.compile(rb"\\(?:u[0-9A-Fa-f]{0,3})?\Z")
#: room for the words at the end of a string that was cut: one is not cut twice
_ROOM = 64


def clipped_lines(lines: Iterator[bytes], note: Callable[[int], None]) -> Iterator[bytes]:
    """The lines with no string over MAX_STRING_BYTES; `note` hears the number of each line that was cut."""
    for number, raw in enumerate(lines, 1):
        if len(raw) <= MAX_STRING_BYTES:
            yield raw
            continue
        short = clip(raw)
        if short is not raw:
            note(number)
        del raw
        yield short


def clip(raw: bytes) -> bytes:
    """The text of JSON values with each long string cut, and what is missing said at its end; a line that is too long
    to be read at all stays as it is."""
    if not MAX_STRING_BYTES < len(raw) <= MAX_LINE_BYTES:
        return raw
    parts: list[bytes] = []
    at = 0
    for match in _STRING.finditer(raw):
        start, end = match.span()
        if end - start > MAX_STRING_BYTES + _ROOM:
            kept = _whole(raw[start : start + 1 + MAX_STRING_BYTES])
            left_out = end - 1 - start - len(kept)
            parts += [raw[at:start], kept, b'\\n[%d more bytes, not stored]"' % left_out]
            at = end
    return b"".join([*parts, raw[at:]]) if parts else raw


def _whole(text: bytes) -> bytes:
    """Without the beginning of an escape or of a character of UTF-8 at its end."""
    if cut := _CUT_ESCAPE.search(text, max(0, len(text) - 6)):
        before = text[: cut.start()]
        # behind an odd number of backslashes this one is the second half of an escape
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return before
    for back in range(1, 5):
        if text[-back] < 0x80:
            break
        if text[-back] >= 0xC0:
            return text[:-back]
    return text
