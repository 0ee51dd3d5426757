"""A project's handbook: the marked section of a file such as AGENTS.md that Ultron writes, and nothing else there.

Only what a person said for good and what the logs prove goes in: an agent reads the section as instructions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ultron_core.display import one_line
from ultron_core.llm.tokens import count_tokens

__all__ = ["SECTIONS", "Handbook", "HandbookLine", "Section", "make_handbook", "put_section", "shown_line"]

Section = Literal["conventions", "cures", "warnings"]
#: in the order of the page
SECTIONS: dict[Section, str] = {
    "conventions": "Conventions, as people said them",
    "cures": "Failures whose cure held",
    "warnings": "Watch out",
}
_BEGIN, _END = "<!-- ultron:handbook -->", "<!-- /ultron:handbook -->"
#: characters of one line; the memory has the rest
_MOST_OF_LINE = 300
#: what ends a comment or begins one, in text that a log brought, e.g. `-->`
_COMMENT = re.compile(r"<!--|-->")


@dataclass(frozen=True, slots=True)
class HandbookLine:
    """One line: `pointer` is the first characters of the memory's id."""

    section: Section
    pointer: str
    text: str


@dataclass(frozen=True, slots=True)
class Handbook:
    """The section as it stands in a file, empty when nothing is known; `left_out` did not fit."""

    project: str
    text: str
    lines: tuple[HandbookLine, ...]
    tokens: int
    left_out: int


def make_handbook(project: str, lines: Sequence[HandbookLine], budget_tokens: int) -> Handbook:
    """The first lines of each section that fit: one of each in turn, so that a long section keeps none out."""
    different: dict[str, HandbookLine] = {}
    for line in lines:
        different.setdefault(line.pointer, line)
    waiting = {name: [line for line in different.values() if line.section == name] for name in SECTIONS}
    kept: list[HandbookLine] = []
    while any(waiting.values()):
        for queue in waiting.values():
            if queue and count_tokens(_page(project, [*kept, queue[0]])) <= budget_tokens:
                kept.append(queue[0])
            del queue[:1]
    page = _page(project, kept) if kept else ""
    return Handbook(project, page, tuple(kept), count_tokens(page), len(different) - len(kept))


def put_section(text: str, section: str) -> str:
    """`text` with the section in its place, or at the end where it has none; nothing else changes."""
    first, *rest = _around(text)
    if rest:
        # what a hand copied becomes one section again
        return first + section + "".join(rest)
    if not section:
        return text
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{section}\n"


def _around(text: str) -> list[str]:
    """What stands before, between and after the sections; the whole text where there is none."""
    parts, begin = [], 0
    while (start := text.find(_BEGIN, begin)) >= 0 and (end := text.find(_END, start)) >= 0:
        parts.append(text[begin:start])
        begin = end + len(_END)
    return [*parts, text[begin:]]


def shown_line(text: str, project: str) -> str:
    """A memory's words as one line that neither ends the section nor names the project it stands in."""
    flat = _COMMENT.sub("‹", one_line(text))
    head, colon, rest = flat.partition(": ")
    if colon and rest and head.endswith(project):
        flat = rest[0].upper() + rest[1:]
    return flat if len(flat) <= _MOST_OF_LINE else flat[: _MOST_OF_LINE - 1].rstrip() + "…"


def _page(project: str, lines: Sequence[HandbookLine]) -> str:
    parts = [_BEGIN, f"## What earlier sessions taught about {shown_line(project, '')}", ""]
    parts.append("Written by `ultron handbook`; `ultron show ID` opens a line's source.")
    for name, title in SECTIONS.items():
        mine = [line for line in lines if line.section == name]
        if mine:
            parts += ["", f"### {title}", "", *(f"- {line.text} ({line.pointer})" for line in mine)]
    return "\n".join([*parts, _END])
