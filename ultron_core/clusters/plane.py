"""Where memories lie on a map: the two directions in which their vectors differ most."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["place"]

#: the outermost hundredth does not decide the scale
_EDGE = 0.01


def place(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Rows of x and y from 0 to 1, the same for the same vectors; fewer than three lie on one line."""
    if len(vectors) == 0:
        return np.zeros((0, 2))
    if len(vectors) < 3:
        return np.column_stack([np.linspace(0.25, 0.75, len(vectors)), np.full(len(vectors), 0.5)])
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    two = axes[:, -1:-3:-1]
    # an axis may point either way: its largest part is positive
    two = two * np.sign(two[np.abs(two).argmax(axis=0), (0, 1)])
    points = centred @ two
    low, high = np.quantile(points, [_EDGE, 1 - _EDGE], axis=0)
    placed: npt.NDArray[np.float64] = np.clip((points - low) / np.maximum(high - low, 1e-9), 0.0, 1.0)
    return placed
