"""The learned combiner: a logistic regression on features and their products, read from weights.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from ultron_core.segments.offline.features import FEATURES

__all__ = ["Combiner", "load_combiner"]

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Combiner:
    """log-odds = intercept + linear . z + z' quadratic z, with z = (x - mean) / scale held within +-clip.

    `quadratic` is upper triangular over all features; the clip keeps products of values that no training
    session had from deciding alone. A candidate is a boundary when its log-odds exceed `threshold`.
    """

    mean: Matrix
    scale: Matrix
    clip: float
    intercept: float
    linear: Matrix
    quadratic: Matrix
    threshold: float

    def log_odds(self, described: Matrix) -> Matrix:
        """Rows of features in the order of FEATURES -> one number a row."""
        z = np.clip((described - self.mean) / self.scale, -self.clip, self.clip)
        odds: Matrix = self.intercept + z @ self.linear + ((z @ self.quadratic) * z).sum(axis=1)
        return odds

    def to_json(self) -> dict[str, Any]:
        return {
            "features": list(FEATURES),
            "threshold": round(self.threshold, 4),
            "clip": self.clip,
            "intercept": round(self.intercept, 4),
            "mean": _rounded(self.mean),
            "scale": _rounded(self.scale),
            "linear": _rounded(self.linear),
            "quadratic": [_rounded(row[i:]) for i, row in enumerate(self.quadratic)],
        }

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Combiner:
        """Raises ValueError when the file was made for other features than this version computes."""
        if tuple(raw["features"]) != FEATURES:
            raise ValueError("weights.json does not fit the features; run benchmarks/train_segmenter.py")
        size = len(FEATURES)
        quadratic = np.zeros((size, size))
        for i, row in enumerate(raw["quadratic"]):
            quadratic[i, i:] = row
        return cls(
            mean=np.array(raw["mean"]),
            scale=np.array(raw["scale"]),
            clip=float(raw["clip"]),
            intercept=float(raw["intercept"]),
            linear=np.array(raw["linear"]),
            quadratic=quadratic,
            threshold=float(raw["threshold"]),
        )


def _rounded(values: Matrix) -> list[float]:
    return [round(float(v), 4) for v in values]


@lru_cache(maxsize=1)
def load_combiner() -> Combiner:
    """The combiner that ships with this version."""
    text = files("ultron_core.segments.offline").joinpath("weights.json").read_text("utf-8")
    return Combiner.from_json(json.loads(text))
