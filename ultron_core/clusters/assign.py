"""The online rule for many vectors at once: join the nearest centroid, or open a new cluster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["assign_online"]


def assign_online(
    vectors: npt.NDArray[np.float32], threshold: float, centroids: Sequence[npt.NDArray[np.float32]] = ()
) -> list[int]:
    """Cluster number of each vector, in order; numbers below len(centroids) are the given ones.

    A vector joins the cluster whose centroid (mean of its members' unit vectors) has the highest cosine, if
    that is at least `threshold`; else it opens a new one. Given centroids count as one member each.
    """
    sums = [np.asarray(c, dtype=np.float64) for c in centroids]
    labels: list[int] = []
    for vector in np.asarray(vectors, dtype=np.float64):
        best, score = -1, -2.0
        if sums:
            matrix = np.stack(sums)
            cosines = matrix @ vector / np.maximum(np.linalg.norm(matrix, axis=1), 1e-12)
            best = int(np.argmax(cosines))
            score = float(cosines[best])
        if score >= threshold:
            sums[best] = sums[best] + vector
        else:
            best = len(sums)
            sums.append(vector)
        labels.append(best)
    return labels
