"""One logistic regression on numbers, fitted with parts left out, and as the file that a package loads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from ultron_core.lessons.weights import NamedWeights

__all__ = ["as_json", "fit", "left_out", "part_of"]

#: sessions or repositories leave in so many parts
PARTS = 10


def part_of(source: str) -> int:
    """The part with which a session or a repository leaves the fits."""
    return int(hashlib.sha256(source.encode()).hexdigest(), 16) % PARTS


def fit(values: np.ndarray, worth: np.ndarray, strength: float) -> tuple[np.ndarray, float]:
    """Weights and intercept for the features as they come."""
    middle, spread = values.mean(axis=0), values.std(axis=0) + 1e-3
    scaled = (values - middle) / spread
    both, answers = np.vstack([scaled, scaled]), np.r_[np.ones(len(worth)), np.zeros(len(worth))]
    sizes = np.r_[worth, 1.0 - worth]
    model = LogisticRegression(C=strength, max_iter=1000)
    model.fit(both[sizes > 0], answers[sizes > 0], sample_weight=sizes[sizes > 0])
    own = model.coef_[0] / spread
    return own, float(model.intercept_[0] - own @ middle)


def left_out(values: np.ndarray, worth: np.ndarray, parts: np.ndarray, strength: float) -> np.ndarray:
    """Log-odds of each row from a fit without its part."""
    found = np.zeros(len(worth))
    for part in sorted(set(parts)):
        out = parts == part
        weights, intercept = fit(values[~out], worth[~out], strength)
        found[out] = values[out] @ weights + intercept
    return found


def as_json(
    script: str, gold: Path, counts: Mapping[str, int], names: Sequence[str], model: NamedWeights
) -> dict[str, Any]:
    """As NamedWeights loads it, with what it was made from."""
    return {
        "made_by": script,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "sha256": {gold.name: hashlib.sha256(gold.read_bytes()).hexdigest()},
        **counts,
        "bound": round(model.bound, 3),
        "intercept": round(model.intercept, 3),
        "weights": {name: round(float(value), 3) for name, value in zip(names, model.weights, strict=True)},
    }
