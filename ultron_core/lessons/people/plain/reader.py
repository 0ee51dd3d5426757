"""How likely a note-taker would keep a sentence of a person, and as what; a fitted model.

The coefficients in model.json are made by benchmarks/training/plain.py. What they find likely enough the network of
transcript/sense reads too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.linear import LinearModel
from ultron_core.lessons.people.plain.features import Said, dense_names, sentence_features
from ultron_core.transcript.sense.reader import Passage
from ultron_core.transcript.sense.second import SecondLook

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
    """From `bound` on a sentence that no rule tells is kept, from `beside` on one beside it goes along; from `told` on
    what a rule tells stays."""

    linear: LinearModel
    bound: float
    beside: float
    told: float
    #: None does without the network
    second: SecondLook | None = None

    def probabilities(self, said: Sequence[Said]) -> Matrix:
        """A row per sentence, all of one turn; a column per output."""
        features = sentence_features(said)
        found = self.linear.probabilities(
            np.array([dense for dense, _ in features]), [own for _, own in features]
        )
        if self.second is None:
            return found
        return self.second.again(found, lambda row: _beside(said[row]))

    def natures(self, said: Sequence[Said]) -> tuple[float, ...]:
        """What the sentences are, on average (transcript/sense/nature.py); empty without the network."""
        return self.second.natures(list(map(_beside, said))) if self.second else ()

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> PlainModel:
        """Raises ValueError when the file was made for other features than this version computes."""
        linear = LinearModel.from_json(raw, OUTPUTS, dense_names())
        bound, beside, told = (float(raw[name]) for name in ("bound", "beside", "told"))
        return cls(linear, bound, beside, told, SecondLook.from_json(raw, "sentence", OUTPUTS))


def _beside(said: Said) -> Passage:
    """A sentence as the network reads it: behind what the agent said."""
    return said.turn.before, said.sentence


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
