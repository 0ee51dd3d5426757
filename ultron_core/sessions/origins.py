"""Who wrote which part of a text: a person, a harness that injected it, or a memory system.

Conservative on purpose: only whole tagged blocks that harnesses are known to write, a few fixed openings, and
memory headings followed by a list are separated from what a person wrote. The marks of a harness are in its
format module; any log may carry them, since logs are exported to other formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ultron_core.models import Origin

__all__ = ["Marks", "Origins", "is_memory_tool"]


@dataclass(frozen=True, slots=True)
class Marks:
    """What one harness writes into the turns of a person."""

    #: names of the blocks `<tag>...</tag>` that it injects
    tags: tuple[str, ...] = ()
    #: how whole messages of its own begin
    openings: tuple[str, ...] = ()
    #: tags around the person's own words
    wrappers: tuple[str, ...] = ()


#: of harnesses without a format module: `<environment_details>` is written by Cline and its forks
_OTHERS = Marks(
    tags=("environment_details", "attached_files", "user_info", "git_status", "agent_skills", "rules")
)
_RECALLED_TAGS = (
    "memory|memories|recalled[-_]memory|recalled[-_]memories|relevant[-_]memory|relevant[-_]memories"
    "|retrieved[-_]memory|retrieved[-_]memories|long[-_]term[-_]memory|user[-_]memory|user[-_]memories"
    "|memory[-_]context|memory[-_]block|memory[-_]results|ultron[-_]memory|ultron[-_]memories"
    "|supermemory[-_]context|mem0[-_]memories|past[-_]memories|agent[-_]memory|memory[-_]search[-_]results"
)
#: a list of memories that a client put into the prompt, e.g. `## Relevant memories⏎- The API needs a token⏎`
_HEADING = re.compile(
    r"^[ \t]*(?:\#{1,6}[ \t]*|\*\*|\[)?"
    r"(?:(?:here are |the following are |below are )?(?:some |the |your )?"
    r"(?:relevant|recalled|retrieved|related|past|previous|long[- ]term|stored|saved)[ \t]+"
    r"(?:ultron[ \t]+|user[ \t]+|shared[ \t]+)?memor(?:y|ies)[^\n:]{0,60}|memor(?:y|ies)[ \t]+"
    r"(?:from|of)[ \t]+(?:previous|past|earlier)[ \t]+(?:sessions?|conversations?|chats?)[^\n:]{0,30}"
    r"|(?:以下是)?(?:相关|召回的|检索到的|历史|长期)的?(?:历史)?记忆[^\n：:]{0,20})"
    r"(?:\*\*|\])?[ \t]{0,20}[:：]?(?:\*\*)?[ \t]{0,20}\n"
    r"(?:[ \t]*\n)?"
    r"(?:[ \t]*(?:[-*•]|\d{1,3}[.)、])[ \t]*[^\n]*(?:\n(?:[ \t]{2,}[^\n]+))*(?:\n|\Z))+",
    re.MULTILINE | re.IGNORECASE,
)
#: Claude Code, beside the name of the command, e.g. `<command-args>only the parser</command-args>`
_ARGS = re.compile(r"<command-args>((?:(?!</?command-args>).)*+)</command-args>", re.DOTALL)
#: e.g. `<command-name>/review</command-name>`
_NAME = re.compile(r"<command-name>((?:(?!</?command-name>).)*+)</command-name>", re.DOTALL)
#: white space, which may precede an opening
_BLANK = " \t\r\n\f\v\x1c\x1d\x1e\x1f\x85\xa0\u3000"
#: a tool whose results are memories, not news, e.g. `search_memories`, `memory-recall`, `get_memory_details`; and every
#: tool of a server named ultron, as clients spell it, e.g. `mcp__ultron__read_session`, `ultron__remember`, `remember`
_MEMORY_TOOL = re.compile(
    r"(?:search|recall|retrieve|query|get|correct)[-_]?(?:\w+[-_])?memor(?:y|ies)"
    r"|memor(?:y|ies)[-_]?(?:search|recall|retrieve|lookup)"
    r"|(?:^|__|[./:])ultron(?:__|[./:-])\w|^(?:remember|recall)$",
    re.IGNORECASE,
)

Piece = tuple[Origin, str]


@lru_cache(maxsize=1024)
def is_memory_tool(name: str) -> bool:
    """Whether a tool of this name answers with earlier memories."""
    return bool(_MEMORY_TOOL.search(name))


class Origins:
    """Splits texts by who wrote them, given the marks of all harnesses."""

    def __init__(self, harnesses: Iterable[Marks]) -> None:
        known = [*harnesses, _OTHERS]
        tags = "|".join(tag for marks in known for tag in marks.tags)
        openings = [opening for marks in known for opening in marks.openings]
        wrappers = "|".join(tag for marks in known for tag in marks.wrappers)
        self._block = re.compile(
            rf"<(?P<tag>{tags}|(?P<recalled>{_RECALLED_TAGS}))(?:\s[^<>]*)?>.*?</(?P=tag)>",
            re.DOTALL | re.IGNORECASE,
        )
        self._opening = re.compile(r"\s*(?:" + "|".join(map(re.escape, openings)) + ")")
        self._may_open = frozenset([opening[0] for opening in openings] + list(_BLANK))
        self._wrapper = re.compile(rf"^\s*<({wrappers})>\s*(.*?)\s*</\1>", re.DOTALL | re.IGNORECASE)

    def split(self, text: str, origin: Origin = "human") -> list[Piece]:
        """The text as (origin, text) pieces in order; one piece, the text itself, when nothing was injected.

        `origin` is what remains when all injected blocks are taken out.
        """
        if origin == "human" and text[:1] in self._may_open and self._opening.match(text):
            return [("harness", text)]
        # a block or wrapper has an end tag; a heading has lines below it
        tagged = "<" in text and "</" in text
        headed = "\n" in text and ("emor" in text or "EMOR" in text or "记忆" in text)
        if not tagged and not headed:
            return [(origin, text)]
        pieces: list[Piece] = []
        position = 0
        for start, end, kind in self._injected(text, tagged, headed):
            if start < position:
                continue
            self._add(pieces, origin, text[position:start])
            self._add(pieces, kind, text[start:end])
            position = end
        if not position and not self._wrapper.match(text):
            return [(origin, text)]
        self._add(pieces, origin, text[position:])
        return _with_arguments(pieces) if origin == "human" else pieces

    def _injected(self, text: str, tagged: bool, headed: bool) -> list[tuple[int, int, Origin]]:
        found: list[tuple[int, int, Origin]] = []
        if tagged:
            for match in self._block.finditer(text):
                found.append((*match.span(), "recalled" if match["recalled"] else "harness"))
        if headed:
            found.extend((*match.span(), "recalled") for match in _HEADING.finditer(text))
        return sorted(found)

    def _add(self, pieces: list[Piece], origin: Origin, text: str) -> None:
        if origin in ("human", "model"):
            wrapped = self._wrapper.match(text)
            if wrapped:
                self._add(pieces, origin, wrapped[2])
                text = text[wrapped.end() :]
        text = text.strip()
        if not text:
            return
        if pieces and pieces[-1][0] == origin:
            pieces[-1] = (origin, f"{pieces[-1][1]}\n{text}")
        else:
            pieces.append((origin, text))


def _with_arguments(pieces: list[Piece]) -> list[Piece]:
    """A person wrote what follows a slash command: it is repeated as a separate piece."""
    result: list[Piece] = []
    for origin, text in pieces:
        result.append((origin, text))
        arguments, name = _ARGS.search(text), _NAME.search(text)
        if origin == "harness" and arguments and arguments[1].strip() and name:
            result.append(("human", arguments[1].strip()))
    return result
