"""What a turn says of the work before it, and whether it turns to another task: a small fitted model on the acts.

    read_moves([HumanTurn("still red", "Fixed the colour. [calls: Edit]")])[0].failed    # e.g. 0.8

The coefficients in moves.json are made by benchmarks/training/moves.py. Turns that answer an agent the network of
transcript/sense reads too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ultron_core.transcript.acts.features import HumanTurn, dense_features, dense_names, grams
from ultron_core.transcript.acts.reader import ACTS, load_model
from ultron_core.transcript.sense.second import SecondLook

__all__ = ["MOVES", "describe_moves", "load_moves", "move_names", "read_moves"]

#: what the model answers of a turn: it opens another task; what went before is right; what went before is not
MOVES: Final = ("opens", "done", "failed")
#: how the turn hangs together with the end of what the agent said before it
_LINKS: Final = ("shared", "shared_share", "new", "longer")
#: the numbers of the acts without their products, which are too many for so few turns
_PLAIN: Final = tuple(at for at, name in enumerate(dense_names()) if "*" not in name)
#: log-odds of the acts count at most so much, and enter at a third of their size
_MOST_ODDS, _PART = 5.0, 0.3

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Moves:
    """Probabilities among turns that answer an agent."""

    opens: float
    done: float
    failed: float


@dataclass(frozen=True, eq=False)
class MovesModel:
    """One logistic regression per move, its columns in the order of MOVES. From its bound on a move is told."""

    intercept: Matrix
    dense: Matrix
    bounds: Mapping[str, float]
    #: None does without the network
    second: SecondLook | None = None

    def probabilities(self, described: Matrix) -> Matrix:
        """A row per turn as `describe_moves` gives it, a column per move."""
        found: Matrix = 1.0 / (1.0 + np.exp(-(self.intercept + described @ self.dense)))
        return found

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> MovesModel:
        """Raises ValueError when the file was made for other features than this version computes."""
        if raw["features"] != move_names() or tuple(raw["weights"]) != MOVES:
            raise ValueError("moves.json does not fit the features; run benchmarks/training/moves.py")
        return cls(
            intercept=np.array([raw["intercept"][move] for move in MOVES], dtype=np.float64),
            dense=np.array([raw["weights"][move] for move in MOVES], dtype=np.float64).T,
            bounds={name: float(bound) for name, bound in raw["bounds"].items()},
            second=SecondLook.from_json(raw, "turn", MOVES),
        )


def move_names() -> list[str]:
    """Names of the numbers that `describe_moves` gives, in its order."""
    names = dense_names()
    return [*(f"act:{act}" for act in ACTS), *(names[at] for at in _PLAIN), *_LINKS]


def describe_moves(turns: Sequence[HumanTurn], acts: Matrix | None = None) -> Matrix:
    """A row of numbers per turn; `acts` are probabilities of its acts from another fit than the shipped one."""
    likely = load_model().probabilities(turns) if acts is None else acts
    odds = np.clip(np.log(likely / (1.0 - likely)), -_MOST_ODDS, _MOST_ODDS) * _PART
    described = np.empty((len(turns), len(move_names())))
    for row, turn in enumerate(turns):
        dense, own = dense_features(turn)
        described[row] = np.concatenate([odds[row], dense[list(_PLAIN)], _links(turn, own)])
    return described


def _links(turn: HumanTurn, own: frozenset[str]) -> list[float]:
    said = grams(turn.before)
    words = [gram for gram in own if len(gram) > 2 and " " not in gram and gram[0] not in "^$"]
    shared = sum(word in said for word in words)
    return [
        math.log1p(shared) / 2,
        (shared + 0.5) / (len(words) + 1),
        math.log1p(len(words) - shared) / 3,
        min(1.0, math.log1p(len(turn.text)) / 4 - 1),
    ]


@lru_cache(maxsize=1)
def load_moves() -> MovesModel:
    """The coefficients that ship with this version."""
    text = files("ultron_core.transcript.acts").joinpath("moves.json").read_text("utf-8")
    return MovesModel.from_json(json.loads(text))


def read_moves(turns: Sequence[HumanTurn], *, network: bool = True) -> list[Moves]:
    """What each turn says of the work before it; the network learned from people at work with coding agents, and is
    left out with `network` False."""
    model = load_moves()
    found = model.probabilities(describe_moves(turns))
    replies = [row for row, turn in enumerate(turns) if turn.before.strip()]
    if network and model.second is not None and replies:
        found[replies] = model.second.again(found[replies], lambda row: turns[replies[row]].passage)
    return [Moves(*map(float, row)) for row in found]
