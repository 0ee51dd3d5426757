"""The learned combiners, one for talk and one for work with tools or code, read from weights.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from ultron_core.segments.offline.features import FEATURES

__all__ = ["SHAPE", "Combiner", "Combiners", "load_combiners"]

#: the feature that says which of the two decides
SHAPE = "works"

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
            "threshold": round(self.threshold, 4),
            "clip": self.clip,
            "intercept": round(self.intercept, 4),
            "mean": _rounded(self.mean),
            "scale": _rounded(self.scale),
            "linear": _rounded(self.linear),
            "quadratic": [_rounded(row[i:]) for i, row in enumerate(self.quadratic)]
            if self.quadratic.any()
            else [],
        }

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Combiner:
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


@dataclass(frozen=True)
class Combiners:
    """`talk` decides while a thread is questions and answers, `work` once tools or code have come into it."""

    talk: Combiner
    work: Combiner

    def margin(self, described: Matrix) -> Matrix:
        """Log-odds above the threshold of the one that decides, a row a candidate."""
        works = described[:, FEATURES.index(SHAPE)] > 0.5
        talk, work = (c.log_odds(described) - c.threshold for c in (self.talk, self.work))
        found: Matrix = np.where(works, work, talk)
        return found

    def to_json(self) -> dict[str, Any]:
        return {"features": list(FEATURES), "talk": self.talk.to_json(), "work": self.work.to_json()}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Combiners:
        """Raises ValueError when the file was made for other features than this version computes."""
        if tuple(raw["features"]) != FEATURES:
            raise ValueError("weights.json does not fit the features; run benchmarks/training/segmenter.py")
        return cls(Combiner.from_json(raw["talk"]), Combiner.from_json(raw["work"]))


@lru_cache(maxsize=1)
def load_combiners() -> Combiners:
    """The combiners that ship with this version."""
    text = files("ultron_core.segments.offline").joinpath("weights.json").read_text("utf-8")
    return Combiners.from_json(json.loads(text))
