"""What a person's turn does: objection, instruction, rule, fact, praise, acceptance or other; a fitted model.

    read_acts("never push to main", "Pushed. [calls: Bash]").labels    # ("rule",)

The coefficients in model.json are made by benchmarks/training/acts.py from benchmarks/gold. There are two sets: one for
the turn's words alone, and a better one that also sees its sentence vector from the offline embedder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ultron_core.embeddings.protocol import Vectors
from ultron_core.transcript.acts.features import HumanTurn, dense_features, dense_names
from ultron_core.transcript.sense.second import SecondLook

__all__ = ["ACTS", "Act", "load_model", "read_acts", "read_many"]

Act = Literal["objection", "instruction", "rule", "fact", "praise", "acceptance", "other"]
#: by weight, as in benchmarks/gold/turns_guide.md: the first of a turn's labels is what the agent must react to
ACTS: Final[tuple[Act, ...]] = (
    "objection",
    "rule",
    "instruction",
    "fact",
    "acceptance",
    "praise",
    "other",
)
#: for a turn that reaches no threshold; the other three acts must be likely enough by themselves
_FALLBACK: Final[tuple[Act, ...]] = ("instruction", "fact", "praise", "other")

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TurnActs:
    """What a turn does: how likely each act is, and the acts that reach their threshold, at least one."""

    probabilities: Mapping[Act, float]
    labels: tuple[Act, ...]

    @property
    def main(self) -> Act:
        """The act that the agent must react to first."""
        return self.labels[0]


@dataclass(frozen=True, eq=False)
class Coefficients:
    """One logistic regression per act: columns in the order of ACTS."""

    intercept: Matrix
    dense: Matrix
    grams: Matrix
    #: empty when the set does not look at vectors
    vector: Matrix
    thresholds: Matrix


@dataclass(frozen=True, eq=False)
class ActsModel:
    """`index` numbers the n-grams; every one occurs in at least two of the repositories it was fitted on."""

    index: Mapping[str, int]
    plain: Coefficients
    with_vector: Coefficients
    #: for turns that answer an agent, where no vectors are given, and the thresholds that go with it
    second: SecondLook | None = None
    second_thresholds: Matrix | None = None

    def probabilities(self, turns: Sequence[HumanTurn], vectors: Vectors | None = None) -> Matrix:
        """A row per turn, a column per act; `vectors` are the offline embedder's, of the turns' whole texts."""
        own = self.plain if vectors is None else self.with_vector
        odds = np.empty((len(turns), len(ACTS)))
        for row, turn in enumerate(turns):
            dense, grams = dense_features(turn)
            known = [self.index[gram] for gram in grams if gram in self.index]
            odds[row] = own.intercept + dense @ own.dense
            if known:
                odds[row] += own.grams[sorted(known)].sum(axis=0) / np.sqrt(len(known))
        if vectors is not None:
            odds += np.asarray(vectors, dtype=np.float64) @ own.vector
        found: Matrix = 1.0 / (1.0 + np.exp(-odds))
        return found

    def thresholds(self, vectors: Vectors | None = None) -> Matrix:
        return (self.plain if vectors is None else self.with_vector).thresholds

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> ActsModel:
        """Raises ValueError when the file was made for other features than this version computes."""
        if raw["dense"] != dense_names() or tuple(raw["acts"]) != ACTS:
            raise ValueError("model.json does not fit the features; run benchmarks/training/acts.py")
        return cls(
            index={gram: row for row, gram in enumerate(raw["grams"])},
            plain=_coefficients(raw["plain"]),
            with_vector=_coefficients(raw["with_vector"]),
            second=SecondLook.from_json(raw, "turn", ACTS),
            second_thresholds=np.array(raw["second"]["thresholds"]) if "second" in raw else None,
        )


def _coefficients(raw: Mapping[str, Any]) -> Coefficients:
    def table(name: str) -> Matrix:
        whole: Matrix = np.array(raw[name], dtype=np.float64).reshape(-1, len(ACTS))
        return whole / float(raw["unit"])

    return Coefficients(
        intercept=table("intercept")[0],
        dense=table("dense"),
        grams=table("grams"),
        vector=table("vector"),
        thresholds=np.array(raw["thresholds"], dtype=np.float64),
    )


@lru_cache(maxsize=1)
def load_model() -> ActsModel:
    """The coefficients that ship with this version."""
    text = files("ultron_core.transcript.acts").joinpath("model.json").read_text("utf-8")
    return ActsModel.from_json(json.loads(text))


def choose(probabilities: Matrix, thresholds: Matrix) -> tuple[Act, ...]:
    """The acts at or above their threshold, by weight; `other` only alone; else the act nearest to its threshold."""
    reached = [act for act, p, bound in zip(ACTS, probabilities, thresholds, strict=True) if p >= bound]
    if len(reached) > 1:
        reached = [act for act in reached if act != "other"]
    if reached:
        return tuple(reached)
    share = dict(zip(ACTS, probabilities / thresholds, strict=True))
    return (max(_FALLBACK, key=lambda act: share[act]),)


def read_acts(text: str, before: str = "", *, interrupted: bool = False, network: bool = True) -> TurnActs:
    """What one turn does, from its words; `before` is the agent's act before, as `features.agent_act` words it."""
    return read_many([HumanTurn(text, before, interrupted)], network=network)[0]


def read_many(
    turns: Sequence[HumanTurn], vectors: Vectors | None = None, *, network: bool = True
) -> list[TurnActs]:
    """What each turn does; with `vectors`, those of the offline embedder for the turns' texts, row by row, else the
    network reads those that answer an agent too; it is for work on code (setting.py)."""
    model = load_model()
    found = model.probabilities(turns, vectors)
    thresholds = np.tile(model.thresholds(vectors), (len(turns), 1))
    if network and vectors is None and model.second is not None and model.second_thresholds is not None:
        replies = [row for row, turn in enumerate(turns) if turn.before.strip()]
        found[replies] = model.second.again(found[replies], lambda row: turns[replies[row]].passage)
        thresholds[replies] = model.second_thresholds
    return [
        TurnActs(
            MappingProxyType({act: float(p) for act, p in zip(ACTS, row, strict=True)}), choose(row, bounds)
        )
        for row, bounds in zip(found, thresholds, strict=True)
    ]
