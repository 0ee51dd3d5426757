"""Synthetic memories with the structure of real ones: topics of Zipf sizes, vectors near their topic, Zipf words.

Cosines within a topic are about .70 (sd .05), across topics about .26 (sd .11), as measured on real embeddings. A
row depends only on the seed and its number, so a store of any size can be rebuilt, and rows and queries that were
never stored come from numbers beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

DIMENSION = 512
VOCABULARY = 50_000
TOPIC_WORDS = 30
TYPES = ("pattern", "error", "correction", "preference", "security", "life")
#: preference is the filter of 10 %, life the one of 1 %
TYPE_SHARES = (0.44, 0.30, 0.12, 0.10, 0.03, 0.01)
_BLOCK = 1000


@dataclass(frozen=True)
class Rows:
    """A block: float32 vectors of length 1, texts, types, hits."""

    vectors: np.ndarray
    texts: list[str]
    types: list[str]
    hits: np.ndarray


class Generator:
    """Rows and queries of one seed; `topics` is fixed, so more rows make denser topics."""

    def __init__(self, seed: int = 7, topics: int = 2000) -> None:
        rng = np.random.default_rng([seed, 0])
        self.seed = seed
        # a decaying spectrum: few directions carry most of the variance, as in real embeddings
        self._scale = (np.arange(1, DIMENSION + 1) ** -0.35).astype(np.float32)
        common = rng.standard_normal(DIMENSION).astype(np.float32) * self._scale
        own = rng.standard_normal((topics, DIMENSION)).astype(np.float32) * self._scale
        self._centres = _unit(_unit(own) * 1.0 + _unit(common) * 0.78)
        share = 1.0 / np.arange(1, topics + 1) ** 0.8
        self._topic_shares = share / share.sum()
        self._topic_words = rng.integers(2000, VOCABULARY, (topics, TOPIC_WORDS))
        weights = 1.0 / np.arange(1, VOCABULARY + 1)
        self._word_steps = np.cumsum(weights / weights.sum())
        # letters alone, and none that a stemmer cuts off: each word is one term
        letters = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrtv")
        self._words = np.array([f"z{number:x}".translate(letters) for number in range(VOCABULARY)])

    def blocks(self, start: int, count: int) -> Iterator[Rows]:
        """Rows start .. start + count - 1, a block at a time; both must be multiples of 1,000 or below it."""
        for number in range(start // _BLOCK, -(-(start + count) // _BLOCK)):
            rows = self._block(number)
            left = start + count - number * _BLOCK
            yield rows if left >= _BLOCK else _cut(rows, left)

    def queries(self, count: int) -> tuple[np.ndarray, list[str]]:
        """Vectors and texts of 6 to 12 words, half of them of the topic, that are in no block."""
        rng = np.random.default_rng([self.seed, 1])
        topics = rng.choice(len(self._topic_shares), count, p=self._topic_shares)
        texts = []
        for topic in topics:
            length = int(rng.integers(6, 13))
            own = rng.choice(self._topic_words[topic], length // 2)
            texts.append(" ".join(self._words[[*own, *self._zipf(rng, length - length // 2)]]))
        return self._near(rng, topics), texts

    def _block(self, number: int) -> Rows:
        rng = np.random.default_rng([self.seed, 2, number])
        topics = rng.choice(len(self._topic_shares), _BLOCK, p=self._topic_shares)
        lengths = np.clip(rng.normal(60, 20, _BLOCK), 12, 160).astype(int)
        texts = []
        for topic, length in zip(topics, lengths, strict=True):
            own = rng.choice(self._topic_words[topic], length // 3)
            words = np.concatenate([own, self._zipf(rng, length - len(own))])
            texts.append(" ".join(self._words[words]))
        types = [TYPES[i] for i in rng.choice(len(TYPES), _BLOCK, p=TYPE_SHARES)]
        return Rows(self._near(rng, topics), texts, types, rng.zipf(1.8, _BLOCK).clip(1, 10_000))

    def _near(self, rng: np.random.Generator, topics: np.ndarray) -> np.ndarray:
        noise = _unit(rng.standard_normal((len(topics), DIMENSION)).astype(np.float32) * self._scale)
        return _unit(self._centres[topics] + noise * 0.65)

    def _zipf(self, rng: np.random.Generator, count: int) -> np.ndarray:
        return np.searchsorted(self._word_steps, rng.random(count)).clip(0, VOCABULARY - 1)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def _cut(rows: Rows, count: int) -> Rows:
    return Rows(rows.vectors[:count], rows.texts[:count], rows.types[:count], rows.hits[:count])
