"""What stands around a user turn whatever segment runs: the turns just before, the next two, and how far the
turn stands off compared with the turns of the session so far. At most two turns behind it are read."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ultron_core.segments.offline.turns import Turn
from ultron_core.segments.offline.vectors import TurnVectors, unit

__all__ = ["AROUND", "LOOK_AHEAD", "around_turns"]

AROUND = (
    "near_last", "near_before", "near_before_max", "near_words", "like_request", "like_follow_up",
    "request_less_follow_up", "near_last_said", "near_unusual", "near_user_last", "near_next", "bridged",
    "next_less_before", "blocks", "bridged_words",
)  # fmt: skip

#: turns read behind a candidate: a boundary is settled once as many have followed
LOOK_AHEAD = 2
#: turns before a candidate that it is compared with (set by hand: docs/segmentation.md)
_BEHIND = 3
#: what is usual before a session has shown it, and how many turns that counts for
_USUAL, _SPREAD, _WEIGHT = 0.45, 0.03, 3
#: similarity assumed where no turn follows (set by hand: docs/segmentation.md)
_UNKNOWN = 0.4

Matrix = npt.NDArray[np.float32]


def around_turns(turns: Sequence[Turn], vectors: Sequence[TurnVectors]) -> list[dict[str, float]]:
    """One dict per turn with the names in AROUND; empty for the first, which is not a candidate."""
    if not turns:
        return []
    both = np.stack([v.both for v in vectors])
    words = [t.terms | t.reply_terms for t in turns]
    usual = _Usual()
    found: list[dict[str, float]] = [{}]
    for place in range(1, len(turns)):
        described = {**_before(vectors, both, place), **_behind(both, words, place)}
        near = described["near_before_max"]
        described["next_less_before"] = described["near_next"] - near
        described["near_unusual"] = usual.score(near)
        described["near_words"] = _share(words[place], words[place - 1])
        usual.add(near)
        found.append(described)
    return found


def _before(vectors: Sequence[TurnVectors], both: Matrix, place: int) -> dict[str, float]:
    own = vectors[place]
    near = both[max(0, place - _BEHIND) : place] @ own.both
    return {
        "near_last": float(near[-1]),
        "near_before": float(near.mean()),
        "near_before_max": float(near.max()),
        "near_last_said": float(own.user @ own.said),
        "near_user_last": float(own.user @ vectors[place - 1].user),
        "like_request": own.like_request,
        "like_follow_up": own.like_follow_up,
        "request_less_follow_up": own.like_request - own.like_follow_up,
    }


def _behind(both: Matrix, words: Sequence[frozenset[str]], place: int) -> dict[str, float]:
    """Do the next turns go on with this one, or come back to what was before it (a digression)?"""
    before = both[max(0, place - _BEHIND) : place]
    after = both[place + 1 : place + 1 + LOOK_AHEAD]
    block = unit(both[place : place + 1 + LOOK_AHEAD].sum(0))
    known = frozenset().union(*words[max(0, place - _BEHIND) : place])
    return {
        "near_next": float((after @ both[place]).max()) if len(after) else _UNKNOWN,
        "bridged": float((before @ after.T).max()) if len(after) else _UNKNOWN,
        "blocks": float(unit(before.sum(0)) @ block),
        "bridged_words": _share(words[place + 1], known) if len(after) else 0.5,
    }


class _Usual:
    """How near the turns of a session came to what was before them so far, as sums."""

    def __init__(self) -> None:
        self._count, self._sum, self._squares = _WEIGHT, _WEIGHT * _USUAL, 0.0

    def add(self, near: float) -> None:
        self._count += 1
        self._sum += near
        # around what is usual, so that no digits are lost between two large numbers
        self._squares += (near - _USUAL) ** 2

    def score(self, near: float) -> float:
        """Standard deviations below or above what the earlier turns came to."""
        mean = self._sum / self._count
        known = self._count - _WEIGHT
        off = mean - _USUAL
        apart = self._squares - 2 * off * (self._sum - self._count * _USUAL) + known * off**2
        return (near - mean) / math.sqrt((apart + _WEIGHT * _SPREAD) / self._count)


def _share(words: frozenset[str], known: frozenset[str]) -> float:
    return (len(words & known) + 0.5) / (len(words) + 1)
