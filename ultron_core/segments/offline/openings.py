"""Whether a person who works with a coding agent opens another task with a turn: a logistic regression on five numbers.

Tasks of one project share their words, so the combiners of weights.py, which learned from sessions put together of
unlike tasks, find few of these openings; what they say is one of the numbers. The coefficients in openings.json are
made by benchmarks/training/openings.py from sessions of people whose boundaries readers marked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ultron_core.lessons.weights import NamedWeights
from ultron_core.segments.offline.turns import Turn
from ultron_core.transcript.acts.moves import read_moves

__all__ = ["OPENING_NAMES", "load_openings", "opening_numbers"]

#: log-odds of another task as the turn reads beside the ones before; log-odds of the combiners; share of the files of
#: its answer that the task had not touched; likeness to the turn that opened the task; words that the last exchange had
OPENING_NAMES: Final = ("opens", "weight", "new_files", "opening", "seen_user_last")
#: log-odds of the reading beyond these say nothing more
_SUREST = 5.0


def opening_numbers(turn: Turn, found: Mapping[str, float], weight: float, new_files: float) -> list[float]:
    """In the order of OPENING_NAMES; `found` is what features.py describes."""
    likely = read_moves([turn.described])[0].opens
    odds = math.log(likely / (1.0 - likely))
    reading = max(-_SUREST, min(_SUREST, odds))
    return [reading, weight, new_files, found["opening"], found["seen_user_last"]]


@lru_cache(maxsize=1)
def load_openings() -> NamedWeights:
    """The coefficients that ship with this version; its bound is that of a boundary."""
    script = "benchmarks/training/openings.py"
    return NamedWeights.load("ultron_core.segments.offline", "openings.json", OPENING_NAMES, script)
