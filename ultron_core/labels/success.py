"""The success models: logistic regressions evaluated in plain Python from coefficients in JSON.

`success_model.json` names what it was fitted on; `benchmarks/training/labeler.py` writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Self

from ultron_core.labels.features import features_of
from ultron_core.labels.signals import Signals
from ultron_core.models import Outcome

__all__ = [
    "KNOWN_FAILURE",
    "VERIFIED",
    "Estimate",
    "LinearModel",
    "estimate_from",
    "estimate_success",
    "logit",
    "shipped_models",
    "sigmoid",
]

#: a feature counts at most this many standard deviations, so one odd number decides nothing
_CAP = 6.0
#: what a passed check or a person's acceptance is worth: an assumption, no fitted set holds such an end
VERIFIED = 0.8
#: share of the known failures and partial ends of the fitted sets that succeeded after all (6 of 106)
KNOWN_FAILURE = 0.06
#: evidence of less than this in either direction says nothing
_SILENT = 0.05


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Evidence = sum(weight x (value - mean) / scale): log-odds for (> 0) or against this segment.

    Weights come from comparing runs of the same source, and how often a new source succeeds is unknown. So the
    probability starts from the base rate; evidence against lowers it by `against` x evidence, evidence in favour
    raises it by the much smaller `favour` x evidence. `bound` is the evidence that training asks for (None: no
    outcome was ever seen for this kind, so no evidence suffices).
    """

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    base_rate: float
    against: float
    favour: float
    bound: float | None

    def evidence(self, values: Mapping[str, float]) -> float:
        """Log-odds for (> 0) or against this segment among its like; KeyError when a feature is missing."""
        total = 0.0
        for name, mean, scale, weight in zip(self.names, self.mean, self.scale, self.weights, strict=True):
            total += weight * max(-_CAP, min(_CAP, (values[name] - mean) / scale))
        return total

    def probability(self, evidence: float) -> float:
        """Between 0 and 1, rising with the evidence."""
        slope = self.favour if evidence > 0 else self.against
        return sigmoid(logit(self.base_rate) + slope * evidence)

    def to_json(self) -> dict[str, Any]:
        return {
            "base_rate": self.base_rate,
            "against": self.against,
            "favour": self.favour,
            "bound": self.bound,
            "features": {
                name: {"mean": m, "scale": s, "weight": w}
                for name, m, s, w in zip(self.names, self.mean, self.scale, self.weights, strict=True)
            },
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        features = raw["features"]
        return cls(
            tuple(features),
            tuple(f["mean"] for f in features.values()),
            tuple(f["scale"] for f in features.values()),
            tuple(f["weight"] for f in features.values()),
            raw["base_rate"],
            raw["against"],
            raw["favour"],
            raw["bound"],
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the model says of one segment. `note` says what the probability rests on."""

    probability: float
    evidence: float
    #: the evidence reaches the bound that the fit chose for training data
    above_bound: bool
    note: str


def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + math.exp(-x))


def logit(share: float) -> float:
    """The x whose sigmoid is `share`."""
    return math.log(share / (1 - share))


@lru_cache(maxsize=1)
def shipped_models() -> Mapping[str, LinearModel]:
    """The models of this version: `work` for tools or several turns, `answer` for a single answer."""
    raw = json.loads(files("ultron_core.labels").joinpath("success_model.json").read_text("utf-8"))
    return {kind: LinearModel.from_json(raw[kind]) for kind in ("work", "answer")}


def estimate_success(
    signals: Signals, outcome: Outcome, models: Mapping[str, LinearModel] | None = None
) -> Estimate:
    """How likely the goal was reached; `models` other than the shipped ones are for leaving sources out."""
    kind, values = features_of(signals, outcome)
    return estimate_from(kind, values, outcome, models or shipped_models())


def estimate_from(
    kind: str, values: Mapping[str, float], outcome: Outcome, models: Mapping[str, LinearModel]
) -> Estimate:
    """The estimate from features that are known already. A verdict in the log goes before the model."""
    model = models[kind]
    evidence = model.evidence(values)
    probability = model.probability(evidence)
    enough = model.bound is not None and evidence >= model.bound
    if outcome == "success":
        note = "verified or accepted; the value is an assumption"
        return Estimate(max(probability, VERIFIED), evidence, enough, note)
    if outcome in ("failure", "partial"):
        return Estimate(min(probability, KNOWN_FAILURE), evidence, False, "known failure or partial result")
    if kind == "answer":
        note = "a single answer: the base rate, moved a little by how it is written"
    elif abs(evidence) < _SILENT:
        note = "nothing speaks for or against it: the base rate"
    elif evidence > 0:
        note = "about the base rate: evidence in favour counts little on a source never seen"
    else:
        note = "below the base rate"
    return Estimate(probability, evidence, enough, note)
