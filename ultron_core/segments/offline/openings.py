"""Whether a person who works with a coding agent opens another task with a turn: a logistic regression on how the turn
stands to the task before it and how it reads.

Tasks of one project share their words, so the combiners of weights.py, which learned from sessions put together of
unlike tasks, find one such opening in three. The coefficients in openings.json are made by
benchmarks/training/openings.py from sessions of people whose boundaries were marked by reading.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ultron_core.lessons.weights import NamedWeights
from ultron_core.segments.offline.turns import Turn
from ultron_core.transcript.acts.moves import read_moves

__all__ = ["load_openings", "opening_names", "opening_numbers"]

#: of the features of features.py those that tell openings apart, chosen with a penalty on the sum of the weights
_RELATIONS: Final = (
    "user_own_reply", "inner", "inner_less_max", "seen_reply", "segment_messages", "first_exchange", "asked_before",
    "closing_user", "code_fence", "requests", "cut_known", "work_seen", "names_worked", "beside_opening",
    "like_follow_up", "request_less_follow_up", "near_last_said",
)  # fmt: skip
#: what the readings of the turn say of it: log-odds of another task, a reaction, words that turn to another thing
_READINGS: Final = ("opens", "carries_on", "opens_anew")
#: log-odds of the reading beyond these say nothing more
_SUREST = 5.0


def opening_names() -> tuple[str, ...]:
    return (*_READINGS, *_RELATIONS)


def opening_numbers(
    turn: Turn, found: Mapping[str, float], *, carries_on: bool, opens_anew: bool
) -> list[float]:
    """In the order of `opening_names`; `found` is what features.py describes."""
    likely = read_moves([turn.described])[0].opens
    odds = math.log(likely / (1.0 - likely))
    reading = (max(-_SUREST, min(_SUREST, odds)), float(carries_on), float(opens_anew))
    return [*reading, *(found[name] for name in _RELATIONS)]


@lru_cache(maxsize=1)
def load_openings() -> NamedWeights:
    """The coefficients that ship with this version; its bound is that of a boundary."""
    script = "benchmarks/training/openings.py"
    return NamedWeights.load("ultron_core.segments.offline", "openings.json", opening_names(), script)
