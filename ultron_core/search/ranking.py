"""From relevance to rank: tier boost, time decay, and the fusion of the two lanes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from ultron_core.search.terms import BM25_MOST

__all__ = ["TIER_BOOSTS", "hotness", "minmax_fuse", "relevance", "score"]

#: how much a memory's tier lifts or lowers it
TIER_BOOSTS: Mapping[str, float] = {"hot": 1.2, "warm": 1.0, "cold": 0.8}

Key = TypeVar("Key", bound=Hashable)


def hotness(days: float, alpha: float = 0.05) -> float:
    """exp(-alpha x days since the last hit), 1 for a hit just now (or by a clock ahead of ours)."""
    return math.exp(-alpha * max(days, 0.0))


def score(
    relevance: float, tier: str, days_since_last_hit: float, alpha: float = 0.05, weight: float = 0.1
) -> float:
    """relevance x tier boost x (1 - weight + weight x hotness); an unknown tier counts as warm."""
    boost = TIER_BOOSTS.get(tier.lower(), 1.0)
    return relevance * boost * (1 - weight + weight * hotness(days_since_last_hit, alpha))


def relevance(
    cosine: float, bm25: float, query_weight: float, *, noise: float = 0.0, vector_weight: float = 0.25
) -> float:
    """Both lanes on one scale of 0 to 1 that does not depend on the other candidates.

    The cosine counts from the embedder's `noise` on; BM25 as a share of the most it could be, which is
    `query_weight` (the sum of the query's idf, unknown words included) x `BM25_MOST`. Unlike `minmax_fuse` it does
    not stretch the small difference between two poor candidates to the whole scale.
    """
    vector = max(cosine - noise, 0.0) / (1 - noise)
    most = query_weight * BM25_MOST
    words = min(bm25 / most, 1.0) if most > 0 else 0.0
    return vector_weight * vector + (1 - vector_weight) * words


def minmax_fuse(lanes: Sequence[Mapping[Key, float]], weights: Sequence[float]) -> dict[Key, float]:
    """Weighted sum of the lanes, each stretched to 0..1 over its own scores of this query.

    Give every lane a score for every candidate of the union; a candidate that a lane lacks gets 0 from it.
    A lane whose scores are all equal says nothing about order: each of its candidates gets 1 if the score is
    above 0, else 0. Raises ValueError when lanes and weights differ in number.
    """
    fused: dict[Key, float] = {}
    for lane, weight in zip(lanes, weights, strict=True):
        for key, value in _stretch(lane).items():
            fused[key] = fused.get(key, 0.0) + weight * value
    return fused


def _stretch(lane: Mapping[Key, float]) -> dict[Key, float]:
    if not lane:
        return {}
    low, high = min(lane.values()), max(lane.values())
    if high - low < 1e-12:
        return {key: 1.0 if value > 0 else 0.0 for key, value in lane.items()}
    return {key: (value - low) / (high - low) for key, value in lane.items()}
