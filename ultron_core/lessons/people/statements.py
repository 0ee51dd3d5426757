"""Statements of their own: a sentence as a draft with the project's name, and what disqualifies one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, MemoryType, Message
from ultron_core.transcript.language import CJK, language, one_line
from ultron_core.transcript.speech import ONE_OFF

__all__ = [
    "LATIN",
    "POINT",
    "after_second_thought",
    "clean_statement",
    "has_detail",
    "named",
    "names_a_thing",
    "nearest",
    "phrase",
    "shares_term",
    "statement_draft",
    "weighty",
    "without_opening",
    "word_count",
]

#: something that can be looked up or typed: `code`, a path, an identifier, a version, a number of a port,
#: e.g. `` `make check` ``, `src/app.py`, `user_id`, `v1.2`
_DETAIL = re.compile(
    r"`[^`]{2,}`|[\w@~.-]/[\w.*-]|\w\.(?:py|js|ts|tsx|go|rs|ex|exs|java|json|toml|ya?ml|md|sh|sql|css|"
    r"db)\b|"
    r"\b[a-z]+[A-Z]\w|\w_\w|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{3,}\b|\bv?\d+\.\d+|--\w[\w-]+|[\w)]\(\)|\w::\w"
)
#: what marks a heading, an item or emphasis, and not a word, e.g. `- first`, `## Goal`, `a **bold** word`
_MARKS = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+|#{1,6}\s+|>\s+)+|\*\*|[✅✓❌⚠️]+\s*")


def has_detail(text: str) -> bool:
    """True when a sentence names a thing: a command, a file, an identifier, a version."""
    return _DETAIL.search(text) is not None


#: e.g. `don't`, `src/app.py`, `端`
_WORD = re.compile(r"[A-Za-z][\w'./-]*|[\u3400-\u9fff]")
#: fewer words of substance are a bare "no, still broken"
_MIN_WORDS = {"en": 5, "zh": 8}


def word_count(text: str) -> int:
    """Latin words, and Chinese characters."""
    return len(_WORD.findall(text))


def weighty(sentence: str) -> bool:
    """True for words of substance that are not about one appointment or order."""
    if ONE_OFF.search(sentence):
        return False
    return word_count(sentence) >= _MIN_WORDS["zh" if CJK.search(sentence) else "en"]


#: a point of a list, e.g. `- The old index is read`
POINT = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s")
#: a name within Chinese, e.g. `disabled`
LATIN = re.compile(r"[A-Za-z]{3,}")
#: words that two sentences share when they are about the same thing, e.g. `directive`, `焦点`
_TERM = re.compile(r"[a-z][\w-]{3,}|[\u3400-\u9fff]{2}")


def names_a_thing(sentence: str) -> bool:
    """A file, an identifier, or in Chinese any Latin word: what "it does not work" lacks."""
    return has_detail(sentence) or (CJK.search(sentence) is not None and LATIN.search(sentence) is not None)


#: what a statement names exactly enough to be found again, e.g. `../../billing-lib`, `config.toml`, `SupportsLocks`
_NAMED = re.compile(
    r"[\w@~.-]{0,100}/[\w./*-]*\w|\b\w+\.\w{1,6}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+"
)


def named(text: str) -> set[str]:
    """The paths, files and identifiers of a text."""
    return set(_NAMED.findall(text))


def shares_term(one: str, other: str) -> bool:
    return not set(_TERM.findall(one.casefold())).isdisjoint(_TERM.findall(other.casefold()))


def nearest(told: Sequence[str], about: str) -> str:
    """The sentence that shares most words with `about`, the first of equals; empty when there are none."""
    terms = set(_TERM.findall(about.casefold()))
    return max(told, key=lambda s: len(terms & set(_TERM.findall(s.casefold()))), default="")


def clean_statement(text: str) -> str:
    """One line without the marks of a list, a heading or emphasis."""
    return one_line(_MARKS.sub("", text)).strip(" :：")


#: the speaker takes back what stands before, e.g. `Wait, that's not the real reason`, `等等，让我重新理解测试逻辑`
_SECOND_THOUGHT = re.compile(
    r"\b(?:wait,|actually, (?:no|that|it)|on second thought|hmm, (?:no|that)|(?:that(?:'s| is)|it(?:'s| is)) not "
    r"(?:the|what|actually))|等等[，,]|让我重新(?:理解|审视|看|想|检查)",
    re.IGNORECASE,
)


def after_second_thought(text: str) -> str:
    """What is left of an answer once its speaker has taken back what stood before."""
    marks = [match.start() for match in _SECOND_THOUGHT.finditer(text)]
    return text[marks[-1] :] if marks else text


#: "y, let's do", "ok, so ...", "No man, the point is", "dude.... that is not", "hmm no"
_OPENING = re.compile(
    r"^(?:(?:y|k|yes|yup|yeah|ok(?:ay)?|so|well|and|but|then|hmm+|mm+k?|uh+|oh|dude|man|jesus|alright|no man|"
    r"like)[\s,.…!]+)+(?=\S{2})",
    re.IGNORECASE,
)


def without_opening(text: str) -> str:
    """What a person said without the sounds that they began with."""
    return _OPENING.sub("", text)


def phrase(key: str, text: str, project: str, **values: str) -> str:
    """The sentence `key` in the language of `text`, with the project's name where it is known."""
    words = PHRASES[language(text)]
    return words[f"{key}_in" if project else key].format(project=project, **values)


def statement_draft(
    key: str,
    statement: str,
    source: Message,
    quote: str,
    project: str,
    *,
    memory_type: MemoryType = "pattern",
    tags: tuple[str, ...] = (),
    context: str = "",
    resolution: str = "",
    confidence: float = 0.65,
) -> MemoryDraft:
    """A draft whose content is one statement and whose evidence is one quote of `source`."""
    return MemoryDraft(
        content=phrase(key, statement, project, statement=clean_statement(statement)),
        context=context,
        resolution=resolution,
        tags=tags,
        confidence=confidence,
        memory_type=memory_type,
        evidence=(Evidence(source.start_line, source.end_line, quote[:400].strip()),),
    )
