"""Language of a short text, and its sentences; English and Chinese."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

__all__ = [
    "CJK",
    "CJK_CLASS",
    "CJK_RUN",
    "OTHER_SCRIPT",
    "WORD",
    "Lang",
    "language",
    "mixed_language",
    "one_line",
    "sentences",
]

Lang = Literal["en", "zh"]
#: Chinese characters, for use inside a character class: the unified ideographs and their first extension
CJK_CLASS = r"\u3400-\u4dbf\u4e00-\u9fff"
#: e.g. `端`
CJK = re.compile(f"[{CJK_CLASS}]")
#: e.g. `连接超时`
CJK_RUN = re.compile(f"[{CJK_CLASS}]+")
#: letters of scripts whose words are not known here, e.g. `привет`, `はい`
OTHER_SCRIPT = re.compile(rf"[^\W\d_a-zA-Z{CJK_CLASS}]{{2}}")
#: e.g. `retry`
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
#: what counts as a word where sentences are measured, e.g. `retry`, `端`
WORD = re.compile(rf"{_LATIN_WORD.pattern}|[{CJK_CLASS}]")
#: a mark inside a word (`!=`, `?id=`) ends nothing, e.g. `It works! `, `好的。`
_SENTENCE = re.compile(r"[^。！？\n]*?(?:[。！？]+[”」』）]?|[.!?]+[\"')]*(?=\s|$)|\n|$)")
#: closed by as many marks as it was opened with, e.g. `` `git add . && git commit` ``; one within a word opens nothing
_CODE_SPAN = re.compile(r"(?<![A-Za-z0-9_`])(`{1,2})(?!`)[^\n]*?(?<!`)\1(?!`)")
#: the full stop ends no sentence, e.g. `e.g.`, `etc.`, `Dr.`, `J.`
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Dr|No|approx)|\b[A-Z])\.$")


def language(text: str) -> Lang:
    """`zh` when Chinese characters outnumber half the Latin words, so that code in a sentence does not count."""
    chinese = len(CJK.findall(text))
    return "zh" if chinese > len(_LATIN_WORD.findall(text)) / 2 else "en"


def mixed_language(text: str) -> Literal["en", "zh", "mixed"]:
    """As `language`, but `mixed` for English with any Chinese in it: a query then looks in both."""
    decided = language(text)
    return "mixed" if decided == "en" and CJK.search(text) else decided


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def sentences(text: str) -> list[str]:
    """Sentences of `text`, trimmed, none empty; a line break ends a sentence, an abbreviation and a mark inside of code
    (`` `git add . && git commit` ``) do not."""
    return list(_sentences(text))


@lru_cache(maxsize=2048)
def _sentences(text: str) -> tuple[str, ...]:
    """The same, once for the rules that read one text in turn."""
    found: list[str] = []
    begin, code = 0, _CodeSpans(text)
    for match in _SENTENCE.finditer(text):
        if code.hold(match.end()):
            continue
        piece, begin = text[begin : match.end()].strip(), match.end()
        if not piece:
            continue
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return tuple(found)


class _CodeSpans:
    """Code within the lines of a text, asked about from its beginning on."""

    def __init__(self, text: str) -> None:
        self._ahead = iter(_CODE_SPAN.finditer(text) if "`" in text else ())
        self._span = next(self._ahead, None)

    def hold(self, end: int) -> bool:
        """Whether what ends there ends inside of code."""
        while self._span is not None and self._span.end() <= end:
            self._span = next(self._ahead, None)
        return self._span is not None and self._span.start() < end
