"""An embedder without a model: texts that share words are near, and nothing else is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from ultron_core.embeddings.protocol import Thresholds, Vectors
from ultron_core.errors import EmbeddingError

__all__ = ["FakeEmbedder"]


class FakeEmbedder:
    """Each lower-cased word is a fixed random direction; a text is their sum, scaled to length 1.

    Set `down = True` to make it fail with EmbeddingError. `texts` holds all that was embedded.
    """

    def __init__(
        self,
        dimension: int = 64,
        *,
        model_id: str = "fake",
        thresholds: Thresholds | None = None,
    ) -> None:
        self.dimension = dimension
        self.model_id = model_id
        self.thresholds = thresholds or Thresholds(merge=0.85, soft=0.75, cluster=0.75)
        self.down = False
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 rows of length 1; a text without words counts as one empty word."""
        if self.down:
            raise EmbeddingError("the fake embedder is down")
        self.texts.extend(texts)
        rows = np.zeros((len(texts), self.dimension))
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split() or [""]:
                row += self._direction(word)
        unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def _direction(self, word: str) -> Vectors:
        seed = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        direction: Vectors = np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float64)
        return direction
