"""From relevance to rank: tier boost, time decay, and the fusion of the two lanes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ultron_core.search.terms import BM25_MOST

__all__ = ["TIER_BOOSTS", "hotness", "is_alike_across_languages", "is_weak", "relevance", "score"]

#: how much a memory's tier lifts or lowers it
TIER_BOOSTS: Mapping[str, float] = {"hot": 1.2, "warm": 1.0, "cold": 0.8}
#: Below both a hit is shown as weak. Chosen 2026-11-21 on the 30 memories of the demo (all in English) with the local
#: embedder: the best hit of 16 English queries about stored things had relevance 0.36 to 0.62; no hit of 26 queries in
#: both languages about other things had more than 0.13, or a cosine above 0.54 of the soft threshold. On other queries:
#: docs/benchmarks.md.
_WEAK_RELEVANCE, _WEAK_COSINE = 0.15, 0.6
#: A memory in another language than the query shares no words with it, and its cosine is lower: from this share of the
#: soft threshold on it is not weak. Of 244 requests of the glaive chats, asked of memories of the other language, 2.5 %
#: found one as near, and none is about them (2026-11-22, local embedder). On 40 questions: docs/benchmarks.md.
_WEAK_COSINE_ACROSS = 0.44


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
    `query_weight` (the sum of the query's idf, unknown words included) x `BM25_MOST`. A min-max fusion
    would stretch the small difference between two poor candidates to the whole scale.
    """
    vector = max(cosine - noise, 0.0) / (1 - noise)
    most = query_weight * BM25_MOST
    words = min(bm25 / most, 1.0) if most > 0 else 0.0
    return vector_weight * vector + (1 - vector_weight) * words


def is_weak(relevance: float, cosine: float, soft: float) -> bool:
    """Whether a hit is most likely not about the query: little in common by words and by meaning.

    `soft` is the embedder's soft threshold (a cosine); either of the two is enough.
    """
    return relevance < _WEAK_RELEVANCE and cosine < _WEAK_COSINE * soft


def is_alike_across_languages(cosine: float, soft: float) -> bool:
    """Whether a memory in another language than the query is about it: it has only the cosine to show."""
    return cosine >= _WEAK_COSINE_ACROSS * soft
