"""Texts as the numbers of their pieces: the vocabulary of the network, cut by the likeliest way (a unigram model).

The pieces and their log-probabilities are those of multilingual-e5-small that occur in logs; a character that no
piece holds is unknown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["BEGIN", "END", "PAD", "UNKNOWN", "Pieces"]

#: numbers of the marks, which stand first in the vocabulary
BEGIN, PAD, END, UNKNOWN = 0, 1, 2, 3
#: what stands for a space; a piece holds one at its beginning only
_SPACE = "\u2581"
#: an unknown character costs so much more than the rarest piece (sentencepiece)
_UNKNOWN_COST = 10.0
#: characters that are cut together: Chinese has no spaces
_TOGETHER = 40
#: characters that are normalised: 128 pieces of a log hold some 500
_MOST = 2_000
#: words whose pieces are remembered
_WORDS = 20_000


class Pieces:
    """Loaded once; safe between threads."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        self._ids = {piece: number for number, piece in enumerate(pieces) if number > UNKNOWN}
        self._scores = [float(score) for score in scores]
        self._longest = max(map(len, pieces))
        self._unknown = min(self._scores) - _UNKNOWN_COST
        self._of_word = lru_cache(maxsize=_WORDS)(self._best)

    def ids(self, text: str, most: int, *, last: bool = False) -> list[int]:
        """At most `most` pieces from the beginning of a text, or from its end."""
        words = unicodedata.normalize("NFKC", self._ends(text, most, last)).split()
        words = [part for word in (words[-most:] if last else words[:most]) for part in _parts(_SPACE + word)]
        found: list[int] = []
        for word in reversed(words) if last else words:
            own = self._of_word(word)
            found = [*own, *found] if last else [*found, *own]
            if len(found) >= most:
                break
        return found[-most:] if last else found[:most]

    def _ends(self, text: str, most: int, last: bool) -> str:
        """As much of the text as `most` pieces can hold: normalising takes quadratic time over signs that combine."""
        words = text.split()
        size = most * self._longest
        ends = [word[-size:] for word in words[-most:]] if last else [word[:size] for word in words[:most]]
        kept = " ".join(ends)
        return kept[-_MOST:] if last else kept[:_MOST]

    def _best(self, word: str) -> tuple[int, ...]:
        """The pieces of a word whose scores sum up to most."""
        size = len(word)
        best = [0.0] + [float("-inf")] * size
        start, piece = [0] * (size + 1), [0] * (size + 1)
        for i in range(size):
            for j in range(i + 1, min(i + self._longest, size) + 1):
                found = self._ids.get(word[i:j])
                if found is None:
                    if j > i + 1:
                        continue
                    found, score = UNKNOWN, best[i] + self._unknown
                else:
                    score = best[i] + self._scores[found]
                if score > best[j]:
                    best[j], start[j], piece[j] = score, i, found
        ids = []
        while size:
            ids.append(piece[size])
            size = start[size]
        return tuple(reversed(ids))


def _parts(word: str) -> list[str]:
    return [word[at : at + _TOGETHER] for at in range(0, len(word), _TOGETHER)]
