"""Vectors of an embedder, checked before anything is compared or stored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ultron_core.embeddings.protocol import Embedder, Vectors
from ultron_core.errors import EmbeddingError, TextRefusedError

__all__ = ["embed_checked", "embed_taken"]

#: a text that every embedder takes: who refuses it is down, or set up wrongly
_PLAIN = "text"


def embed_checked(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """float32 array (len(texts), dimension). Raises EmbeddingError when the answer has another shape, and its subclass
    TextRefusedError when it contains NaN or infinity, as one text may be to blame for that: callers treat it as an
    unavailable embedder, not as a database error later on."""
    vectors: Vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
    expected = (len(texts), embedder.dimension)
    if vectors.shape != expected:
        raise EmbeddingError(
            f"{embedder.model_id} gave an array of {vectors.shape}, expected {expected}. Check the model and "
            "its dimension."
        )
    if not np.isfinite(vectors).all():
        raise TextRefusedError(f"{embedder.model_id} gave vectors that contain NaN or infinity.")
    return vectors


def embed_taken(embedder: Embedder, texts: Sequence[str]) -> list[Vectors | None]:
    """A vector for each text, None for those that the embedder refuses; the others pass.

    One refused text of n costs about 2 log2(n) requests more. Raises EmbeddingError when the embedder is down or
    takes nothing at all, also when it came to that only while the refused texts were looked for.
    """
    if not texts:
        return []
    try:
        return list(embed_checked(embedder, texts))
    except TextRefusedError:
        embed_checked(embedder, [_PLAIN])
    if len(texts) == 1:
        return [None]
    vectors = _halved(embedder, texts)
    if any(vector is None for vector in vectors):
        embed_checked(embedder, [_PLAIN])
    return vectors


def _halved(embedder: Embedder, texts: Sequence[str]) -> list[Vectors | None]:
    """Of texts that were refused together."""
    if len(texts) == 1:
        return [None]
    middle = len(texts) // 2
    vectors: list[Vectors | None] = []
    for half in (texts[:middle], texts[middle:]):
        try:
            vectors += list(embed_checked(embedder, half))
        except TextRefusedError:
            vectors += _halved(embedder, half)
    return vectors
