"""Near-duplicates: candidates by MinHash bands, each confirmed by its true Jaccard similarity to a kept row.

A row is dropped for a kept row that it resembles, never along a chain. Signatures are by rensa; the number of rows a
band is the largest for which at least 99.5 % of the pairs at the threshold meet in a band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import rensa

from ultron_core.sft.curate.shingles import Shingles, jaccard

__all__ = ["BandKeys", "band_keys", "bands_for", "near_duplicates"]

BandKeys = npt.NDArray[np.uint32]
#: values of a signature: at 256 the bands below leave few pairs of .3 as candidates (11 %)
_PERMUTATIONS = 256
#: any fixed one: the same rows must always give the same candidates
_SEED = 20_240_229
#: share of the pairs at the threshold that must become candidates
_RECALL = 0.995


def bands_for(threshold: float) -> tuple[int, int]:
    """(bands, rows a band): a pair at the threshold meets with a chance of 1 - (1 - t^rows)^bands."""
    rows = 1
    while rows < 16 and _chance(threshold, rows + 1) >= _RECALL:
        rows += 1
    return _PERMUTATIONS // rows, rows


def _chance(threshold: float, rows: int) -> float:
    return float(1 - (1 - threshold**rows) ** (_PERMUTATIONS // rows))


def band_keys(sets: Sequence[Shingles], threshold: float) -> BandKeys:
    """A row a set, a column a band: rows that share a value in a column are candidates."""
    bands, rows = bands_for(threshold)
    if not sets:
        return np.empty((0, bands), np.uint32)
    offsets = np.cumsum([0, *(len(one) for one in sets)], dtype=np.uint64)
    matrix = rensa.RMinHash.digest_matrix_from_flat_token_hashes(
        np.concatenate(sets), offsets, _PERMUTATIONS, _SEED
    )
    minima = np.array(matrix.to_rows(), dtype=np.uint64)[:, : bands * rows].reshape(len(sets), bands, rows)
    keys = np.zeros((len(sets), bands), np.uint64)
    for row in range(rows):
        keys = (keys ^ minima[:, :, row]) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return (keys >> np.uint64(32)).astype(np.uint32)


def near_duplicates(
    keys: BandKeys, load: Callable[[int], Shingles], threshold: float
) -> list[tuple[int, float]]:
    """For each row, in the order in which rows win, (the kept row it duplicates, similarity); (-1, 0) if it stays.

    `load` gives the shingles of a row: they need not all be in memory. Of several kept rows the most similar counts.
    """
    earlier = _earlier_candidates(keys)
    result: list[tuple[int, float]] = []
    for row in range(len(keys)):
        best = (-1, 0.0)
        others = [other for other in earlier.pop(row, ()) if result[other][0] < 0]
        own = load(row) if others else None
        for other in others:
            similar = jaccard(own, load(other)) if own is not None else 0.0
            if similar >= threshold and similar > best[1]:
                best = (other, similar)
        result.append(best)
    return result


def _earlier_candidates(keys: BandKeys) -> dict[int, list[int]]:
    """For each row the earlier rows that share a band with it, in order."""
    count = len(keys)
    pairs = np.empty(0, np.uint64)
    if not count:
        return {}
    for band in range(keys.shape[1]):
        order = np.argsort(keys[:, band], kind="stable")
        values = keys[order, band]
        starts = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist()]
        found = [
            _pairs_of(order[start:end])
            for start, end in zip(starts, [*starts[1:], count], strict=True)
            if end - start > 1
        ]
        if found:
            pairs = np.union1d(pairs, np.concatenate(found))
    candidates: dict[int, list[int]] = {}
    for later, first in zip(
        (pairs >> np.uint64(32)).tolist(), (pairs & np.uint64(0xFFFFFFFF)).tolist(), strict=True
    ):
        candidates.setdefault(later, []).append(first)
    return candidates


def _pairs_of(rows: npt.NDArray[np.intp]) -> npt.NDArray[np.uint64]:
    """Every pair of a group as one number: the later row in the high half, the earlier in the low one."""
    first, later = np.triu_indices(len(rows), 1)
    return (rows[later].astype(np.uint64) << np.uint64(32)) | rows[first].astype(np.uint64)
