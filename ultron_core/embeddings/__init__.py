"""Texts to vectors: one protocol, an offline embedder and one behind an endpoint."""

from ultron_core.embeddings.protocol import Embedder, Thresholds, Vectors

__all__ = ["Embedder", "Thresholds", "Vectors"]
