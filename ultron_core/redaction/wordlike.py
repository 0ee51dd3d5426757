"""Is the random-looking tail of a key machine-generated, or made of words as in `sk-learn-contrib`?"""

from __future__ import annotations

import re

__all__ = ["made_by_machine", "made_of_words"]

#: a part that somebody wrote, e.g. `service`, `HTTPServer2`, `42`
_WORD = re.compile(r"(?:[A-Z]{0,5}[a-z]{1,14})?(?:[A-Z]{1,5}[a-z]{2,14})*[A-Z]{0,3}\d{0,4}|\d{1,4}")
#: letters and digits that take turns, e.g. `a1b`, `9f3`
_SWITCH = re.compile(r"[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d")
#: a run of letters this long is not a word, unless it repeats one letter
_LONG = 24
#: different letters that such a run must have
_FEW_LETTERS = 10


def made_of_words(tail: str) -> bool:
    """Are all parts between dashes and underscores words, camelCase or short numbers?"""
    return all(_WORD.fullmatch(part) for part in re.split(r"[-_]", tail))


def made_by_machine(tail: str) -> bool:
    """Does any part between dashes and underscores look machine-generated?"""
    return any(_random(part) for part in re.split(r"[-_]", tail))


def _random(part: str) -> bool:
    if part.isalpha():
        if len(part) >= _LONG and len(set(part.lower())) >= _FEW_LETTERS:
            return not (part[1:] != part[1:].lower() and _WORD.fullmatch(part))
        return len(part) >= 16 and part[1:] != part[1:].lower() and not _WORD.fullmatch(part)
    if part.isdigit():
        return False
    return len(part) >= 20 or (len(part) >= 12 and bool(_SWITCH.search(part)))
