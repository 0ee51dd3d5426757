"""How far the taste of whoever judges memories lies from the ranker's: a shrunken correction of its log-odds.

Pure: judged memories in, coefficients out. A logistic regression whose offset is the ranker's log-odds, so that without
coefficients it says what the ranker says, and whose coefficients are held near zero. It is used only where it does
better than the ranker on sessions that it has not seen.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["LEAST_VERDICTS", "Features", "Judged", "Taste", "corrected", "fit_taste"]

#: verdicts from which on anything is learned (set by hand: of fewer a single session decides)
LEAST_VERDICTS = 30
#: sessions that these must come from, so that leaving some out says anything (set by hand)
_LEAST_SESSIONS = 5
#: parts of which each is left out once (set by hand)
_FOLDS = 10
#: weight of the squared coefficients: each is expected within 1 of zero, in log-odds (set by hand)
_SHRINKING = 1.0
#: the ranker is never surer than this, in log-odds: about 1 in 400
_SUREST = 6.0
#: steps of the fit, of which it takes about seven (set by hand)
_ROUNDS = 50

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Features:
    """What a taste may depend on, beside the ranker's probability."""

    lesson: str
    memory_type: str
    trust: str
    proof: str
    project: str
    language: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A memory with its verdict; `session` is left out of the fit as a whole when the fit is tried."""

    probability: float
    features: Features
    is_useful: bool
    session: str


@dataclass(frozen=True, slots=True)
class Taste:
    """Coefficients by name; None when the ranker is left as it is, for `reason`. `gain` is the fall of the log loss on
    sessions left out; None when it was not measured."""

    coefficients: Mapping[str, float] | None
    verdicts: int
    gain: float | None = None
    reason: str = ""


def corrected(probability: float, features: Features, coefficients: Mapping[str, float] | None) -> float:
    """The ranker's probability by this taste; without coefficients as it is."""
    if not coefficients:
        return probability
    odds = _log_odds(probability)
    change = sum(coefficients.get(name, 0.0) * value for name, value in _terms(odds, features).items())
    return 1.0 / (1.0 + math.exp(-odds - change))


def fit_taste(rows: Sequence[Judged]) -> Taste:
    """Fit on all verdicts, if that does better than the ranker by more than one standard error where whole sessions are
    left out. The same rows in the same order give the same answer."""
    if (reason := _too_little(rows)) is not None:
        return Taste(None, len(rows), reason=reason)
    gains = _gains(rows)
    gain = sum(map(sum, gains)) / len(rows)
    error = _standard_error(gains, gain)
    if not gain > error:
        said = f"log loss on sessions left out falls by {gain:.3f}, its standard error is {error:.3f}"
        return Taste(None, len(rows), gain, said)
    return Taste(_Fit.of(rows).coefficients(), len(rows), gain)


def _too_little(rows: Sequence[Judged]) -> str | None:
    if len(rows) < LEAST_VERDICTS:
        return f"{len(rows)} verdicts on memories that the ranker saw; {LEAST_VERDICTS} are needed"
    if len({row.is_useful for row in rows}) == 1:
        return f"all {len(rows)} verdicts are {'useful' if rows[0].is_useful else 'junk'}; both are needed"
    sessions = len({row.session for row in rows})
    if sessions < _LEAST_SESSIONS:
        return f"the verdicts are on {sessions} sessions; {_LEAST_SESSIONS} are needed"
    return None


def _log_odds(probability: float) -> float:
    least = 1.0 / (1.0 + math.exp(_SUREST))
    kept = min(max(probability, least), 1.0 - least)
    return math.log(kept / (1.0 - kept))


def _terms(odds: float, features: Features) -> dict[str, float]:
    kinds = {name: getattr(features, name) for name in Features.__slots__}
    return {"always": 1.0, "log_odds": odds, **{f"{name}={value}": 1.0 for name, value in kinds.items()}}


@dataclass(frozen=True, slots=True)
class _Fit:
    names: Sequence[str]
    weights: Floats

    @classmethod
    def of(cls, rows: Sequence[Judged]) -> _Fit:
        """Newton's method on the penalised log loss, which is convex; each step is halved until it helps."""
        names = _names(rows)
        offsets, table, labels = _offsets(rows), _table(rows, names), _labels(rows)
        weights = np.zeros(len(names))
        loss = _penalised(weights, offsets, table, labels)
        for _ in range(_ROUNDS):
            found = _sigmoid(offsets + table @ weights)
            slope = table.T @ (found - labels) + _SHRINKING * weights
            bend = (table.T * (found * (1.0 - found))) @ table + _SHRINKING * np.eye(len(names))
            step, before = np.linalg.solve(bend, slope), loss
            while (loss := _penalised(weights - step, offsets, table, labels)) > before + 1e-12:
                step = step / 2
            weights = weights - step
            if before - loss < 1e-10:
                break
        return cls(names, weights)

    def coefficients(self) -> dict[str, float]:
        """By name, of four places: what is smaller is the machine's."""
        return {name: round(float(w), 4) for name, w in zip(self.names, self.weights, strict=True)}

    def losses(self, rows: Sequence[Judged]) -> Floats:
        """The log loss of each of these rows."""
        return _losses(_offsets(rows) + _table(rows, self.names) @ self.weights, _labels(rows))


def _names(rows: Sequence[Judged]) -> list[str]:
    """What two sessions at least have: of one alone nothing is learned."""
    sessions: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for name in _terms(0.0, row.features):
            sessions[name].add(row.session)
    return sorted(name for name, found in sessions.items() if len(found) > 1)


def _table(rows: Sequence[Judged], names: Sequence[str]) -> Floats:
    terms = [_terms(_log_odds(row.probability), row.features) for row in rows]
    return np.array([[own.get(name, 0.0) for name in names] for own in terms], dtype=np.float64)


def _offsets(rows: Sequence[Judged]) -> Floats:
    return np.array([_log_odds(row.probability) for row in rows])


def _labels(rows: Sequence[Judged]) -> Floats:
    return np.array([float(row.is_useful) for row in rows])


def _sigmoid(odds: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-odds))
    return found


def _losses(odds: Floats, labels: Floats) -> Floats:
    found: Floats = np.logaddexp(0.0, odds) - labels * odds
    return found


def _penalised(weights: Floats, offsets: Floats, table: Floats, labels: Floats) -> float:
    own = _losses(offsets + table @ weights, labels).sum()
    return float(own + _SHRINKING / 2 * (weights @ weights))


def _gains(rows: Sequence[Judged]) -> list[list[float]]:
    """By session, by how much each row's log loss falls when it is fitted on other sessions."""
    sessions: dict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        sessions[row.session].append(row)
    gains = []
    for fold in _folds(sessions):
        fitted = _Fit.of([row for row in rows if row.session not in fold])
        for session in fold:
            own = sessions[session]
            before = _losses(_offsets(own), _labels(own))
            gains.append([float(one) for one in before - fitted.losses(own)])
    return gains


def _folds(sessions: Mapping[str, Sequence[Judged]]) -> list[list[str]]:
    """Whole sessions, the largest first, each into the fold that has fewest rows."""
    folds: list[list[str]] = [[] for _ in range(min(_FOLDS, len(sessions)))]
    sizes = [0] * len(folds)
    for session, own in sorted(sessions.items(), key=lambda item: (-len(item[1]), item[0])):
        smallest = sizes.index(min(sizes))
        folds[smallest].append(session)
        sizes[smallest] += len(own)
    return folds


def _standard_error(gains: Sequence[Sequence[float]], mean: float) -> float:
    """Of the mean gain of a row, where rows of one session may go together."""
    rows = sum(map(len, gains))
    spread = sum((sum(own) - len(own) * mean) ** 2 for own in gains)
    return math.sqrt(spread * len(gains) / (len(gains) - 1)) / rows
