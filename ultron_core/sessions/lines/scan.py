"""Where JSON values begin and end in text that is not a clean JSON line: brackets and strings, nothing more.

Runs in time linear in the text and without recursion, so that neither depth nor length is a problem.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

__all__ = ["Scan", "element_lines", "scan"]

# possessive, so that a string of 20 MB needs no memory for backtracking; a lone quote is a truncated string,
# e.g. `"a } in a string"`, `{`, `"cut off`
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]|"', re.DOTALL)
_OPEN, _CLOSE, _QUOTE = frozenset(b"{["), frozenset(b"}]"), ord('"')


@dataclass(slots=True)
class Scan:
    """What one stretch of text holds: complete objects, and an object still open at its end."""

    #: (start, end) of each complete object; `[`, `]` and `,` between objects only separate
    spans: list[tuple[int, int]] = field(default_factory=list)
    #: where an object opens that does not close, else -1
    open_at: int = -1
    depth: int = 0
    #: the text ends inside a string: no further line can complete it
    cut: bool = False


def scan(text: bytes, depth: int = 0) -> Scan:
    """Find the objects of `text`; `depth` brackets are open already, and span starts are then -1."""
    found, start = Scan(depth=depth), -1
    for match in _TOKEN.finditer(text):
        byte = text[match.start()]
        if byte == _QUOTE:
            found.cut = match.end() - match.start() == 1
            continue
        if byte in _OPEN:
            if found.depth == 0:
                if byte != ord("{"):
                    continue
                start = match.start()
            found.depth += 1
        elif byte in _CLOSE and found.depth > 0:
            found.depth -= 1
            if found.depth == 0:
                found.spans.append((start, match.end()))
                start = -1
    found.open_at = start if found.depth and depth == 0 else -1
    return found


def element_lines(text: bytes, key: str) -> list[tuple[int, int]]:
    """(first, last) line, 0-based, of each element of the list under `key` of the object in `text`."""
    wanted = b'"' + key.encode() + b'"'
    newlines = [m.start() for m in re.finditer(rb"\n", text)]
    depth, inside, start, armed = 0, False, -1, False
    spans: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        byte = text[match.start()]
        if byte == _QUOTE:
            after = text[match.end() : match.end() + 16].lstrip()
            armed = depth == 1 and match.group() == wanted and after.startswith(b":")
        elif byte in _OPEN:
            depth += 1
            if depth == 2 and armed and byte == ord("["):
                inside, spans = True, []
            elif depth == 3 and inside:
                start = match.start()
            armed = False
        else:
            depth -= 1
            if depth == 2 and inside:
                spans.append((bisect_right(newlines, start), bisect_right(newlines, match.start())))
            elif depth == 1:
                inside = False
    return spans
