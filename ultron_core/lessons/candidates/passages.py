"""A message's prose as passages: whole sentences of one paragraph, one item of a list below its head, or what stands
together: an item with its sub-items, the blocks of one section, sections that follow each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice

from ultron_core.lessons.candidates.candidate import LONGEST
from ultron_core.transcript.language import sentences

__all__ = ["Passage", "joined_of", "passages_of"]

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
#: the first block of a group, and behind its last
_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` stands in its message at `begin`, line breaks included; `head` is what it stands below."""

    text: str
    begin: int
    head: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together: a paragraph, or an item."""

    begin: int
    end: int
    heading: str
    #: the line that leads to it, e.g. `What I changed`
    lead: str
    #: where its heading and the line that leads to it begin, if it is the first below it; else as `begin`
    opens: int
    led: int
    #: columns by which an item is set in; -1 for a paragraph
    depth: int
    #: number of the heading that it stands below, and of the code, tables and rules before it
    section: int
    behind: int

    @property
    def head(self) -> str:
        return " / ".join(part for part in (self.heading, self.lead) if part)[:_LONGEST_HEAD]


@lru_cache(maxsize=1024)  # labels and memories read the same messages in turn
def passages_of(content: str) -> tuple[Passage, ...]:
    """The passages of a message in their order, none longer than LONGEST; code, tables and headings are none."""
    cut = (passage for block in _blocks(content) for passage in _cut(content, block))
    return tuple(islice((one for one in cut if len(one.text.encode()) >= _FEWEST_BYTES), _MOST))


@lru_cache(maxsize=1024)
def joined_of(content: str, *, sections: bool = True) -> tuple[Passage, ...]:
    """Blocks that stand together, none longer than LONGEST: an item with what is set in below it, as many blocks of a
    section as fit, and as many whole `sections`. None is one of `passages_of`."""
    blocks = list(islice(_blocks(content), _MOST))
    units = list(_units(blocks))
    runs = [list(own) for _, own in groupby(units, key=lambda span: blocks[span[0]].section)]
    whole = [(own[0][0], own[-1][1]) for own in runs] if sections else []
    packed = [*units, *(span for own in runs for span in _packed(blocks, own)), *_packed(blocks, whole)]
    single = {passage.text for passage in passages_of(content)}
    kept = (own for own in dict.fromkeys(packed) if blocks[own[0]].behind == blocks[own[1] - 1].behind)
    found = (_joined(content, blocks[begin:end]) for begin, end in kept)
    return tuple(
        one
        for one in found
        if len(one.text.encode()) >= _FEWEST_BYTES and len(one.text) <= LONGEST and one.text not in single
    )


def _units(blocks: Sequence[_Block]) -> Iterator[tuple[int, int]]:
    """First and behind the last of each paragraph, and of each item with its sub-items."""
    at = 0
    while at < len(blocks):
        end = at + 1
        while (
            end < len(blocks)
            and 0 <= blocks[at].depth < blocks[end].depth
            and _beside(blocks[at], blocks[end])
        ):
            end += 1
        yield at, end
        at = end


def _packed(blocks: Sequence[_Block], spans: Sequence[_Span]) -> Iterator[_Span]:
    """As many spans together as fit, one group behind the other; nothing is joined over code, a table or a rule."""
    first = 0
    for last in range(1, len(spans) + 1):
        begin, end = spans[first][0], spans[last - 1][1]
        following = blocks[spans[last][1] - 1] if last < len(spans) else None
        if (
            following is not None
            and following.behind == blocks[begin].behind
            and following.end - blocks[begin].opens <= LONGEST
        ):
            continue
        yield begin, end
        first = last


def _beside(one: _Block, other: _Block) -> bool:
    return (one.section, one.behind) == (other.section, other.behind)


def _joined(content: str, blocks: Sequence[_Block]) -> Passage:
    """The text of blocks that follow each other, from the heading or the leading line on where not all are below it."""
    first, last = blocks[0], blocks[-1]
    if first.section != last.section:
        begin, head = first.opens, ""
    elif first.lead and last.lead != first.lead:
        begin, head = first.led, first.heading
    else:
        begin, head = first.begin, first.head
    text = content[begin : last.end].strip()
    return Passage(text, content.index(text, begin) if text else begin, head)


def _blocks(content: str) -> Iterator[_Block]:
    """Paragraphs and items with their offsets; a line of code, a table or a rule ends what stands before it."""
    heading, lead, fence = "", "", ""
    opens, led, section, behind = -1, -1, 0, 0
    open_block: _Block | None = None
    offset = 0
    for line in content.splitlines(keepends=True):
        begin, end = offset, offset + len(line.rstrip())
        offset += len(line)
        opened = _FENCE.match(line)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
            continue
        item, drawn, headed = _ITEM.match(line), _DRAWN.match(line), _HEADING.match(line)
        if (opened or not line.strip() or drawn or headed or item) and open_block is not None:
            yield open_block
            open_block = None
        if opened or drawn:
            fence = opened[1] if opened else fence
            behind += 1
        elif headed:
            heading, lead, opens, led, section = _bare(line), "", begin, -1, section + 1
        elif line.strip():
            if item is None and open_block is None and not line[:1].isspace():
                lead = _bare(line) if _LEADS.search(line) else ""
                if lead and len(lead) <= _LONGEST_HEAD:
                    led = begin
                    continue
            if open_block is None:
                depth = len(item[1].expandtabs()) if item else -1
                led = led if led >= 0 else begin
                opens = opens if opens >= 0 else led
                open_block = _Block(begin, end, heading, lead, opens, led, depth, section, behind)
                opens = led = -1
            else:
                open_block = replace(open_block, end=end)
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
