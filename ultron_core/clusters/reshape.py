"""Which clusters to merge and which to split, with a gap between both rules, so that none oscillates.

t is the threshold from which a memory joins a cluster. Cohesion is the mean cosine of members to their
centroid, which is the length of the mean of their unit vectors.

    merge   centroids at a cosine of at least (1 + t) / 2, and the cohesion of both together at least t
    split   two halves (2-means) of at least 3 members whose centroids are at a cosine below t, so that neither
            half would join the other, and that leave at least 25 % less spread than the whole
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ultron_core.clusters.assign import Floats, unit_rows

__all__ = ["LEAST_SPLIT", "Merge", "Split", "find_merges", "find_split", "settle"]

Labels = npt.NDArray[np.int_]

#: members of the smaller half of a split (set by hand: docs/memory-store.md)
_LEAST_HALF = 3
#: members that a cluster needs before a split is considered
LEAST_SPLIT = 2 * _LEAST_HALF
#: share of the spread that a split must take away (set by hand: docs/memory-store.md)
_LEAST_GAIN = 0.25
#: of 2-means; it ends sooner when nothing moves any more
_ITERATIONS = 20
#: of splits and merges in turn; they end sooner when nothing moves any more
_ROUNDS = 5
#: rows compared with all others in one matrix product
_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Merge:
    """Two clusters (by position) to merge: `other` goes into `kept`. `cohesion` is that of both together."""

    kept: int
    other: int
    cosine: float
    cohesion: float


@dataclass(frozen=True, slots=True)
class Split:
    """Members (by position) that leave to form a new cluster; `cohesion` was that of the whole."""

    moved: tuple[int, ...]
    cosine: float
    cohesion: float
    gain: float


def find_merges(
    centroids: Floats,
    sizes: Sequence[int],
    threshold: float,
    *,
    fixed: Sequence[bool] = (),
    changed: Sequence[int] | None = None,
) -> list[Merge]:
    """Pairs to merge, nearest first, each cluster in one pair at most.

    Of `fixed` clusters (with a skill) none is merged into another. Only pairs with one of `changed` are
    considered; None means all.
    """
    units = unit_rows(centroids)
    rows = np.arange(len(units)) if changed is None else np.asarray(changed, dtype=int)
    pairs: set[tuple[float, int, int]] = set()
    for begin in range(0, len(rows), _BLOCK):
        own = rows[begin : begin + _BLOCK]
        cosines = units[own] @ units.T
        for i, j in zip(*np.nonzero(cosines >= (1 + threshold) / 2), strict=True):
            first, second = sorted((int(own[i]), int(j)))
            if first != second:
                pairs.add((-round(float(cosines[i, j]), 6), first, second))
    taken: set[int] = set()
    merges = []
    for negative, first, second in sorted(pairs):
        both_fixed = bool(fixed) and fixed[first] and fixed[second]
        if taken & {first, second} or both_fixed:
            continue
        weights = np.array([sizes[first], sizes[second]], dtype=np.float64)
        cohesion = float(np.linalg.norm(weights @ centroids[[first, second]] / weights.sum()))
        if cohesion < threshold:
            continue
        keep_second = (
            fixed[second] if fixed and fixed[first] != fixed[second] else sizes[second] > sizes[first]
        )
        kept, other = (second, first) if keep_second else (first, second)
        merges.append(Merge(kept, other, -negative, cohesion))
        taken |= {first, second}
    return merges


def find_split(vectors: Floats, threshold: float) -> Split | None:
    """How to split one cluster's unit vectors, the smaller half leaving; None when they belong together."""
    if len(vectors) < LEAST_SPLIT:
        return None
    side = _two_means(vectors)
    if not _LEAST_HALF <= side.sum() <= len(vectors) - _LEAST_HALF:
        return None
    means = np.stack([vectors[~side].mean(axis=0), vectors[side].mean(axis=0)])
    halves = np.linalg.norm(means, axis=1)
    cosine = float(means[0] @ means[1] / max(float(halves[0] * halves[1]), 1e-12))
    whole = float(np.linalg.norm(vectors.mean(axis=0)))
    share = side.mean()
    left = (1 - share) * (1 - halves[0]) + share * (1 - halves[1])
    gain = 1 - float(left) / max(1 - whole, 1e-12)
    if cosine >= threshold or gain < _LEAST_GAIN:
        return None
    moved = side if side.sum() * 2 <= len(side) else ~side
    return Split(tuple(int(i) for i in np.flatnonzero(moved)), cosine, whole, gain)


def _two_means(vectors: Floats) -> npt.NDArray[np.bool_]:
    """2-means on the sphere from two distant members; deterministic. True: the second half."""
    first = int(np.argmin(vectors @ vectors.mean(axis=0)))
    second = int(np.argmin(vectors @ vectors[first]))
    ends = vectors[[first, second]]
    side: npt.NDArray[np.bool_] = np.zeros(len(vectors), dtype=np.bool_)
    for _ in range(_ITERATIONS):
        cosines = vectors @ unit_rows(ends).T
        new = cosines[:, 1] > cosines[:, 0]
        if new.all() or not new.any() or np.array_equal(new, side):
            return new
        side = new
        ends = np.stack([vectors[~side].mean(axis=0), vectors[side].mean(axis=0)])
    return side


def settle(vectors: Floats, labels: Sequence[int], threshold: float, first: int = 0) -> list[int]:
    """Labels after splits and merges until none is left, for clusters numbered from `first` on.

    New numbers follow the order of the clusters' first vectors.
    """
    if not labels:
        return []
    own = np.asarray(labels, dtype=int)
    for _ in range(_ROUNDS):
        before = own.copy()
        own = _merged(vectors, _divided(vectors, own, threshold, first), threshold, first)
        if np.array_equal(own, before):
            break
    names: dict[int, int] = {}
    return [int(n) if n < first else names.setdefault(int(n), first + len(names)) for n in own]


def _groups(labels: Labels, first: int) -> dict[int, Labels]:
    order = np.argsort(labels, kind="stable")
    numbers, starts = np.unique(labels[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {int(n): part for n, part in zip(numbers, parts, strict=True) if n >= first}


def _divided(vectors: Floats, labels: Labels, threshold: float, first: int) -> Labels:
    made = labels.copy()
    free = int(labels.max(initial=first - 1)) + 1
    for members in _groups(labels, first).values():
        split = find_split(vectors[members], threshold)
        if split is not None:
            made[members[list(split.moved)]] = free
            free += 1
    return made


def _merged(vectors: Floats, labels: Labels, threshold: float, first: int) -> Labels:
    groups = _groups(labels, first)
    if not groups:
        return labels
    numbers = list(groups)
    centroids = np.stack([vectors[members].mean(axis=0) for members in groups.values()])
    sizes = [len(members) for members in groups.values()]
    made = labels.copy()
    for merge in find_merges(centroids, sizes, threshold):
        made[groups[numbers[merge.other]]] = numbers[merge.kept]
    return made
