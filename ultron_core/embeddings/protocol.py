"""The published protocol of an embedder; anything with these members can be plugged in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

__all__ = ["Embedder", "Thresholds", "Vectors"]

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Raw cosines calibrated for one model: merge strictly above `merge`, ask or link from `soft` up,
    join a cluster from `cluster` up."""

    merge: float
    soft: float
    cluster: float


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit vectors. Vectors of different `model_id` are never compared."""

    @property
    def model_id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def thresholds(self) -> Thresholds: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 array (len(texts), dimension), rows of length 1. Raises EmbeddingError when it is down, and its
        subclass TextRefusedError when it does not take one of the texts: then the others are tried without it."""
        ...
