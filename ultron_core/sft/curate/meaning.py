"""Rows that ask for the same thing in other words: groups of first requests by the cosine of their vectors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Vectors", "same_meaning"]

Vectors = npt.NDArray[np.float32]


def same_meaning(vectors: Vectors, cosine: float) -> list[int]:
    """For each row, in the order in which rows win, the row that its group began with.

    A row joins the most similar beginner of at least this cosine, never along a chain; else it begins a group.
    """
    groups: list[int] = []
    beginners: list[int] = []
    for row, vector in enumerate(vectors):
        similar = vectors[beginners] @ vector if beginners else np.empty(0, np.float32)
        nearest = int(similar.argmax()) if len(similar) else -1
        if nearest >= 0 and similar[nearest] >= cosine:
            groups.append(beginners[nearest])
        else:
            groups.append(row)
            beginners.append(row)
    return groups
