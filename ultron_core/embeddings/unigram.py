"""The likeliest way to cut a word into pieces of a vocabulary, as sentencepiece's unigram model does (Kudo, 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

__all__ = ["Unigram"]

#: an unknown character costs so much more than the rarest piece (sentencepiece)
_UNKNOWN_COST = 10.0
#: a piece that is longer is looked for where its beginning is one of a longer piece's
_SHORT = 3


class Unigram:
    """`ids` gives the numbers of the pieces, `scores` the log-probability of each number, `unknown` the number of what
    no piece holds; the pieces of `words` words are remembered. Safe between threads."""

    def __init__(self, ids: Mapping[str, int], scores: Sequence[float], unknown: int, words: int) -> None:
        self._ids, self._scores, self._unknown = ids, scores, unknown
        self._unknown_score = min(scores) - _UNKNOWN_COST
        self._beginnings = {piece[:_SHORT] for piece in ids if len(piece) > _SHORT}
        self.longest = max(map(len, ids))
        self.of_word = lru_cache(maxsize=words)(self._best)

    def _best(self, word: str) -> tuple[int, ...]:
        """The pieces of a word whose scores sum up to most; of equal ways, that whose last piece begins first."""
        size = len(word)
        best = [0.0] + [float("-inf")] * size
        start, piece = [0] * (size + 1), [0] * (size + 1)
        for i in range(size):
            reach = self.longest if word[i : i + _SHORT] in self._beginnings else _SHORT
            for j in range(i + 1, min(i + reach, size) + 1):
                found = self._ids.get(word[i:j])
                if found is None:
                    if j > i + 1:
                        continue
                    found, score = self._unknown, best[i] + self._unknown_score
                else:
                    score = best[i] + self._scores[found]
                if score > best[j]:
                    best[j], start[j], piece[j] = score, i, found
        ids = []
        while size:
            ids.append(piece[size])
            size = start[size]
        return tuple(reversed(ids))
