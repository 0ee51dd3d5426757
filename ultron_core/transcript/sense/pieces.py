"""Texts as the numbers of their pieces: the vocabulary of the network, cut by the likeliest way (a unigram model).

The pieces and their log-probabilities are those of multilingual-e5-small that occur in logs; a character that no
piece holds is unknown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ultron_core.embeddings.unigram import Unigram

__all__ = ["BEGIN", "END", "PAD", "UNKNOWN", "Pieces"]

#: numbers of the marks, which stand first in the vocabulary
BEGIN, PAD, END, UNKNOWN = 0, 1, 2, 3
#: what stands for a space; a piece holds one at its beginning only
_SPACE = "\u2581"
#: characters that are cut together: Chinese has no spaces
_TOGETHER = 40
#: characters that are normalised: 128 pieces of a log hold some 500
_MOST = 2_000
#: words whose pieces are remembered
_WORDS = 20_000


class Pieces:
    """Loaded once; safe between threads."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        ids = {piece: number for number, piece in enumerate(pieces) if number > UNKNOWN}
        self._unigram = Unigram(ids, [float(score) for score in scores], UNKNOWN, _WORDS)

    def ids(self, text: str, most: int, *, last: bool = False) -> list[int]:
        """At most `most` pieces from the beginning of a text, or from its end."""
        words = unicodedata.normalize("NFKC", self._ends(text, most, last)).split()
        words = [part for word in (words[-most:] if last else words[:most]) for part in _parts(_SPACE + word)]
        found: list[int] = []
        for word in reversed(words) if last else words:
            own = self._unigram.of_word(word)
            found = [*own, *found] if last else [*found, *own]
            if len(found) >= most:
                break
        return found[-most:] if last else found[:most]

    def _ends(self, text: str, most: int, last: bool) -> str:
        """As much of the text as `most` pieces can hold: normalising takes quadratic time over signs that combine."""
        words = text.split()
        size = most * self._unigram.longest
        ends = [word[-size:] for word in words[-most:]] if last else [word[:size] for word in words[:most]]
        kept = " ".join(ends)
        return kept[-_MOST:] if last else kept[:_MOST]


def _parts(word: str) -> list[str]:
    return [word[at : at + _TOGETHER] for at in range(0, len(word), _TOGETHER)]
