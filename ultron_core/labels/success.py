"""The calibrated success model: logistic regression evaluated in plain Python from coefficients in JSON.

`success_model.json` names what it was fitted on; `benchmarks/train_labeler.py` writes it.
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

__all__ = ["LinearModel", "shipped_models", "sigmoid", "success_probability"]

#: a feature counts at most this many standard deviations, so one odd number decides nothing
_CAP = 6.0


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Evidence = sum(weight x (value - mean) / scale); P(success) = sigmoid(slope x evidence + intercept).

    Weights come from comparing runs of the same source. Slope and intercept calibrate over all sources,
    where runs differ in more than the features show, so the slope is smaller than one.
    """

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    slope: float
    intercept: float

    def evidence(self, values: Mapping[str, float]) -> float:
        """Log-odds for (> 0) or against this segment among its like; KeyError when a feature is missing."""
        total = 0.0
        for name, mean, scale, weight in zip(self.names, self.mean, self.scale, self.weights, strict=True):
            total += weight * max(-_CAP, min(_CAP, (values[name] - mean) / scale))
        return total

    def probability(self, values: Mapping[str, float]) -> float:
        """Between 0 and 1; KeyError when a feature is missing."""
        return sigmoid(self.slope * self.evidence(values) + self.intercept)

    def to_json(self) -> dict[str, Any]:
        return {
            "slope": self.slope,
            "intercept": self.intercept,
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
            raw["slope"],
            raw["intercept"],
        )


def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + math.exp(-x))


@lru_cache(maxsize=1)
def shipped_models() -> Mapping[str, LinearModel]:
    """The models of this version: `work` for segments with tool results, `answer` for talk alone."""
    raw = json.loads(files("ultron_core.labels").joinpath("success_model.json").read_text("utf-8"))
    return {kind: LinearModel.from_json(raw[kind]) for kind in ("work", "answer")}


def success_probability(
    signals: Signals, models: Mapping[str, LinearModel] | None = None
) -> tuple[float, float]:
    """(calibrated probability that the goal was reached, sigmoid of the evidence: 0.5 = nothing either way).

    The probability says how often such segments succeed; the evidence tells segments of one kind apart, whatever
    the share of successes among them, and is what overall_score uses.
    """
    kind, values = features_of(signals)
    model = (models or shipped_models())[kind]
    return model.probability(values), sigmoid(model.evidence(values))
