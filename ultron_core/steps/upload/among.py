"""Uploads of one batch compared with each other: those that became memories before, nearest first.

A block of uploads is compared at once with all before it: of a batch of any size so much is held in memory, and the
cosines of all pairs never are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ultron_core.store.tables.uploads import Floats

__all__ = ["Among"]

#: uploads compared at once: 20,000 of them need 20 MB
_BLOCK = 256


class Among:
    """Asked in the order of the batch, with positions in it."""

    def __init__(self, vectors: Sequence[Floats | None]) -> None:
        """None where there is no vector: such an upload is near to nothing."""
        size = max((len(vector) for vector in vectors if vector is not None), default=1)
        self._rows = np.zeros((len(vectors), size), dtype=np.float32)
        for position, vector in enumerate(vectors):
            if vector is not None:
                self._rows[position] = vector
        self._begin, self._cosines = 0, np.zeros((0, 0), dtype=np.float32)
        self._made: dict[str, npt.NDArray[np.intp]] = {}
        self._counts: dict[str, int] = {}

    def add(self, position: int, memory_type: str) -> None:
        """The upload became a memory of this type."""
        count = self._counts.get(memory_type, 0)
        if not count:
            self._made[memory_type] = np.empty(len(self._rows), dtype=np.intp)
        self._made[memory_type][count] = position
        self._counts[memory_type] = count + 1

    def nearest(self, position: int, memory_type: str, most: int) -> list[tuple[int, float]]:
        """(position, cosine) of the nearest ones of the type so far."""
        count = self._counts.get(memory_type, 0)
        if not count:
            return []
        made = self._made[memory_type][:count]
        cosines = self._row(position)[made]
        best = np.argpartition(-cosines, most)[:most] if count > most else np.arange(count)
        return [(int(made[at]), float(cosines[at])) for at in best]

    def _row(self, position: int) -> Floats:
        """Cosines with all before it."""
        if not self._begin <= position < self._begin + len(self._cosines):
            self._begin = position
            end = min(position + _BLOCK, len(self._rows))
            self._cosines = self._rows[position:end] @ self._rows[:end].T
        row: Floats = self._cosines[position - self._begin]
        return row
