"""How likely a note-taker would keep a sentence of a person, and as what; a fitted model.

The coefficients in model.json are made by benchmarks/training/plain.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.people.plain.features import Said, dense_names, sentence_features

__all__ = ["OUTPUTS", "Kind", "PlainModel", "Worth", "judge", "load_model"]

Kind = Literal["preference", "correction", "decision", "fact"]
#: what the model answers: whether to keep the sentence, and as which kind
OUTPUTS: Final = ("keep", "preference", "correction", "decision", "fact")

#: probability of a kind among what is kept, from which on it is called by its name
_SURE = 0.5

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Worth:
    """`keep` is a probability among turns as they were labelled; `kind` is the likeliest one, and `sure` where it is
    likelier than all others together."""

    keep: float
    kind: Kind
    sure: bool


@dataclass(frozen=True, eq=False)
class PlainModel:
    """One logistic regression per output, its columns in the order of OUTPUTS; every n-gram of `index` occurs in two
    repositories at least. From `bound` on a sentence that no rule tells is kept, from the bound of its kind on one
    that a rule tells."""

    index: Mapping[str, int]
    intercept: Matrix
    dense: Matrix
    grams: Matrix
    bound: float
    bounds: Mapping[str, float] = field(default_factory=dict)

    def probabilities(self, said: Sequence[Said]) -> Matrix:
        """A row per sentence, all of one turn; a column per output."""
        odds = np.empty((len(said), len(OUTPUTS)))
        for row, (dense, grams) in enumerate(sentence_features(said)):
            known = sorted(self.index[gram] for gram in grams if gram in self.index)
            odds[row] = self.intercept + dense @ self.dense
            if known:
                odds[row] += self.grams[known].sum(axis=0) / np.sqrt(len(known))
        found: Matrix = 1.0 / (1.0 + np.exp(-odds))
        return found

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> PlainModel:
        """Raises ValueError when the file was made for other features than this version computes."""
        if raw["dense"] != dense_names() or tuple(raw["outputs"]) != OUTPUTS:
            raise ValueError("model.json does not fit the features; run benchmarks/training/plain.py")

        def table(name: str) -> Matrix:
            whole: Matrix = np.array(raw["weights"][name], dtype=np.float64).reshape(-1, len(OUTPUTS))
            return whole / float(raw["unit"])

        return cls(
            index={gram: row for row, gram in enumerate(raw["grams"])},
            intercept=table("intercept")[0],
            dense=table("dense"),
            grams=table("grams"),
            bound=float(raw["bound"]),
            bounds={kind: float(bound) for kind, bound in raw["bounds"].items()},
        )


@lru_cache(maxsize=1)
def load_model() -> PlainModel:
    """The coefficients that ship with this version."""
    text = files("ultron_core.lessons.people.plain").joinpath("model.json").read_text("utf-8")
    return PlainModel.from_json(json.loads(text))


def judge(said: Sequence[Said], model: PlainModel) -> list[Worth]:
    """What the sentences of one turn are worth."""
    if not said:
        return []
    found = model.probabilities(said)
    kinds: tuple[Kind, ...] = ("preference", "correction", "decision", "fact")
    best = np.argmax(found[:, 1:], axis=1)
    return [
        Worth(float(row[0]), kinds[at], bool(row[1 + at] >= _SURE))
        for row, at in zip(found, best, strict=True)
    ]
