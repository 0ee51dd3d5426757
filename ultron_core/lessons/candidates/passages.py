"""A message's prose as passages: whole sentences of one paragraph, or one item of a list below its head."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ultron_core.lessons.candidates.candidate import LONGEST
from ultron_core.transcript.language import sentences

__all__ = ["Passage", "passages_of"]

#: shorter says nothing alone; in bytes, as a Chinese character says more than a letter
_FEWEST_BYTES = 24
#: characters of a passage of more than one sentence: its words are to be read together
_TOGETHER = 280
#: passages of one message; a longer one is a document
_MOST = 80
#: opens and closes code, e.g. ```` ```python ````, `~~~`
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
#: `## Cause`, `**Cause**`, `__Cause:__`
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+\S|(\*\*|__)[^*_\n]{1,90}\1\s*[:：]?\s*$)")
#: `- first`, `2) second`, `• third`
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)、])\s+")
#: what a program drew: rows of tables, rules, quotes of other texts, e.g. `| a | b |`, `> said`, `---`
_DRAWN = re.compile(r"^\s*(?:[|>\u2500-\u257f]|[-=_*]{3,}\s*$)")
#: leads to what follows, e.g. `The cause is this:`
_LEADS = re.compile(r"[:：]\s*\**\s*$")
#: characters of the head that is kept
_LONGEST_HEAD = 160


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` stands in its message at `begin`, line breaks included; `head` is what it stands below."""

    text: str
    begin: int
    head: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together: a paragraph, or an item with what is set in below it."""

    begin: int
    end: int
    head: str


@lru_cache(maxsize=1024)  # labels and memories read the same messages in turn
def passages_of(content: str) -> tuple[Passage, ...]:
    """The passages of a message in their order, none longer than LONGEST; code, tables and headings are none."""
    found: list[Passage] = []
    for block in _blocks(content):
        for passage in _cut(content, block):
            if len(passage.text.encode()) >= _FEWEST_BYTES:
                found.append(passage)
            if len(found) == _MOST:
                return tuple(found)
    return tuple(found)


def _blocks(content: str) -> Iterator[_Block]:
    """Paragraphs and items with their offsets; a line of code, a table or a rule ends what stands before it."""
    heading, lead, fence = "", "", ""
    open_block: _Block | None = None
    offset = 0
    for line in content.splitlines(keepends=True):
        begin, end = offset, offset + len(line.rstrip())
        offset += len(line)
        opened = _FENCE.match(line)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
            continue
        item = _ITEM.match(line)
        ends = bool(opened) or not line.strip() or bool(_DRAWN.match(line) or _HEADING.match(line) or item)
        if ends and open_block is not None:
            yield open_block
            open_block = None
        if opened:
            fence = opened[1]
        elif _HEADING.match(line):
            heading, lead = _bare(line), ""
        elif line.strip() and not _DRAWN.match(line):
            if item is None and open_block is None and not line[:1].isspace():
                lead = _bare(line) if _LEADS.search(line) else ""
                if lead and len(lead) <= _LONGEST_HEAD:
                    continue
            start = open_block.begin if open_block is not None else begin
            open_block = _Block(
                start, end, " / ".join(part for part in (heading, lead) if part)[:_LONGEST_HEAD]
            )
    if open_block is not None:
        yield open_block


def _cut(content: str, block: _Block) -> Iterator[Passage]:
    """The block whole, or groups of its sentences that fit."""
    text = content[block.begin : block.end].strip()
    if len(text) <= _TOGETHER:
        yield Passage(text, content.index(text, block.begin) if text else block.begin, block.head)
        return
    begin = end = -1
    at = block.begin
    for sentence in sentences(text):
        place = content.find(sentence, at, block.end)
        if place < 0 or len(sentence) > LONGEST:
            continue
        if begin >= 0 and place + len(sentence) - begin > _TOGETHER:
            yield Passage(content[begin:end], begin, block.head)
            begin = place
        begin = place if begin < 0 else begin
        end = at = place + len(sentence)
    if begin >= 0:
        yield Passage(content[begin:end], begin, block.head)


def _bare(line: str) -> str:
    return line.replace("**", "").strip().strip("#*_ ").rstrip(":： ")
