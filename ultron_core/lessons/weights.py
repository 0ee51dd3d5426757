"""The coefficients of a small logistic regression on named numbers, from a JSON file of its package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

__all__ = ["NamedWeights"]


@dataclass(frozen=True, slots=True)
class NamedWeights:
    """`bound` is that of what is kept, 0 where the file has none."""

    bound: float
    intercept: float
    weights: tuple[float, ...]

    @classmethod
    def load(cls, package: str, name: str, features: Sequence[str], script: str) -> NamedWeights:
        """Raises ValueError when the file was made for other features than this version computes; `script` makes it."""
        raw = json.loads(files(package).joinpath(name).read_text("utf-8"))
        if list(raw["weights"]) != list(features):
            raise ValueError(f"{name} does not fit the features; run {script}")
        weights = tuple(float(value) for value in raw["weights"].values())
        return cls(float(raw.get("bound", 0.0)), float(raw["intercept"]), weights)

    def odds(self, values: Sequence[float]) -> float:
        """Log-odds of numbers in the order of the features."""
        return self.intercept + sum(
            weight * value for weight, value in zip(self.weights, values, strict=True) if value
        )
