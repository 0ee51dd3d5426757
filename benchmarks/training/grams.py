"""N-grams of turns or sentences as columns of a fit, alike for every model that reads people's words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

__all__ = ["Described", "GramFit", "gram_rows", "vocabulary"]

#: an n-gram of fewer texts, or of one repository, says more about its source than about what is meant
TEXTS, REPOSITORIES = 3, 2


class Described(Protocol):
    """Texts with their numbers, a row each, and their n-grams."""

    @property
    def dense(self) -> np.ndarray: ...

    @property
    def grams(self) -> Sequence[frozenset[str]]: ...


@dataclass(frozen=True)
class GramFit:
    """Coefficients over numbers and n-grams, a column per output, as ultron_core/lessons/linear.py reads them."""

    index: dict[str, int]
    intercept: np.ndarray
    dense: np.ndarray
    grams: np.ndarray

    def odds(self, table: Described, rows: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.intercept + table.dense[rows] @ self.dense
        return found + gram_rows(table.grams, rows, self.index) @ self.grams

    def probabilities(self, table: Described, rows: np.ndarray) -> np.ndarray:
        return 1.0 / (1.0 + np.exp(-self.odds(table, rows)))

    def written(self, unit: int) -> dict[str, Any]:
        """As a model file holds it: whole numbers of one `unit`-th."""
        return {
            "unit": unit,
            "grams": list(self.index),
            "weights": {
                name: [round(float(v) * unit) for v in values.ravel()]
                for name, values in (
                    ("intercept", self.intercept),
                    ("dense", self.dense),
                    ("grams", self.grams),
                )
            },
        }


def vocabulary(
    grams: Sequence[frozenset[str]], repositories: Sequence[str], rows: Iterable[int]
) -> dict[str, int]:
    """The n-grams that enough texts and repositories among `rows` hold, each with its column."""
    texts: Counter[str] = Counter()
    holders: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        texts.update(grams[row])
        for gram in grams[row]:
            holders[gram].add(repositories[row])
    kept = (gram for gram, n in texts.items() if n >= TEXTS and len(holders[gram]) >= REPOSITORIES)
    return {gram: column for column, gram in enumerate(sorted(kept))}


def gram_rows(grams: Sequence[frozenset[str]], rows: Sequence[int], index: dict[str, int]) -> sp.csr_matrix:
    """Each text's known n-grams, together of length one."""
    values, columns, ends = [], [], [0]
    for row in rows:
        known = sorted(index[gram] for gram in grams[row] if gram in index)
        columns += known
        values += [len(known) ** -0.5] * len(known) if known else []
        ends.append(len(columns))
    return sp.csr_matrix((values, columns, ends), shape=(len(rows), len(index)))
