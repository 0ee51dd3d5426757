"""The text as a reader sees it: colour codes and invisible characters gone, escapes decoded, with the way back.

Finders look at the text and, where it differs, at this view of it; what they find is mapped back to the original.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ultron_core.redaction.spans import Span

__all__ = ["Normal", "normalised", "without"]

#: terminal colours and other control sequences (ECMA-48): `\x1b[31mghp_...`, also written out as `\033[31m`
_ANSI = (
    r"(?:\x1b|\\(?:x1[bB]|033|e|u001[bB]))(?:\[[0-9;?]{0,20}[A-Za-z]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))"
    r"|\x9b[0-9;?]{0,20}[A-Za-z]|\x9d[^\x07\x1b\x9c-\x9d\n]{0,200}(?:\x07|\x1b\\|\x9c)"
)
#: zero-width characters, soft hyphen, joiners, direction marks, variants, byte order mark, tags: nobody sees them
_INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e007f"
)
#: letters, digits and the signs of keys and addresses in their full-width form: `ｓｋ－ａｂｃ`
_WIDE = "\uff21-\uff3a\uff41-\uff5a\uff10-\uff19\uff0d\uff3f\uff20\uff0e\uff0f\uff0b\uff1d"
#: letters of other alphabets that look like ours, beside ours in one word: `pаssword` with a Cyrillic а (Unicode's list
#: of confusable characters, TR 39, has thousands; these are in no other letter's place)
_TWINS = dict(
    zip(
        "аеорсухіѕјһԁԛԝАВЕКМНОРСТУХІЅЈοανρικΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡ",
        "aeopcyxisjhdqwABEKMHOPCTYXISJoavpikABEZHIKMNOPTYXg",
        strict=True,
    )
)
_TWIN = f"[{''.join(_TWINS)}]"
#: letters and digits of mathematics: `𝗉𝖺𝗌𝗌𝗐𝗈𝗋𝖽`
_MATHS = "\U0001d400-\U0001d7ff"
#: a run of backslashes counts once, so that JSON inside JSON reads the same at any depth; one before a line end joins
#: the lines, as shells do
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "\n": "", '"': '"', "'": "'", "/": "/", "`": "`"}
#: what another notation writes for a plain character, e.g. `␛[31m`, `\n`, `\u0022`, `%3D`, `&quot;`, `“`
_PIECE = re.compile(
    rf"(?P<gone>{_ANSI}|[{_INVISIBLE}]{{1,100}})|(?P<wide>[{_WIDE}{_MATHS}])"
    rf"|(?P<twin>{_TWIN}(?={_TWIN}{{0,20}}[A-Za-z0-9_])|(?<=[A-Za-z_]){_TWIN})"
    r"|\\{1,8}(?:u00(?P<u>[2-7][0-9a-fA-F])|x(?P<x>[2-7][0-9a-fA-F])|(?P<simple>[nrt\n\"'/`]))"
    r"|%(?P<pct>[2-7][0-9a-fA-F])|&(?:(?P<html>quot|amp|apos|lt|gt)|#0{0,4}(?P<dec>3[2-9]|[4-9]\d|1[01]\d|12[0-6])|#x0{0,4}(?P<hex>[2-7][0-9a-fA-F]));|(?P<curly>[“”‘’])"
)
_HTML = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">"}
_CURLY = {"“": '"', "”": '"', "‘": "'", "’": "'"}
#: where a piece may begin; searched first, as a class of characters is found much faster than the
#: alternatives, e.g. `%`, `&`, `“`
_BEGINS = re.compile(rf"[\x1b\x9b\x9d\\%&{_INVISIBLE}{_WIDE}{_MATHS}{''.join(_TWINS)}“”‘’]")


@dataclass(frozen=True, slots=True)
class Normal:
    """The view and, for each of its stretches, where it starts here and there and how long it is there."""

    text: str
    #: characters were hidden, disguised or joined, not only escaped: personal data is looked for here as well
    disguised: bool
    _starts: list[int]
    _pieces: list[tuple[int, int, bool]]

    def original(self, span: Span) -> Span:
        """The span in coordinates of the original text."""
        return Span(self._at(span.start)[0], self._at(span.end - 1)[1], span.entity)

    def _at(self, position: int) -> tuple[int, int]:
        """Start and end in the original of the character at `position`."""
        index = bisect_right(self._starts, position) - 1
        start, end, decoded = self._pieces[index]
        if decoded:
            return start, end
        at = start + position - self._starts[index]
        return at, at + 1


def without(text: str, gone: Sequence[tuple[int, int]]) -> Normal:
    """The text without the stretches from the one place to the other."""
    kept = [
        (start, end, False)
        for start, end in zip(
            (0, *(end for _, end in gone)), (*(start for start, _ in gone), len(text)), strict=True
        )
        if end > start
    ]
    starts = list(accumulate((end - start for start, end, _ in kept), initial=0))
    return Normal("".join(text[start:end] for start, end, _ in kept), True, starts[: len(kept)], kept)


def normalised(text: str) -> Normal | None:
    """The normalised view; None when it is the text itself."""
    begins = _BEGINS.search(text)
    if begins is None:
        return None
    parts: list[str] = []
    starts: list[int] = []
    pieces: list[tuple[int, int, bool]] = []
    at = length = 0
    disguised = False
    while begins:
        match = _PIECE.match(text, begins.start())
        if match is None:
            begins = _BEGINS.search(text, begins.end())
            continue
        if match.start() > at:
            parts.append(text[at : match.start()])
            starts.append(length)
            pieces.append((at, match.start(), False))
            length += match.start() - at
        at = match.end()
        char = _decoded(match)
        disguised = disguised or not char or match.lastgroup in ("wide", "twin")
        if char:
            parts.append(char)
            starts.append(length)
            pieces.append((match.start(), at, True))
            length += 1
        begins = _BEGINS.search(text, at)
    if not at:
        return None
    if at < len(text):
        parts.append(text[at:])
        starts.append(length)
        pieces.append((at, len(text), False))
    return Normal("".join(parts), disguised, starts, pieces)


def _decoded(match: re.Match[str]) -> str:
    kind, value = match.lastgroup, match[match.lastgroup or 0]
    if kind == "gone":
        return ""
    if kind == "wide":
        return unicodedata.normalize("NFKC", value)
    if kind == "twin":
        return _TWINS[value]
    if kind == "simple":
        return _SIMPLE[value]
    if kind == "dec":
        return chr(int(value))
    if kind == "html":
        return _HTML[value]
    if kind == "curly":
        return _CURLY[value]
    return chr(int(value, 16))
