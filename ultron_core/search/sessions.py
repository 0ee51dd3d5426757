"""Windows of the log with their scores -> sessions, best first.

Both lanes are on a scale that does not depend on the other candidates, so that a score means the same in every
query: the cosine itself, and BM25 as a share of the most it could be. A third part counts the query's words that
stand near the window, not only in it: in a conversation the question names what was said a few turns before.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ultron_core.search.terms import BM25_MOST

__all__ = ["TIME_TERM", "LaneWeights", "RankedSession", "WindowMatch", "lift_literal", "rank_sessions"]

#: stands for "sent in the time that the query names" among the term ids, which begin at 1
TIME_TERM = 0
#: windows on either side whose words count as near: ten units
_NEAR = 5
#: scores, and shares of the embedder's soft threshold
_SPEAKS, _SPEAKS_COSINE = 0.25, 0.6
#: below both a hit is left out (set by hand: docs/memory-store.md)
_NOISE, _NOISE_COSINE = 0.1, 0.28

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class LaneWeights:
    """What each part adds to the score; vector, words and around together 1.

    Chosen on LoCoMo, round and well inside a flat top (docs/benchmarks.md).
    """

    vector: float = 0.3
    words: float = 0.5
    around: float = 0.2
    #: for a window with the query's words in their order, as one who pastes an error wants it
    literal: float = 0.2


@dataclass(frozen=True, slots=True)
class WindowMatch(Generic[Key]):
    """A candidate window: place in its thread, cosine, BM25 score, and which of the query's terms it holds."""

    session: Key
    thread: str
    place: int
    cosine: float
    bm25: float
    matched: frozenset[int]


@dataclass(frozen=True, slots=True)
class RankedSession(Generic[Key]):
    """A session with its best window. `score` and the parts are 0 to 1; `words` and `around` are shares of the
    query's weight, `literal` of what it asks for verbatim."""

    session: Key
    window: WindowMatch[Key]
    score: float
    vector: float
    words: float
    around: float
    literal: float = 0.0

    def speaks(self, soft: float) -> bool:
        """False for what is most likely not about the query; `soft` is the embedder's threshold.

        Of LoCoMo's 755 questions 97.6 % have such a session in their own conversation and 19.5 % in another
        one; of 240, asked of the logs of coding agents, 3 % (benchmarks/retrieval.py).
        """
        return self.score >= _SPEAKS or self.vector >= _SPEAKS_COSINE * soft

    def noise(self, soft: float) -> bool:
        """True for what no question of LoCoMo had as its best session."""
        return self.score < _NOISE and self.vector < _NOISE_COSINE * soft


def rank_sessions(
    matches: Sequence[WindowMatch[Key]], idf: Mapping[int, float], weights: LaneWeights | None = None
) -> list[RankedSession[Key]]:
    """Sessions by their best window, best first.

    `idf` holds every term of the query, also those that no window has: they lower the shares, so a query about
    nothing that is stored scores low. `TIME_TERM` among them scores like a word that a window is full of.
    """
    weights = weights or LaneWeights()
    whole = sum(idf.values())
    held: dict[tuple[Key, str], dict[int, frozenset[int]]] = {}
    for match in matches:
        held.setdefault((match.session, match.thread), {})[match.place] = match.matched
    best: dict[Key, RankedSession[Key]] = {}
    for window in matches:
        near = _near(held[window.session, window.thread], window.place)
        vector = max(window.cosine, 0.0)
        words = _share(window.bm25 / BM25_MOST + _time(window, idf), whole)
        around = _share(sum(idf[term] for term in near), whole)
        score = weights.vector * vector + weights.words * words + weights.around * around
        known = best.get(window.session)
        if known is None or (score, -window.place) > (known.score, -known.window.place):
            best[window.session] = RankedSession(window.session, window, score, vector, words, around)
    return sorted(best.values(), key=lambda ranked: (-ranked.score, str(ranked.session)))


def lift_literal(
    ranked: Sequence[RankedSession[Key]],
    texts: Mapping[Key, str],
    literals: Sequence[str],
    weights: LaneWeights | None = None,
) -> list[RankedSession[Key]]:
    """The same sessions, those higher whose window holds the `literals`; case and white space do not count.

    `texts` has the words of each session's window.
    """
    weights = weights or LaneWeights()
    wanted = [_plain(literal) for literal in literals]
    lifted = []
    for one in ranked:
        text = _plain(texts.get(one.session, ""))
        share = sum(literal in text for literal in wanted) / len(wanted) if wanted else 0.0
        lifted.append(replace(one, score=min(one.score + weights.literal * share, 1.0), literal=share))
    return sorted(lifted, key=lambda ranked: (-ranked.score, str(ranked.session)))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _time(window: WindowMatch[Key], idf: Mapping[int, float]) -> float:
    return idf[TIME_TERM] if TIME_TERM in window.matched else 0.0


def _near(held: Mapping[int, frozenset[int]], place: int) -> frozenset[int]:
    places = range(place - _NEAR, place + _NEAR + 1)
    return frozenset().union(*(held[other] for other in places if other in held))


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole > 0 else 0.0
