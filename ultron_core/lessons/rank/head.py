"""How much a candidate is worth and what it is, by regressions on its numbers.

The coefficients in model.json are made by benchmarks/training/ranker.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.rank.features import feature_names, features, laid_down, standing
from ultron_core.lessons.rank.places import place
from ultron_core.models import MemoryType, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.lasting import is_lasting
from ultron_core.transcript.sense.reader import load_sense

__all__ = ["TYPES", "Head", "Ranked", "load_head", "of_one", "rank"]

Matrix = npt.NDArray[np.float64]
TYPES: Final[tuple[MemoryType, ...]] = ("error", "security", "correction", "pattern", "preference", "life")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with how likely a reader finds it useful (of a turn, that it holds for good), and as what."""

    candidate: Candidate
    probability: float
    memory_type: MemoryType


@dataclass(frozen=True, eq=False)
class Head:
    """Columns: "useful" of what a person or the log shows, of what only an agent says, then one of each type; `bounds`
    are by shelf, for turns and for guides."""

    weights: Matrix
    shift: Matrix
    bounds: Mapping[str, float]

    def judge(self, rows: Matrix, claimed: Sequence[bool]) -> tuple[Matrix, list[MemoryType]]:
        """Probabilities, and the likeliest type of each row; those that are `claimed` only an agent says."""
        odds = rows @ self.weights + self.shift
        worth: Matrix = np.exp(-np.logaddexp(0.0, -np.where(claimed, odds[:, 1], odds[:, 0])))
        return worth, [TYPES[int(at)] for at in odds[:, 2:].argmax(axis=1)]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Head:
        """Raises ValueError when the file was made for other features than this version computes."""
        if list(raw["features"]) != feature_names() or list(raw["types"]) != list(TYPES):
            raise ValueError("model.json does not fit the features; run benchmarks/training/ranker.py")
        unit = float(raw["unit"])
        weights = np.array(raw["weights"], dtype=np.float64) / unit
        return cls(weights, np.array(raw["shift"], dtype=np.float64) / unit, dict(raw["bounds"]))


@lru_cache(maxsize=1)
def load_head() -> Head:
    """The coefficients that ship with this version."""
    return Head.from_json(
        json.loads(files("ultron_core.lessons.rank").joinpath("model.json").read_text("utf-8"))
    )


def rank(
    candidates: Sequence[Candidate], messages: Sequence[Message], actions: Sequence[Action]
) -> list[Ranked]:
    """The candidates of `messages` with what they are worth, in their order."""
    if not candidates:
        return []
    rows = features(place(candidates, messages, actions), load_sense())
    worth, types = load_head().judge(rows, [one.author == "agent" for one in candidates])
    lasts = standing(rows, [one.source == "turn" and is_lasting(one.text) for one in candidates])
    rules = laid_down(rows)
    return [
        of_one(one, float(worth[at]), float(lasts[at]), float(rules[at]), types[at])
        for at, one in enumerate(candidates)
    ]


def of_one(one: Candidate, worth: float, lasts: float, rule: float, memory_type: MemoryType) -> Ranked:
    """What a person lays down is a preference, and of their turns nothing else counts. What an instruction file holds
    counts as a rule and by the fit, to equal parts: readers saw few such files."""
    if one.source == "turn" or (one.source == "refusal" and lasts >= worth):
        return Ranked(one, lasts, "preference")
    return Ranked(one, (worth + rule) / 2 if one.source == "guide" else worth, memory_type)
