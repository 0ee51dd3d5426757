"""Windows of the log with their scores -> sessions, best first.

Both lanes are on a scale that does not depend on the other candidates, so that a score means the same in every
query: the cosine itself, and BM25 as a share of the most it could be. A third part counts the query's words that
stand near the window, not only in it: in a conversation the question names what was said a few turns before.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ultron_core.search.terms import BM25_MOST

__all__ = ["TIME_TERM", "LaneWeights", "RankedSession", "WindowMatch", "rank_sessions"]

#: stands for "sent in the time that the query names" among the term ids, which begin at 1
TIME_TERM = 0
#: windows on either side whose words count as near: ten units
_NEAR = 5

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class LaneWeights:
    """What each part adds to the score; together 1."""

    vector: float = 0.2
    words: float = 0.65
    around: float = 0.15


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
    query's weight."""

    session: Key
    window: WindowMatch[Key]
    score: float
    vector: float
    words: float
    around: float


def rank_sessions(
    matches: Sequence[WindowMatch[Key]], idf: Mapping[int, float], weights: LaneWeights | None = None
) -> list[RankedSession[Key]]:
    """Sessions by their best window, best first.

    `idf` holds every term of the query, also those that no window has: they lower the shares, so a query about
    nothing that is stored scores low. `TIME_TERM` among them scores like a word that a window is full of.
    """
    weights = weights or LaneWeights()
    whole = sum(idf.values())
    threads: dict[tuple[Key, str], list[WindowMatch[Key]]] = {}
    for match in matches:
        threads.setdefault((match.session, match.thread), []).append(match)
    best: dict[Key, RankedSession[Key]] = {}
    for (session, _), windows in threads.items():
        for window in windows:
            vector = max(window.cosine, 0.0)
            words = _share(window.bm25 / BM25_MOST + _time(window, idf), whole)
            around = _share(sum(idf[term] for term in _near(window, windows)), whole)
            score = weights.vector * vector + weights.words * words + weights.around * around
            known = best.get(session)
            if known is None or (score, -window.place) > (known.score, -known.window.place):
                best[session] = RankedSession(session, window, score, vector, words, around)
    return sorted(best.values(), key=lambda ranked: (-ranked.score, str(ranked.session)))


def _time(window: WindowMatch[Key], idf: Mapping[int, float]) -> float:
    return idf[TIME_TERM] if TIME_TERM in window.matched else 0.0


def _near(window: WindowMatch[Key], windows: Sequence[WindowMatch[Key]]) -> frozenset[int]:
    return frozenset().union(*(w.matched for w in windows if abs(w.place - window.place) <= _NEAR))


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole > 0 else 0.0
