"""Logistic regressions over numbers and n-grams of sentences, alike for every model that reads what people say.

A fit goes on from an earlier one whose texts are not kept: its log-odds enter as one input, which costs little; the
others say what to change.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

__all__ = [
    "PARTS",
    "Described",
    "Examples",
    "GramFit",
    "Prior",
    "fit_outputs",
    "gram_rows",
    "part_of",
    "vocabulary",
]

#: the log-odds of the earlier fit enter three times as large, so that the penalty hardly holds them
_PRIOR = 3.0
#: in so many parts repositories leave the fits, for the figures and for how readers are weighed
PARTS = 3
#: log-odds of a kind that no example has
_NEVER = -3.0
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
    """Coefficients over numbers and n-grams, a column per output."""

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


@dataclass(frozen=True)
class Prior:
    """Coefficients that a fit goes on from, as a model file holds them."""

    raw: dict[str, Any]

    @classmethod
    def load(cls, path: Path) -> Prior:
        return cls(json.loads(path.read_text("utf-8")))

    @property
    def came_from(self) -> dict[str, Any]:
        """What the model file says of its own making."""
        names = ("date", "turns", "answers", "sha256", "goes_on_from")
        return {name: self.raw[name] for name in names if name in self.raw}

    def over(self, index: dict[str, int], dense: Sequence[str]) -> GramFit:
        """The same, over other n-grams and the features of today: what it did not know weighs nothing."""
        unit, outputs = float(self.raw["unit"]), len(self.raw["outputs"])
        whole = {
            name: np.array(values, dtype=np.float64).reshape(-1, outputs) / unit
            for name, values in self.raw["weights"].items()
        }
        rows = {name: whole["dense"][row] for row, name in enumerate(self.raw["dense"])}
        nothing = np.zeros(outputs)
        grams = np.zeros((len(index), outputs))
        for row, gram in enumerate(self.raw["grams"]):
            grams[index[gram]] = whole["grams"][row]
        known = np.array([rows.get(name, nothing) for name in dense])
        return GramFit(index, whole["intercept"][0], known, grams)


@dataclass(frozen=True)
class Examples:
    """Rows of a table with their weights: whether each is kept, and as what."""

    rows: np.ndarray
    keep: np.ndarray
    kind: np.ndarray
    weights: np.ndarray


def fit_outputs(
    table: Described,
    repositories: Sequence[str],
    own: Examples,
    prior: Prior,
    names: Sequence[str],
    strength: float,
) -> GramFit:
    """One logistic regression for `keep` over all examples, one per kind among the kept."""
    outputs = prior.raw["outputs"]
    known = {*vocabulary(table.grams, repositories, own.rows), *prior.raw["grams"]}
    index = {gram: number for number, gram in enumerate(sorted(known))}
    before = prior.over(index, names)
    odds = before.odds(table, own.rows) * _PRIOR
    features = sp.hstack([table.dense[own.rows], gram_rows(table.grams, own.rows, index)]).tocsr()
    columns, intercepts = [], []
    for number, output in enumerate(outputs):
        part = np.ones(len(own.rows), bool) if output == "keep" else own.keep
        wanted = own.keep[part] if output == "keep" else own.kind[part] == output
        earlier = np.concatenate([before.dense[:, number], before.grams[:, number]])
        if len(set(wanted)) < 2:  # a kind that no example of these repositories has
            columns.append(np.zeros(len(earlier)))
            intercepts.append(_NEVER)
            continue
        model = LogisticRegression(C=strength, solver="liblinear", max_iter=500, random_state=0)
        model.fit(
            sp.hstack([features[part], odds[part, number][:, None]]).tocsr(),
            wanted,
            sample_weight=own.weights[part],
        )
        *change, trust = model.coef_[0]
        columns.append(np.array(change) + trust * _PRIOR * earlier)
        intercepts.append(float(model.intercept_[0] + trust * _PRIOR * before.intercept[number]))
    found = np.array(columns).T
    size = table.dense.shape[1]
    return GramFit(index, np.array(intercepts), found[:size], found[size:])


def part_of(repository: str) -> int:
    """The part with which a repository leaves the fits."""
    return int(hashlib.sha256(f"cv{repository}".encode()).hexdigest(), 16) % PARTS


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
