"""What a person had asked for when the agent stated something: the words by which a stranger knows what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from ultron_core.lessons.findings.shape import is_of_class
from ultron_core.lessons.people.statements import (
    POINT,
    clean_statement,
    has_detail,
    nearest,
    shares_term,
    without_opening,
)
from ultron_core.lessons.people.turns import Turn, is_pasted, own_sentences
from ultron_core.models import Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import CJK, one_line, sentences
from ultron_core.transcript.speech import ONE_OFF

__all__ = ["request_of"]

#: sentences of a request that stand for it; of a longer one the nearest does
_FEW: Final = 2
#: e.g. `don't`, `src/app.py`, `端`; what stands between Chinese characters is a word of its own
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_'./-]*|[\u3400-\u9fff]")
#: words by which a request says what it is about, and fewer where it names a thing
_WORDS: Final = {"en": (5, 3), "zh": (8, 5)}
#: how no sentence of a person begins: headings, tags, quotes and tables, e.g. `## Context`, `<task>`, `> said`, `| a |`
_FRAME: Final = ("#", "<", ">", "|")


def request_of(turns: Sequence[Turn], turn: Turn | None, about: str) -> str:
    """What was asked in `turn`, of a long request the sentence that speaks of `about`; what was asked before where the
    turn says nothing by itself, as "continue" and "is it done?" do. Empty where nobody asked for anything."""
    if turn is None:
        return ""
    earlier = (one for one in reversed(turns) if one.position < turn.position)
    return next((told for one in chain((turn,), earlier) if (told := _told(one.message, about))), "")


def _told(message: Message, about: str) -> str:
    own: Sequence[str] = own_sentences(message) or _first_line(message.content)
    asked = " ".join(own[:_FEW])
    if len(own) > _FEW:
        near = nearest(own, about)
        asked = near if shares_term(near, about) and _says_what(near, named=False) else asked
    told = without_opening(one_line(asked))
    return told if _says_what(told) else ""


@lru_cache(maxsize=256)  # each finding of a segment asks for it, and a document may be long
def _first_line(text: str) -> tuple[str, ...]:
    """The first line of a message that was written as a document, or handed in by a program, that says something."""
    for line in without_code(text).splitlines():
        told = _without_command(line.strip())
        pasted = is_pasted(told) or (told == line.strip() and is_pasted(line))
        if told and not pasted and not _is_set_in(told) and _says_what(told):
            return tuple(sentences(clean_statement(told))[:_FEW])
    return ()


def _is_set_in(line: str) -> bool:
    """Whether it is a heading, a point, a line of a program or of its output."""
    return line.startswith(_FRAME) or POINT.match(line) is not None or is_of_class("program", line)


def _without_command(line: str) -> str:
    """Without the name of a command in front, as in `/ask what does it do`; a path is none."""
    name, _, said = line.partition(" ")
    return said if line.startswith("/") and "/" not in name[1:] else line


def _says_what(text: str, *, named: bool = True) -> bool:
    """Whether its words are enough, or with `named` a few that name a thing."""
    if ONE_OFF.search(text):
        return False
    enough, few = _WORDS["zh" if CJK.search(text) else "en"]
    return len(_WORD.findall(text)) >= (few if named and has_detail(text) else enough)
