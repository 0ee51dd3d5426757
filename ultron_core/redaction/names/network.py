"""A small network that tells names from other words by their letters, their neighbours and their case.

It was fitted to what a transformer says of sentences of many sources, with names of 50 lists in the place of theirs,
in lower case and in capitals too: spaCy's small model knows neither. benchmarks/training/names/fit.py fits it and says
of what it was made; docs/redaction.md measures it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ultron_core.redaction.names.lexicon import GIVEN_NAMES, NOT_NAMES, ORDINARY, SURNAMES

__all__ = [
    "FLAGS",
    "GROUPS",
    "NEAR",
    "NEXT",
    "SURNAME",
    "NameNetwork",
    "default_network",
    "features",
    "tokens",
]

Floats = NDArray[np.float32]
#: words, parts of genitives, numbers, line ends, signs, e.g. `O'Brien`, `'s`, `2019`
_TOKEN = re.compile(
    r"['’](?:s|m|ll|d|re|ve)\b|[^\W\d_]+(?:['’](?!(?:s|m|ll|d|re|ve)\b)[^\W\d_]+)*|\d+|\n|[^\w\s]|_"
)
#: begins a word of a script that the network was fitted to; a run of Chinese is one word to it, e.g. `Ö`
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
#: a capital inside of a word, e.g. `sessionId`
_INNER = re.compile(r"[a-z][A-Z]")
#: what may stand between the words of one name, e.g. `-` of "Anne-Marie", `. ` of "J. Brown"
_JOINTS = frozenset((" ", "-", ".", ". "))
#: rows of words, and of groups of letters; two words may share one
ROWS, GROUPS = 6_000, 16_000
#: signs of a word besides its letters
FLAGS = 13
#: which of them says that a list of surnames holds the word
SURNAME = 12
#: words to each side that the first layer sees, and the second
NEAR, NEXT = 3, 2
#: characters that are read together
_TOGETHER = 40_000
#: words whose features are kept: a session has a few thousand different ones
_MOST_CACHED = 20_000


def tokens(text: str) -> list[tuple[int, int, str]]:
    """(start, end, word)."""
    return [(match.start(), match.end(), match[0]) for match in _TOKEN.finditer(text)]


def features(word: str) -> tuple[int, list[int], list[float]]:
    """The row of the word, the rows of its groups of letters, and its flags."""
    low = word.lower()
    letters = word[:1].isalpha()
    framed = f"<{low}>" if letters else ""
    groups = [_row(f"3{framed[at : at + 3]}") for at in range(len(framed) - 2)]
    groups += [_row(f"s{framed[-5:]}"), _row(f"p{framed[:5]}")] if framed else []
    flags = (
        letters and word.islower(),
        letters and word[:1].isupper() and not word[1:].isupper(),
        letters and len(word) > 1 and word.isupper(),
        len(word) == 1 and word.isupper(),
        low in GIVEN_NAMES,
        low in ORDINARY,
        low in NOT_NAMES,
        bool(_INNER.search(word)),
        word.isdigit(),
        word == "\n",
        not letters,
        len(word) > 12,
        low in SURNAMES,
    )
    # what stands with a capital and is no common word is judged by its letters: most names and programs are new
    common = word[:1].islower() or not letters or low in ORDINARY or low in NOT_NAMES
    row = zlib.crc32(f"w{low}".encode()) % ROWS if common else 0
    return row, groups[:16], [float(flag) for flag in flags]


def _row(group: str) -> int:
    return zlib.crc32(group.encode()) % GROUPS


class NameNetwork:
    """Two layers over windows of words."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        from threadpoolctl import ThreadpoolController

        self._words, self._groups = weights["words"], weights["groups"]
        self._near, self._near_bias = weights["near"], weights["near_bias"]
        self._next, self._next_bias = weights["next"], weights["next_bias"]
        self._last, self._last_bias = weights["last"], weights["last_bias"]
        self._threads = ThreadpoolController()
        self._cached: dict[str, Floats] = {}

    def names(self, texts: Sequence[str], *least: float) -> list[dict[str, list[tuple[int, int, float]]]]:
        """For each bound, (start, end, likeliest word) of the names in each text, every word as likely as the bound."""
        found: list[dict[str, list[tuple[int, int, float]]]] = [{} for _ in least]
        waiting = iter(texts)
        count = max(1, _TOGETHER // max(1, sum(map(len, texts)) // max(1, len(texts))))
        while some := list(islice(waiting, count)):
            read = [tokens(text) for text in some]
            with self._threads.limit(limits=1, user_api="blas"):
                likely = self._likely([[word for _, _, word in words] for words in read])
            for text, words, odds in zip(some, read, likely, strict=True):
                for names, bound in zip(found, least, strict=True):
                    names[text] = list(_joined(text, words, odds, bound))
        return found

    def _likely(self, texts: Sequence[Sequence[str]]) -> list[Floats]:
        """How likely each word is part of a name. Nothing stands between two texts but empty rows."""
        gap = np.zeros((NEAR + NEXT, self._words.shape[1] + self._groups.shape[1] + FLAGS), np.float32)
        rows = [gap, *(part for words in texts for part in (*(self._vector(w)[None] for w in words), gap))]
        lengths = [len(words) for words in texts]
        starts = np.cumsum([len(gap), *(length + len(gap) for length in lengths)])
        seen = np.concatenate(rows)
        real = np.any(seen, axis=1, keepdims=True)
        hidden = np.maximum(_windows(seen, NEAR) @ self._near + self._near_bias, 0) * real
        hidden = np.maximum(_windows(hidden, NEXT) @ self._next + self._next_bias, 0)
        odds: Floats = 1 / (1 + np.exp(-(hidden @ self._last + self._last_bias)[:, 0]))
        return [odds[start : start + length] for start, length in zip(starts, lengths, strict=False)]

    def _vector(self, word: str) -> Floats:
        known = self._cached.get(word)
        if known is None:
            if len(self._cached) > _MOST_CACHED:
                self._cached.clear()
            row, groups, flags = features(word)
            width = self._groups.shape[1]
            letters = self._groups[groups].mean(0) if groups else np.zeros(width, np.float32)
            known = np.concatenate([self._words[row], letters, np.array(flags, np.float32)])
            self._cached[word] = known
        return known


def _windows(rows: Floats, reach: int) -> Floats:
    edge = np.zeros((reach, rows.shape[1]), np.float32)
    wide = np.concatenate([edge, rows, edge])
    return np.concatenate([wide[at : at + len(rows)] for at in range(2 * reach + 1)], 1)


def _joined(
    text: str, words: Sequence[tuple[int, int, str]], odds: Floats, least: float
) -> Iterator[tuple[int, int, float]]:
    begun = ended = -1
    most = 0.0
    for (start, end, word), likely in zip(words, odds, strict=True):
        if likely < least or not _LATIN.match(word):
            continue
        if begun >= 0 and text[ended:start] not in _JOINTS:
            yield begun, ended, most
            begun = -1
        begun, ended, most = (
            (start, end, float(likely)) if begun < 0 else (begun, end, max(most, float(likely)))
        )
    if begun >= 0:
        yield begun, ended, most


@cache
def default_network() -> NameNetwork:
    """The weights of this package; read once, 0.02 s."""
    with files("ultron_core.redaction.names").joinpath("network.npz").open("rb") as file:
        stored: Any = np.load(file)
        return NameNetwork({name: stored[name].astype(np.float32) for name in stored.files})
