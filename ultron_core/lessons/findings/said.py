"""The statements of an agent's message: sentences and points of lists, each with where it stood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ultron_core.lessons.errors.told.asserted import told_lines
from ultron_core.lessons.errors.told.specific import verbatim
from ultron_core.lessons.people.statements import POINT, clean_statement, has_detail
from ultron_core.transcript.language import CJK, sentences
from ultron_core.transcript.speech import any_of

__all__ = ["Said", "settled_from", "statements", "without_sounds"]

#: a shorter sentence states no fact, a longer one is a paragraph; a Chinese character counts three
_LENGTH = (40, 360)
#: sentences of one message: a longer one is a document
_MOST = 400
#: "## Root cause", "**Files changed:**"
_HEADING = re.compile(r"^\s*(?:#{1,6} |\*\*[^*]+\*\*[:：]?\s*$)")
#: rows of a table, quotes and what a program drew, e.g. `| a | b |`, `> said`, `└─ sort()`
_DRAWN = re.compile(r"^\s*[|>\u2500-\u257f]")
#: sounds before a statement: "There it is — ", "Good news: ", "⚠️ ", "Done — "
_OPENING = re.compile(
    r"^(?:[^\w\s`'\"(@~/.<\[{-]+\s+|(?:there it is|interesting(?:ly)?|found it|"
    r"found the (?:issue|cause|bug)|aha|ah|good(?: news| catch)?|great|okay|ok|right|understood|confirmed|done|fixed|"
    r"so|and|but|note that|(?:it )?turns out(?: that)?|one (?:side effect|design note|caveat)[^—:]{0,40})"
    r"(?:\s*[—–:,.!-]+\s+|\s+(?=`)))+",
    re.IGNORECASE,
)
#: where it was at that moment, which the next edit moves, e.g. ` (main.go:884-885)`, ` (lines 12, 40)`, `main.go:253`
_POSITION = re.compile(
    r"\s{0,20}[(（](?:[\w./-]+:|lines? |第\s?)\d[\d,–\- ]*(?:行)?[)）]|(?<=\w\.(?:go|py|ts|js|rs|ex)):\d[\d,–-]*"
    r"|(?<=\.\w{3}):\d[\d,–-]*|(?<=\.\w{4}):\d[\d,–-]*"
)
#: takes back what was said before in the same message: "Wait,", "that's not the real reason", "The actual cause is"
_TAKES_BACK = any_of(
    r"(?:^|[.!?]\s)(?:wait|hmm|scratch that|on second thought|correction:|actually,? (?:no|wait|that['’]s))\b",
    r"\b(?:that['’]s|that is|this is|it['’]s) not (?:the (?:real|actual|true)|quite right|actually true)\b",
    r"\bthe (?:real|actual|true) (?:reason|cause|culprit|problem|issue)\b",
    r"真正的?(?:原因|问题)|实际的?原因|等等[，,]",
    flags=re.IGNORECASE | re.MULTILINE,
)
#: a statement does not end so, e.g. `which is why:`, `shall I?`
_OPEN_END = frozenset(":：?？,，…")


@dataclass(frozen=True, slots=True)
class Said:
    """`quote` stands in the message as it is; `text` is the statement without list marks and opening sounds."""

    text: str
    quote: str
    heading: str
    point: bool
    #: number of the sentence in its message
    place: int


def statements(content: str) -> Iterator[Said]:
    """The statements of a message that name something, in their order."""
    heading, place = "", 0
    for line in told_lines(content):
        if _HEADING.match(line):
            heading = clean_statement(line)
            continue
        if _DRAWN.match(line):
            continue
        if not has_detail(line):
            place += 1
            continue
        point = POINT.match(line) is not None
        for sentence in sentences(line):
            place += 1
            if place > _MOST:
                return
            text = _stated(sentence)
            if text and (quote := verbatim(sentence, content)):
                yield Said(text, quote, heading, point, place)


def settled_from(content: str) -> int:
    """Where the last taking back of a message begins: what stands before it no longer holds; 0 without one."""
    return max((found.start() for found in _TAKES_BACK.finditer(content)), default=0)


def _stated(sentence: str) -> str:
    if len(sentence) > 2 * _LENGTH[1]:
        return ""
    text = without_sounds(clean_statement(sentence))
    size = len(text) + 2 * len(CJK.findall(text))
    if not _LENGTH[0] <= size <= _LENGTH[1] or sentence[-1] in _OPEN_END or not has_detail(text):
        return ""
    return text


def without_sounds(statement: str) -> str:
    """A statement without the sounds before it and the lines that it points at, beginning with a capital."""
    text = _POSITION.sub("", _OPENING.sub("", statement))
    return text[:1].upper() + text[1:]
