"""Which lines of a message a memory rests on. A quote is redacted and its message is not, so that a placeholder stands
for any words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["ShownLine", "cut", "excerpt"]

#: e.g. `<EMAIL>`, `<US_PHONE_2>`
_PLACEHOLDER = re.compile(r"<[A-Z][A-Z0-9_]*>|…|\[\.\.\.\]|\[…\]")
#: a line of fewer characters is in every text: `}` or `fi`
_LEAST = 4
#: lines shown around a marked one
_AROUND = 3
#: lines shown of a message of which none is marked
_MOST_UNMARKED = 12
#: characters of a line, and of a message in a list: a page must stay readable
_MOST_LINE = 2_000
_MOST_MESSAGE = 3_000


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line of a message; `left_out` lines before it are not shown."""

    text: str
    is_marked: bool
    left_out: int = 0


def excerpt(content: str, quote: str, *, is_source: bool = True) -> list[ShownLine]:
    """The quoted lines with a few around each. When no line can be told apart in a source, all of it is marked."""
    lines = content.splitlines() or [""]
    marked = _marked(lines, quote) if is_source else set()
    if is_source and not marked:
        marked = set(range(min(len(lines), _MOST_UNMARKED)))
    near = {n for m in marked for n in range(m - _AROUND, m + _AROUND + 1)} or set(range(_MOST_UNMARKED))
    return list(_shown(lines, marked, near))


def cut(text: str) -> tuple[str, int]:
    """The beginning of a long text, and how many characters are left out."""
    return text[:_MOST_MESSAGE], max(0, len(text) - _MOST_MESSAGE)


def _marked(lines: Sequence[str], quote: str) -> set[int]:
    quoted = [parts for line in quote.splitlines() if (parts := _parts(line))]
    whole = " ".join(quote.split())
    found = set()
    for number, line in enumerate(lines):
        text = " ".join(line.split())
        if len(text) >= _LEAST and (text in whole or any(_holds(text, parts) for parts in quoted)):
            found.add(number)
    return found


def _parts(line: str) -> list[str]:
    parts = [" ".join(part.split()) for part in _PLACEHOLDER.split(line)]
    kept = [part for part in parts if part]
    return kept if sum(map(len, kept)) >= _LEAST else []


def _holds(text: str, parts: Sequence[str]) -> bool:
    """Whether the parts stand in the text, in their order."""
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def _shown(lines: Sequence[str], marked: set[int], near: set[int]) -> Iterator[ShownLine]:
    left_out = 0
    for number, line in enumerate(lines):
        if number in near:
            yield ShownLine(line[:_MOST_LINE], number in marked, left_out)
            left_out = 0
        else:
            left_out += 1
    if left_out:
        yield ShownLine("", False, left_out)
