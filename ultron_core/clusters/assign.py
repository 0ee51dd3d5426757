"""The online rule for many vectors at once: join the nearest centroid, or open a new cluster."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

__all__ = ["Floats", "assign_online", "unit_rows"]

Floats = npt.NDArray[np.float32]
#: vectors compared with all clusters in one matrix product; columns of clusters that change are recomputed
_BLOCK = 64


def assign_online(
    vectors: Floats,
    threshold: float,
    centroids: Sequence[Floats] | Floats = (),
    sizes: Sequence[int] | None = None,
) -> list[int]:
    """Cluster number of each vector, in order; numbers below len(centroids) are the given ones.

    A vector joins the cluster whose centroid (mean of its members' unit vectors) has the highest cosine, if
    that is at least `threshold`; else it opens a new one. Centroids move with each member. `sizes` says how
    many members the given centroids have (default one each).
    """
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    given = np.array(centroids, dtype=np.float32).reshape(-1, rows.shape[1] if rows.ndim == 2 else 1)
    weights = np.ones(len(given)) if sizes is None else np.asarray(sizes, dtype=np.float64)
    state = _Sums(rows.shape[1], given * weights[:, None].astype(np.float32))
    # limiting threads costs a millisecond: not worth it for an upload or two
    with threadpool_limits(limits=1) if len(rows) > _BLOCK else nullcontext():
        return [
            label
            for begin in range(0, len(rows), _BLOCK)
            for label in state.place(rows[begin : begin + _BLOCK], threshold)
        ]


def unit_rows(rows: Floats) -> Floats:
    """Rows scaled to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = (rows / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled


class _Sums:
    """Sums of the clusters' vectors and their directions, with room for more."""

    def __init__(self, dimension: int, given: Floats) -> None:
        self.count = len(given)
        room = 2 * self.count + _BLOCK
        self.sums = np.zeros((room, dimension), dtype=np.float64)
        self.units = np.zeros((room, dimension), dtype=np.float32)
        self.sums[: self.count] = given
        self.units[: self.count] = unit_rows(given)

    def place(self, block: Floats, threshold: float) -> list[int]:
        """Labels of a block, one vector after another; its cosines are computed once and then updated."""
        self._make_room(len(block))
        cosines = np.empty((len(block), self.count + len(block)), dtype=np.float32)
        cosines[:, : self.count] = block @ self.units[: self.count].T
        labels = []
        for number, vector in enumerate(block):
            best = int(np.argmax(cosines[number, : self.count])) if self.count else -1
            if best < 0 or cosines[number, best] < threshold:
                best = self.count
                self.count += 1
            self.sums[best] += vector
            self.units[best] = self.sums[best] / max(float(np.linalg.norm(self.sums[best])), 1e-12)
            cosines[number + 1 :, best] = block[number + 1 :] @ self.units[best]
            labels.append(best)
        return labels

    def _make_room(self, more: int) -> None:
        if self.count + more > len(self.sums):
            room = np.zeros((len(self.sums) + more, self.sums.shape[1]))
            self.sums = np.concatenate([self.sums, room])
            self.units = np.concatenate([self.units, room.astype(np.float32)])
