"""How the cheap readers and the network are weighed against each other, on what both say of repositories left out."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from ultron_core.transcript.sense.reader import OUTPUTS, Passage, Question
from ultron_core.transcript.sense.second import SecondLook

__all__ = ["LOOK", "LeftOut", "Unseen", "as_json", "fit_second", "parts_of", "ranked", "weighed_left_out"]

#: probability from which on the network is asked. Of agents' sentences from .2 on it costs a third less, and of 130
#: notes of unseen sessions 60 are told instead of 71; people write few sentences, and every turn is asked
LOOK: Mapping[Question, float] = {"answer": 0.1, "sentence": 0.1, "turn": 0.0}
#: parts in which repositories leave the weights, for the figures
_FOLDS = 5
#: two or three numbers are fitted on hundreds of rows
_STRENGTH = 1.0


@dataclass(frozen=True)
class Unseen:
    """What both readers say of rows whose repositories they had not seen, and what is true.

    `cheap` are probabilities, `told` the network's log-odds; `known` says of each output whether its truth counts (a
    kind counts where something is kept), `parts` with which repositories a row leaves."""

    question: Question
    outputs: Sequence[str]
    cheap: np.ndarray
    told: np.ndarray
    truth: np.ndarray
    known: np.ndarray
    weights: np.ndarray
    parts: np.ndarray

    @property
    def look(self) -> float:
        return LOOK[self.question]

    def only(self, rows: np.ndarray) -> Unseen:
        columns = ("cheap", "told", "truth", "known", "weights", "parts")
        return dataclasses.replace(self, **{name: getattr(self, name)[rows] for name in columns})


class LeftOut:
    """What networks that had not seen a passage's repository say of it, as training/sense/fit.py writes it down."""

    def __init__(self, path: Path) -> None:
        rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
        self._odds = {(row["question"], tuple(row["passage"])): row["odds"] for row in rows}

    def read(
        self, question: Question, outputs: Sequence[str], passages: Sequence[Passage], cheap: np.ndarray
    ) -> np.ndarray:
        """Log-odds of the rows that the network would be asked about, nothing for the others. Raises KeyError for a
        passage that is not in the file."""
        found = np.zeros(cheap.shape)
        columns = [OUTPUTS[question].index(name) for name in outputs]
        for row in np.flatnonzero(cheap[:, 0] >= LOOK[question]):
            found[row] = np.array(self._odds[question, passages[row]])[columns]
        return found


def parts_of(repositories: Sequence[str]) -> np.ndarray:
    """The part with which each repository leaves; not by the digits that say which are held back."""
    digests = (hashlib.sha256(name.encode()).hexdigest()[8:] for name in repositories)
    return np.array([int(digest, 16) % _FOLDS for digest in digests])


def fit_second(own: Unseen) -> SecondLook:
    """Two weights and a shift per output."""
    asked = own.cheap[:, 0] >= own.look
    likely = np.clip(own.cheap, 1e-6, 1 - 1e-6)
    odds = np.log(likely / (1 - likely))
    fitted = []
    for column in range(own.truth.shape[1]):
        rows = asked & own.known[:, column]
        if len(set(own.truth[rows, column])) < 2:
            fitted.append((1.0, 0.0, 0.0))
            continue
        model = LogisticRegression(C=_STRENGTH)
        both = np.stack([odds[rows, column], own.told[rows, column]], axis=1)
        model.fit(both, own.truth[rows, column], own.weights[rows])
        fitted.append((*map(float, model.coef_[0]), float(model.intercept_[0])))
    columns = tuple(OUTPUTS[own.question].index(name) for name in own.outputs)
    return SecondLook(own.question, own.look, *np.array(fitted).T, columns)


def weighed_left_out(own: Unseen) -> np.ndarray:
    """Probabilities with the second look, each part weighed by what was fitted on the others."""
    found = own.cheap.copy()
    for part in range(_FOLDS):
        second = fit_second(own.only(own.parts != part))
        rows = np.flatnonzero((own.parts == part) & (own.cheap[:, 0] >= own.look))
        found[rows] = second.weighed(own.cheap[rows], own.told[rows])
    return found


def ranked(truth: np.ndarray, likely: np.ndarray) -> dict[str, Any]:
    return {
        "auc": round(float(roc_auc_score(truth, likely)), 3),
        "average_precision": round(float(average_precision_score(truth, likely)), 3),
    }


def as_json(second: SecondLook) -> dict[str, Any]:
    """As a model file holds it."""
    return {
        "look": second.look,
        **{name: [round(float(v), 4) for v in getattr(second, name)] for name in ("own", "sense", "shift")},
    }
