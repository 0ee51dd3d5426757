"""The divergence guard: two near-equal texts that state different facts are not one memory.

Cosine cannot tell "port 5432" from "port 5433". Each rule asks for a difference on both sides: a text that
merely says more than the other does not diverge from it. The same fact in the other language does not
diverge: numbers compare by value, days and months by number, Latin words inside Chinese against all words
of the English side. Measured in docs/memories.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.memories.merging.facts import Facts, find_facts
from ultron_core.memories.merging.numerals import find_numbers
from ultron_core.memories.merging.polarity import has_negation, has_soft_negation, opposite_words
from ultron_core.transcript.language import Lang, language

__all__ = ["diverges"]

#: a number that is a version, e.g. `3.10`, `2.0.1`
_VERSION = re.compile(r"^\d+\.\d+(\.\d+)*$")
#: a switch or a setting with its value, e.g. `--no-cache`, `-v`, `retries=3`
_FLAG = re.compile(r"^--?[a-z]|=")
#: an identifier that names a file, e.g. `src/app`, `settings.toml`
_PATHLIKE = re.compile(r"[/\\]|\.[a-z]{1,5}$")
#: what two forms of one word end in, e.g. `ting` of "cutting", `ed` of "failed"
_STEM_END = re.compile(r"(?:s|es|ed|t?ting|ing)?")
#: a word, a number, or one Chinese character, e.g. `don't`, `1.2.3`, `端`
_TOKEN = re.compile(r"[\u3400-\u9fff]|[A-Za-z]+(?:'[a-z]+)?|\d+(?:\.\d+)*")
_FUNCTION_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "and",
        "or",
        "but",
        "so",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "onto",
        "over",
        "to",
        "up",
        "with",
        "its",
        "it",
        "he",
        "she",
        "they",
        "their",
        "his",
        "her",
        "this",
        "that",
        "these",
        "those",
        "there",
        "then",
        "than",
        "who",
        "which",
        "will",
        "would",
        "can",
        "could",
        "should",
        "may",
        "might",
        "must",
        "very",
        "just",
        "also",
        "too",
        "all",
        "some",
        "any",
        "each",
        "every",
        "one",
        "while",
        "when",
        "where",
        "if",
    ]
)


def diverges(a: str, b: str) -> str | None:
    """Why `a` and `b` must not be merged, or None; the same answer for (b, a).

    number, version, date, flag, path, identifier: each states one that the other lacks; negation: one denies;
    antonym: opposite words; word: word for word the same but for one term on each side.
    """
    left, right = find_facts(a), find_facts(b)
    reason = _dates_or_numbers(left, right) or _identifiers(left, right)
    if reason:
        return reason
    same_language = language(a) == language(b)
    if _negation(a, b):
        return "negation"
    if same_language and opposite_words(a, b):
        return "antonym"
    if same_language and _one_term_differs(a, b, language(a)):
        return "word"
    return None


def _dates_or_numbers(left: Facts, right: Facts) -> str | None:
    if left.dates - right.dates and right.dates - left.dates:
        return "date"
    only_left = left.numbers.certain - right.numbers.certain - right.numbers.loose
    only_right = right.numbers.certain - left.numbers.certain - left.numbers.loose
    if not (only_left and only_right):
        return None
    if all(_VERSION.match(value) for value in only_left | only_right):
        return "version"
    return "number"


def _identifiers(left: Facts, right: Facts) -> str | None:
    only_left, only_right = _lacking(left, right), _lacking(right, left)
    if not (only_left and only_right):
        return None
    both = only_left | only_right
    if any(_FLAG.search(item) for item in only_left) and any(_FLAG.search(item) for item in only_right):
        return "flag"
    if all(_PATHLIKE.search(item) for item in both):
        return "path"
    return "identifier"


def _lacking(one: Facts, other: Facts) -> set[str]:
    """Identifiers of `one` that `other` does not hold, neither whole nor as one of its plain words."""
    held = other.words | other.identifiers
    held |= {item.strip("@()") for item in held} | {_tail(item) for item in held}
    return {item for item in one.identifiers if item not in held and _tail(item) not in held}


def _tail(item: str) -> str:
    """The last part of a path."""
    return re.split(r"[/\\]", item)[-1]


def _negation(a: str, b: str) -> bool:
    left, right = has_negation(a), has_negation(b)
    if left == right:
        return False
    plain = b if left else a
    return not has_soft_negation(plain)


def _one_term_differs(a: str, b: str, lang: Lang) -> bool:
    """True for texts that are equal word for word but for one place, where each has another term."""
    left, right = _tokens(a, lang), _tokens(b, lang)
    if min(len(left), len(right)) < 3:
        return False
    # without what both begin and end with: time grows with the texts, a general comparison with their square
    start = _shared(left, right)
    end = _shared(left[start:][::-1], right[start:][::-1])
    one, other = left[start : len(left) - end], right[start : len(right) - end]
    longest = 4 if lang == "zh" else 2
    if not one or not other or len(one) > longest or len(other) > longest or set(one) & set(other):
        return False
    if find_numbers(" ".join(one)).certain and find_numbers(" ".join(other)).certain:
        return False
    return not _related(one, other)


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    """How many items both begin with."""
    return next(
        (at for at, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), min(len(left), len(right))
    )


def _tokens(text: str, lang: Lang) -> list[str]:
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    if lang == "zh":
        return [token for token in tokens if token not in "的了是在把被将很也都就会着"]
    return [token for token in tokens if token not in _FUNCTION_WORDS]


def _related(left: list[str], right: list[str]) -> bool:
    """Forms of one word ("cut", "cutting"), words for doing ("cutting", "slicing"), or Chinese terms that
    share a character: a fact seldom hangs on these, and a name or thing never looks so."""
    one, other = "".join(left), "".join(right)
    if one.endswith(("ing", "ed")) and other.endswith(("ing", "ed")):
        return True
    if "\u3400" <= one[0] <= "\u9fff":
        return bool(set(one) & set(other))
    shared = _shared(one, other)
    return shared >= min(4, len(one), len(other)) or (
        shared >= 3 and _STEM_END.fullmatch(one[shared:]) is not None
    )
