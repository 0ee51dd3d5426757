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

__all__ = ["LinearModel", "relative_to_base", "shipped_models", "success_probability"]

#: a feature counts at most this many standard deviations, so one odd number decides nothing
_CAP = 3.0


@dataclass(frozen=True, slots=True)
class LinearModel:
    """P(success) = 1 / (1 + exp(-(intercept + sum(weight x (value - mean) / scale))))."""

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    #: mean share of successes in the data it was fitted on
    base_rate: float

    def probability(self, values: Mapping[str, float]) -> float:
        """Between 0 and 1; raises KeyError when a feature is missing."""
        total = self.intercept
        for name, mean, scale, weight in zip(self.names, self.mean, self.scale, self.weights, strict=True):
            total += weight * max(-_CAP, min(_CAP, (values[name] - mean) / scale))
        return 1.0 / (1.0 + math.exp(-total))

    def to_json(self) -> dict[str, Any]:
        return {
            "intercept": self.intercept,
            "base_rate": self.base_rate,
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
            raw["intercept"],
            raw["base_rate"],
        )


@lru_cache(maxsize=1)
def shipped_models() -> Mapping[str, LinearModel]:
    """The models of this version: `work` for segments with tool results, `answer` for talk alone."""
    raw = json.loads(files("ultron_core.labels").joinpath("success_model.json").read_text("utf-8"))
    return {kind: LinearModel.from_json(raw[kind]) for kind in ("work", "answer")}


def success_probability(
    signals: Signals, models: Mapping[str, LinearModel] | None = None
) -> tuple[float, LinearModel]:
    """Probability that the segment reached its goal, and the model that says so."""
    kind, values = features_of(signals)
    model = (models or shipped_models())[kind]
    return model.probability(values), model


def relative_to_base(probability: float, base_rate: float) -> float:
    """The probability as it would be if half of all segments succeeded.

    Benchmarks are hard on purpose; this takes their base rate out (odds divided by base odds) and leaves
    what speaks for this segment: 0.5 means no better and no worse than usual.
    """
    p = min(max(probability, 1e-6), 1 - 1e-6)
    odds = p / (1 - p) / (base_rate / (1 - base_rate))
    return odds / (1 + odds)
