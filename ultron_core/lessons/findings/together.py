"""Which sentences of one message make one memory: a likely one with its likely neighbours, and what a sentence that
ends with a colon leads to."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.errors.told.asserted import is_told
from ultron_core.lessons.findings.answers import Part
from ultron_core.lessons.findings.shape import points_elsewhere
from ultron_core.transcript.language import CJK

__all__ = ["leads_on", "together", "with_code"]

Matrix = npt.NDArray[np.float64]

#: sentences and characters of one memory
_MOST_TOGETHER, _MAX_TOGETHER = 4, 600
#: points of a list that goes along with the line that leads to it; a longer one is a document
_MOST_POINTS = 6
#: lines that may lie between two sentences of one memory
_NEAR = 2
#: ends before what it says, e.g. `The table is at`, `pushes only create previews, or`, `Run:`
_OPEN_END = re.compile(
    r"(?:[,，:：、]|\b(?:at|or|and|to|the|an?|of|is|are|with|for|in|on|by|from))\W{0,3}$", re.IGNORECASE
)
#: a block of code of a few lines behind a sentence, e.g. ```` ⏎```bash⏎make lint⏎``` ````
_CODE_BEHIND = re.compile(
    r"[*_`)\s]{0,6}\n\s{0,8}```[\w+-]{0,12}[^\S\n]*\n(?P<code>(?:(?!\s*```).*\n){1,3}?)\s*```"
)
#: lines of such a block that go along, and characters of one
_MOST_LINES, _LONGEST_LINE = 2, 120
#: what stands behind such a sentence, e.g. `**:`
_GOES_ON = re.compile(r"[*_`)\s]{0,6}[:：]")


def together(
    parts: Sequence[Part], keep: Matrix, seed: int, used: Collection[int], beside: float, content: str
) -> list[int]:
    """The seed with its likely neighbours and with the sentence before it that it leans on. A line that leads to a list
    takes the list along where that is short; alone, or before something else, such a line is left out."""
    group = _neighbours(parts, keep, seed, used, beside, content)
    group += _points_behind(parts, group, used)
    group = _whole_list(parts, group, seed, used)
    while group and _ends_open(parts[group[-1]], content):
        group.pop()
    return group


def with_code(part: Part, content: str) -> Part:
    """A sentence that leads to a line or two of code, with them: `Run it with` says nothing."""
    behind = _CODE_BEHIND.match(content, part.begin + len(part.quote))
    if behind is None or not leads_on(part):
        return part
    lines = [line.strip() for line in behind["code"].splitlines() if line.strip()]
    if (
        not lines
        or len(lines) > _MOST_LINES
        or any(len(line) > _LONGEST_LINE or "`" in line for line in lines)
    ):
        return part
    mark = "：" if CJK.search(part.text[-1:]) else ": "
    return replace(part, text=f"{part.text}{mark}{', '.join(f'`{line}`' for line in lines)}")


def _neighbours(
    parts: Sequence[Part], keep: Matrix, seed: int, used: Collection[int], beside: float, content: str
) -> list[int]:
    first = last = seed
    size = len(parts[seed].text)

    def fits(at: int, near: int) -> bool:
        free = 0 <= at < len(parts) and at not in used
        return (
            free
            and abs(parts[at].line - parts[near].line) <= _NEAR
            and size + len(parts[at].text) <= _MAX_TOGETHER
            and _goes_on(parts[min(at, near)], parts[max(at, near)], content)
        )

    def lean_back() -> None:
        nonlocal first, size
        while _leans(parts, first) and fits(first - 1, first):
            first -= 1
            size += len(parts[first].text)

    lean_back()
    while last - first + 1 < _MOST_TOGETHER:
        before = keep[first - 1] if fits(first - 1, first) else 0.0
        after = keep[last + 1] if fits(last + 1, last) else 0.0
        if max(before, after) < beside:
            break
        if before > after:
            first -= 1
            size += len(parts[first].text)
        else:
            last += 1
            size += len(parts[last].text)
    lean_back()
    return list(range(first, last + 1))


def _leans(parts: Sequence[Part], at: int) -> bool:
    """Whether it is understood only behind the sentence before it: it begins with a pointer, or goes on within a point
    of a list, whose first sentence says what it is about."""
    if points_elsewhere(parts[at].text):
        return True
    return at > 0 and parts[at].point and parts[at - 1].line == parts[at].line and is_told(parts[at - 1].text)


def _goes_on(part: Part, after: Part, content: str) -> bool:
    """False where what the first leads to is lost between them: code, an address."""
    if with_code(part, content) is not part:
        return True
    between = content[part.begin + len(part.quote) : after.begin]
    return "```" not in between and not (leads_on(part) and after.line - part.line > 1)


def _points_behind(parts: Sequence[Part], group: Sequence[int], used: Collection[int]) -> list[int]:
    """The rest of the list to which a line of the group leads: all of it, or nothing where it is long or some of its
    points are too short to be sentences."""
    last = group[-1]
    leads = next((at for at in reversed(group) if not parts[at].point), -1)
    if leads < 0 or not leads_on(parts[leads]) or parts[leads].section != parts[last].section:
        return []
    points = []
    for at in range(leads + 1, len(parts)):
        if not parts[at].point or parts[at].section != parts[leads].section:
            break
        if parts[at].line - parts[at - 1].line > 1:
            return []
        points.append(at)
    more = [at for at in points if at > last]
    size = sum(len(parts[at].text) for at in (*group, *more))
    free = not any(at in used for at in more)
    short = len({parts[at].line for at in points}) <= _MOST_POINTS and size <= _MAX_TOGETHER
    return more if free and short else []


def _whole_list(parts: Sequence[Part], group: Sequence[int], seed: int, used: Collection[int]) -> list[int]:
    """The group with the rest of the list of which it holds most: what a line leads to is told as a whole."""
    point = parts[seed]
    if not point.point or not point.lead:
        return list(group)
    places = [
        at
        for at, part in enumerate(parts)
        if part.point and part.leads == point.leads and part.section == point.section
    ]
    told = sorted({*group, *places})
    close = told[-1] - told[0] + 1 == len(told)
    free = not any(at in used for at in told)
    short = len(places) <= _MOST_POINTS and sum(len(parts[at].text) for at in told) <= _MAX_TOGETHER
    most = 2 * len({*group} & {*places}) > len(places)
    stated = all(is_told(parts[at].text) for at in told if at not in group)
    return told if close and free and short and most and stated else list(group)


def _ends_open(part: Part, content: str) -> bool:
    """Whether what it is about stands behind it, in a block of code or a list that is not part of the memory."""
    if with_code(part, content) is not part:
        return False
    behind = content[part.begin + len(part.quote) :][:10]
    return leads_on(part) or _OPEN_END.search(part.text) is not None or _GOES_ON.match(behind) is not None


def leads_on(part: Part) -> bool:
    """Whether it ends with a colon: what it says stands behind it."""
    return part.quote.rstrip("*_` ")[-1:] in (":", "：")
