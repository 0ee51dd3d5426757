"""Which memories answer a query, and in what order: both lanes of each candidate on one scale, then tier and age.

A candidate counts only if its cosine is above the embedder's noise, or its words carry a fair share of the query's
weight: a query about nothing that is stored finds little or nothing, not the least bad rows.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ultron_core.search.ranking import is_alike_across_languages, is_weak, relevance, score
from ultron_core.search.terms import BM25_MOST, idf
from ultron_core.transcript.language import Lang, language

__all__ = ["Candidate", "RankedMemory", "Ranking", "rank_memories"]

#: a candidate must reach this share of the soft threshold in cosine, or of the query's weight in words
_COSINE_FLOOR, _WORD_FLOOR = 0.28, 0.35
#: of one's own project less is enough: few are asked, and a question need not say what it is about. Set by hand
_OWN_FLOOR = 0.7
#: a memory that a later one supersedes comes after it, but can still be found
_SUPERSEDED = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory found by either lane, with what its rank depends on.

    `cosine` is None without a vector, `bm25` without a known word. `held` and `asked` are sums of idf of the plain
    query's words: those in the memory, and all that any memory has; `unknown` counts the words that no memory has.
    """

    id: UUID
    tier: str
    last_hit_at: datetime | None
    cosine: float | None
    bm25: float | None
    held: float | None
    asked: float | None
    unknown: int
    documents: int
    superseded: bool
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What all candidates of a query are ranked by; `soft` is the embedder's soft threshold, a cosine; `asked_in` the
    query's language."""

    now: datetime
    soft: float
    decay_alpha: float
    time_decay_weight: float
    asked_in: Lang = "en"

    @property
    def noise(self) -> float:
        """Up to this cosine two texts have nothing in common."""
        return self.soft * _COSINE_FLOOR


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """A candidate with its scores; `weak`: most likely not about the query (see `is_weak`)."""

    id: UUID
    cosine: float
    bm25: float
    relevance: float
    days: float
    superseded: bool
    score: float
    weak: bool

    @property
    def explain(self) -> dict[str, float]:
        """The parts of the score."""
        return {
            "cosine": round(self.cosine, 4),
            "bm25": round(self.bm25, 4),
            "relevance": round(self.relevance, 4),
            "days": round(self.days, 2),
            "superseded": float(self.superseded),
        }


def rank_memories(
    candidates: Iterable[Candidate], ranking: Ranking, own: Container[UUID] = ()
) -> list[RankedMemory]:
    """The candidates that are about the query at all, best first; `own` are those of the asker's project."""
    scored = [
        _scored(one, ranking)
        for one in candidates
        if _is_about(one, ranking.noise * (_OWN_FLOOR if one.id in own else 1))
    ]
    scored.sort(key=lambda one: (-one.score, -one.cosine, str(one.id)))
    return scored


def _is_about(one: Candidate, noise: float) -> bool:
    """Near enough, or it holds words that carry a fair share of the query's weight."""
    asked = one.asked or 0.0
    # long documents weigh each word less: what they hold counts, not how dense it is
    held = max(one.bm25 or 0.0, one.held or 0.0)
    return (one.cosine or 0.0) >= noise or (asked > 0 and held >= asked * BM25_MOST * _WORD_FLOOR)


def _scored(one: Candidate, ranking: Ranking) -> RankedMemory:
    cosine, bm25 = max(one.cosine or 0.0, 0.0), one.bm25 or 0.0
    # words that no memory holds count as asked for: a query that is half unknown is answered half
    wanted = (one.asked or 0.0) + one.unknown * idf(0, one.documents)
    close = relevance(cosine, bm25, wanted, noise=ranking.noise)
    days = (ranking.now - (one.last_hit_at or ranking.now)).total_seconds() / 86_400
    final = score(close, one.tier, days, ranking.decay_alpha, ranking.time_decay_weight)
    final *= _SUPERSEDED if one.superseded else 1.0
    weak = is_weak(close, cosine, ranking.soft) and not (
        is_alike_across_languages(cosine, ranking.soft) and language(one.summary) != ranking.asked_in
    )
    return RankedMemory(one.id, cosine, bm25, close, days, one.superseded, round(final, 4), weak)
