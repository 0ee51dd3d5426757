"""The words of a log that a quote means: white space, case, markdown and quotation marks may differ."""

from __future__ import annotations

import unicodedata

from ultron_core.models import Message
from ultron_core.transcript.actions import message_texts

__all__ = ["find_words"]

#: "**port** 5432" is quoted as "port 5432", a typographic quotation mark as a plain one or none
_MARKS = frozenset("*_`~#>\"'“”‘’„«»「」『』")
#: letters and digits that a quote must have, or it would be found in nearly any message
_LEAST = 8


def find_words(quote: str, message: Message) -> str | None:
    """The message's own words that the quote means; None when it says something else."""
    wanted = "".join(sign for sign, _ in _signs(quote))
    if sum(sign.isalnum() for sign in wanted) < _LEAST:
        return None
    for text in message_texts(message):
        signs = _signs(text)
        at = "".join(sign for sign, _ in signs).find(wanted)
        if at >= 0:
            return text[signs[at][1] : signs[at + len(wanted) - 1][1] + 1]
    return None


def _signs(text: str) -> list[tuple[str, int]]:
    """The signs that count, each of one character, with their positions; words stay apart."""
    signs: list[tuple[str, int]] = []
    gap = False
    for at, sign in enumerate(text):
        if sign.isspace():
            gap = True
        elif sign not in _MARKS:
            if gap and signs:
                signs.append((" ", at))
            gap = False
            signs += [(one, at) for one in unicodedata.normalize("NFKC", sign).casefold()]
    return signs
