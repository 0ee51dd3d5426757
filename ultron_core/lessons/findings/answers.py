"""An agent's message as its sentences, each with the heading, the line and the label that lead to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ultron_core.lessons.errors.told.asserted import set_in_lines
from ultron_core.lessons.errors.told.specific import verbatim
from ultron_core.lessons.people.statements import POINT, clean_statement, word_count
from ultron_core.transcript.language import CJK, sentences

__all__ = ["Part", "parts_of"]

#: shorter says nothing, longer is a paragraph; a Chinese character counts three
_LENGTH = (18, 520)
#: sentences of one message: a longer one is a document
_MOST = 60
#: fewer words, Chinese characters counted one by one, say nothing
_FEWEST_WORDS = 3
#: "## Root cause", "**Files changed:**"
_HEADING = re.compile(r"^(?:#{1,6} |\*\*[^*]{1,90}\*\*\W{0,3}$|__[^_]{1,90}__\W{0,3}$)")
#: level of a heading without such marks, e.g. `**Files changed:**`
_DEEPEST = 7
#: a line that only leads to what follows, e.g. `The cause is this:`, `主要改动：`
_LONGEST_LEAD = 90
#: tables, quotes, data, numbered lines and what a program drew, e.g. `| a | b |`, `> said`, `└─ sort()`, `{"id": 1}`,
#: `"reason": "not yet"`, `12→def f():`
_DRAWN = re.compile(r"^(?:[|>\u2500-\u257f{}]|\d+→|\"[\w ]{1,40}\": )")
#: a line that is typed into a shell, written without a fence, e.g. `sudo nginx -t`, `ps aux | grep next`
_COMMAND = re.compile(
    r"^(?:sudo|curl|wget|docker|git|npm|pnpm|pip|cd|ls|ps|cat|grep|ssh|nginx|systemctl|python3?|node|export)\s[^。，]*?"
    r"(?:\s-{1,2}\w|2>|\s\|\s?\w)"
)
#: words that a sentence has and a command has not, e.g. `is`, `because`
_PROSE = re.compile(r"\b(?:is|are|was|were|has|have|because|so|the|an?|to|of|on|now)\b|[\u3400-\u9fff]")
#: a label in front of a sentence, e.g. `**原因**：按键之间没有等待`, `Fix: wait for it`
_LABEL = re.compile(r"^\W{0,6}([^*`:：\n]{2,30}?)(?:\*\*)?\s{0,3}[:：]\s{0,3}(?:\*\*)?\s{0,3}(?=\S{2})")


@dataclass(frozen=True, slots=True)
class Part:
    """One sentence: `quote` stands in the message as it is, `text` is it without list marks; `begin` is where it
    stands, `line` numbers its line and `section` the heading above it. `headings` are that heading and those it stands
    below, `leads` the line with a colon and the point of a list that it is set in below, the outer ones first."""

    text: str
    quote: str
    heading: str
    lead: str
    label: str
    point: bool
    begin: int
    line: int
    section: int
    headings: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    """A point of a list, or a line with a colon, for what is set in below it."""

    indent: int
    title: str
    number: int


@lru_cache(maxsize=1024)  # labels and memories read the same messages in turn
def parts_of(content: str) -> tuple[Part, ...]:
    """The sentences of a message that say something, in their order; code and tables are left out."""
    return tuple(_parts(content))


def _parts(content: str) -> Iterator[Part]:
    heading, lead, section, begin, found = "", "", 0, 0, 0
    headings: list[tuple[int, str]] = []
    above: list[_Line] = []
    colon: _Line | None = None
    for number, written in enumerate(set_in_lines(content)):
        line = written.strip()
        indent = len(written) - len(written.lstrip())
        while above and above[-1].indent >= indent:
            above.pop()
        if _HEADING.match(line):
            heading, lead, colon, section = clean_statement(line).strip("_"), "", None, section + 1
            level = _level(line)
            headings = [*(one for one in headings if one[0] < level), (level, heading)]
            continue
        if _DRAWN.match(line) or (_COMMAND.match(line) and not _PROSE.search(line)):
            continue
        point = POINT.match(line) is not None
        if line[-1] in ":：" and len(line) <= _LONGEST_LEAD:
            lead = clean_statement(line)
            # a point that ends so leads to what is set in below it alone, which `above` knows
            colon = colon if point else _Line(indent, lead, number)
        elif not point:
            lead, colon = "", None
        if colon and indent < colon.indent:
            colon = None
        leads = _leads(above[-1] if above else None, colon if point else None)
        if point:
            above.append(_Line(indent, _title(line), number))
        for sentence in sentences(line):
            text = clean_statement(sentence)
            quote = verbatim(sentence, content) if _says(text) else ""
            if not quote:
                continue
            found += 1
            if found > _MOST:
                return
            begin = max(content.find(quote, begin), content.find(quote) if begin else 0)
            label = _LABEL.match(text)
            named = label[1] if label else ""
            below = tuple(title for _, title in headings)
            yield Part(text, quote, heading, lead, named, point, begin, number, section, below, leads)


def _level(heading: str) -> int:
    """How deep a heading is: the number of its marks; one in bold is the deepest."""
    return len(heading) - len(heading.lstrip("#")) or _DEEPEST


def _leads(*lines: _Line | None) -> tuple[str, ...]:
    """What leads to a sentence: the point above it and the line with a colon, in the order in which they stand."""
    stand = sorted((line for line in lines if line), key=lambda line: line.number)
    return tuple(line.title for line in stand if line.title)


def _title(line: str) -> str:
    """What a point of a list is about: its label, else the whole of it where it is short."""
    text = clean_statement(line)
    label = _LABEL.match(text)
    return label[1] if label else text.rstrip(" .。—-") if len(text) <= _LONGEST_LEAD else ""


def _says(text: str) -> bool:
    size = len(text) + 2 * len(CJK.findall(text))
    return _LENGTH[0] <= size <= _LENGTH[1] and word_count(text) >= _FEWEST_WORDS
