"""Logistic regressions over named numbers and n-grams, side by side: the coefficients of a fitted reader of sentences.

The files are made by benchmarks/training; every n-gram of `index` occurs in two repositories at least.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["LinearModel"]

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A column per output."""

    index: Mapping[str, int]
    intercept: Matrix
    dense: Matrix
    grams: Matrix

    def columns(self, grams: frozenset[str]) -> list[int]:
        """Where the known n-grams of a sentence stand."""
        return sorted(self.index[gram] for gram in grams if gram in self.index)

    def probabilities(self, dense: Matrix, grams: Sequence[frozenset[str]]) -> Matrix:
        """A row per sentence."""
        odds = self.intercept + dense @ self.dense
        for row, own in enumerate(grams):
            if known := self.columns(own):
                odds[row] += self.grams[known].sum(axis=0) / np.sqrt(len(known))
        found: Matrix = 1.0 / (1.0 + np.exp(-odds))
        return found

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], outputs: Sequence[str], names: Sequence[str]) -> LinearModel:
        """Raises ValueError when the file was made for other features or answers than this version knows."""
        if list(raw["dense"]) != list(names) or list(raw["outputs"]) != list(outputs):
            raise ValueError(f"the model does not fit the features; run {raw['made_by']}")

        def table(name: str) -> Matrix:
            whole: Matrix = np.array(raw["weights"][name], dtype=np.float64).reshape(-1, len(outputs))
            return whole / float(raw["unit"])

        return cls(
            index={gram: row for row, gram in enumerate(raw["grams"])},
            intercept=table("intercept")[0],
            dense=table("dense"),
            grams=table("grams"),
        )
