"""How likely a statement of an agent is worth keeping: a fitted logistic regression on its shape.

The coefficients in worth.json are made by benchmarks/training/statements.py from benchmarks/gold/statements.jsonl.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from ultron_core.lessons.findings.shape import Setting, feature_names, features

__all__ = ["worth"]


@dataclass(frozen=True, slots=True)
class _Coefficients:
    intercept: float
    weights: tuple[float, ...]


@lru_cache(maxsize=1)
def _coefficients() -> _Coefficients:
    """Raises ValueError when the file was made for other features than this version computes."""
    raw = json.loads(files("ultron_core.lessons.findings").joinpath("worth.json").read_text("utf-8"))
    if list(raw["weights"]) != feature_names():
        raise ValueError("worth.json does not fit the features; run benchmarks/training/statements.py")
    return _Coefficients(float(raw["intercept"]), tuple(float(value) for value in raw["weights"].values()))


def worth(text: str, setting: Setting) -> float:
    """0 to 1; a statement worth keeping and one that is not count alike, so it ranks and is no probability."""
    model = _coefficients()
    odds = model.intercept + sum(
        weight * value for weight, value in zip(model.weights, features(text, setting), strict=True) if value
    )
    return 1 / (1 + math.exp(-odds))
