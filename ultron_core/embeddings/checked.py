"""Vectors of an embedder, checked before anything is compared or stored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ultron_core.embeddings.protocol import Embedder, Vectors
from ultron_core.errors import EmbeddingError

__all__ = ["embed_checked"]


def embed_checked(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """float32 array (len(texts), dimension). Raises EmbeddingError when the answer has another shape or contains
    NaN or infinity: callers treat it as an unavailable embedder, not as a database error later on."""
    vectors: Vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
    expected = (len(texts), embedder.dimension)
    if vectors.shape != expected:
        raise EmbeddingError(
            f"{embedder.model_id} gave an array of {vectors.shape}, expected {expected}. Check the model and "
            "its dimension."
        )
    if not np.isfinite(vectors).all():
        raise EmbeddingError(f"{embedder.model_id} gave vectors that contain NaN or infinity.")
    return vectors
