"""Fit the ranker of candidates on what readers said of them, and say how it does on repositories that it has not seen.

    python benchmarks/training/ranker.py --logs DIR [--readers NAMES] [--write]

DIR is what `benchmarks/gold/native/gather.py --half development` made. The verdicts are those of
benchmarks/gold/native/verdicts.jsonl, of all readers or of those that are named (the shipped fit: 1a,1b,1c,2a,2b,2c):
each names its passage by session and hash. Prints one JSON object a source and
bound, with shares by readers' verdicts, repository left out; `--write` puts the coefficients into
ultron_core/lessons/rank/model.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.native import sessions
from inputs.native import verdicts as told_by_readers
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.candidates.find import find_candidates
from ultron_core.lessons.candidates.told import plain
from ultron_core.lessons.drafts import SHELVES
from ultron_core.lessons.rank.features import WIDTH, feature_names, features, laid_down, standing
from ultron_core.lessons.rank.head import TYPES, of_one
from ultron_core.lessons.rank.places import place
from ultron_core.sessions import parse_session
from ultron_core.transcript.actions import read_actions
from ultron_core.transcript.lasting import is_lasting
from ultron_core.transcript.sense.reader import load_sense

Matrix = npt.NDArray[np.float64]

MODEL = Path(__file__).resolve().parents[2] / "ultron_core" / "lessons" / "rank" / "model.json"
#: inverse strength of the penalty on standardised numbers, and how much those of the vector, which are many, count;
#: chosen among .003, .01, .03 and 1, .5, .3 by the share of useful ones among the first 60 left out
STRENGTH, VECTOR = 0.01, 0.5
#: what a verdict counts as "useful"
WORTH: Final = {"useful": 1.0, "fair": 0.35, "junk": 0.0}
#: parts of one in the file
UNIT: Final = 10_000
FOLDS: Final = 10


@dataclass(frozen=True)
class Judged:
    """Candidates that a reader judged: a row of numbers each."""

    rows: Matrix
    candidates: list[Candidate]
    #: of repositories that hold the same passage, as that of a file that is handed around, one name
    repositories: list[str]
    verdicts: list[Mapping[str, Any]]

    @property
    def worth(self) -> Matrix:
        return np.array([WORTH[one["verdict"]] for one in self.verdicts])

    @property
    def sources(self) -> npt.NDArray[np.str_]:
        return np.array([one.source for one in self.candidates])

    @property
    def claimed(self) -> npt.NDArray[np.bool_]:
        """Of which rows only an agent tells."""
        return np.array([one.author == "agent" for one in self.candidates])


def read(logs: Path, readers: Collection[str] = ()) -> Judged:
    """Every candidate judged by one of `readers` (all when empty) whose log lies in `logs`; the same passage once."""
    told = {
        (row["session"], row["sha256"]): row
        for row in told_by_readers()
        if not readers or row["reader"] in readers
    }
    seen: dict[str, str] = {}
    same: dict[str, str] = {}
    rows, candidates, repositories, verdicts = [], [], [], []
    for session in sessions("development"):
        for path in sorted((logs / session["id"]).glob("*"))[:1]:
            messages = [
                m for m in parse_session(path).messages if m.role != "system" and m.origin != "recalled"
            ]
            actions = read_actions(messages)
            known = []
            for one in find_candidates(messages, actions):
                sha = hashlib.sha256(plain(one.text).encode()).hexdigest()
                verdict = told.get((session["id"], sha))
                if verdict is None:
                    continue
                if sha not in seen:
                    known.append(one)
                    verdicts.append(verdict)
                elif seen[sha] != session["repository"]:
                    same[session["repository"]] = seen[sha]
                seen.setdefault(sha, session["repository"])
            rows.append(features(place(known, messages, actions), load_sense()))
            candidates += known
            repositories += [session["repository"]] * len(known)
    return Judged(np.vstack(rows), candidates, [same.get(r, r) for r in repositories], verdicts)


def fit_worth(rows: Matrix, worth: Matrix) -> LogisticRegression:
    """A fair one counts as part useful, part not."""
    both = np.vstack([rows, rows])
    wanted = np.r_[np.ones(len(rows)), np.zeros(len(rows))]
    return LogisticRegression(C=STRENGTH, max_iter=5000).fit(
        both, wanted, sample_weight=np.r_[worth, 1 - worth]
    )


def fit_types(rows: Matrix, types: Sequence[str]) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, max_iter=5000).fit(rows, types)


def scale_of(rows: Matrix) -> tuple[Matrix, Matrix]:
    spread = np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0)
    spread[-WIDTH:] /= VECTOR
    return rows.mean(axis=0), spread


def fit_both(judged: Judged, rows: Matrix, known: npt.NDArray[np.intp]) -> list[LogisticRegression]:
    """Of what a person or the log shows on all rows, of what only an agent says on these alone: they have many kinds of
    junk of their own."""
    own = known[judged.claimed[known]]
    return [fit_worth(rows[part], judged.worth[part]) for part in (known, own)]


def left_out(judged: Judged) -> tuple[Matrix, list[str]]:
    """Probabilities and types by fits that have not seen the row's repository."""
    odds, types = np.zeros(len(judged.verdicts)), np.empty(len(judged.verdicts), dtype=object)
    wanted = np.array([one["type"] for one in judged.verdicts])
    for known, new in GroupKFold(FOLDS).split(judged.rows, groups=judged.repositories):
        mean, spread = scale_of(judged.rows[known])
        rows = (judged.rows - mean) / spread
        shown, claimed = (fit.predict_proba(rows[new])[:, 1] for fit in fit_both(judged, rows, known))
        odds[new] = np.where(judged.claimed[new], claimed, shown)
        good = known[judged.worth[known] > 0]
        types[new] = fit_types(rows[good], wanted[good]).predict(rows[new])
    ranked = [
        of_one(one, worth, lasts, rule, "pattern").probability
        for one, worth, lasts, rule in zip(
            judged.candidates, odds, lasting(judged), laid_down(judged.rows), strict=True
        )
    ]
    return np.array(ranked), list(types)


def lasting(judged: Judged) -> Matrix:
    return standing(judged.rows, [one.source == "turn" and is_lasting(one.text) for one in judged.candidates])


def shares(judged: Judged, kept: npt.NDArray[np.bool_]) -> dict[str, Any]:
    verdicts = [one["verdict"] for one, k in zip(judged.verdicts, kept, strict=True) if k]
    n = max(1, len(verdicts))
    return {"n": len(verdicts), **{v: round(verdicts.count(v) / n, 3) for v in WORTH}}


def report(judged: Judged, odds: Matrix, types: Sequence[str]) -> Iterator[dict[str, Any]]:
    base = {"benchmark": "ranker", "set": "native_development", "left_out": "repository"}
    for shelf in SHELVES:
        for bound in (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7):
            yield {
                **base,
                "shelf": shelf,
                "bound": bound,
                **shares(judged, (judged.claimed == (shelf == "claimed")) & (odds >= bound)),
            }
    for source in sorted(set(judged.sources)):
        own = judged.sources == source
        for bound in (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
            yield {**base, "source": source, "bound": bound, **shares(judged, own & (odds >= bound))}
    good = judged.worth > 0
    right = np.array([one["type"] for one in judged.verdicts]) == np.array(types)
    yield {**base, "types_right": round(float(right[good].mean()), 3), "n": int(good.sum())}


def model(judged: Judged, bounds: Mapping[str, float]) -> dict[str, Any]:
    """The coefficients on all rows, on numbers as they are."""
    mean, spread = scale_of(judged.rows)
    rows = (judged.rows - mean) / spread
    good = judged.worth > 0
    worth = fit_both(judged, rows, np.arange(len(rows)))
    types = fit_types(rows[good], [one["type"] for one, k in zip(judged.verdicts, good, strict=True) if k])
    known = list(types.classes_)
    by_type = [types.coef_[known.index(t)] if t in known else np.zeros(rows.shape[1]) for t in TYPES]
    shift_by_type = [types.intercept_[known.index(t)] if t in known else -50.0 for t in TYPES]
    weights = np.vstack([*(fit.coef_[0] for fit in worth), *by_type]).T / spread[:, None]
    shift = np.r_[[fit.intercept_[0] for fit in worth], shift_by_type] - mean @ weights
    return {
        "made_by": "benchmarks/training/ranker.py",
        "unit": UNIT,
        "types": list(TYPES),
        "bounds": dict(bounds),
        "features": feature_names(),
        "shift": [round(float(x) * UNIT) for x in shift],
        "weights": [[round(float(x) * UNIT) for x in row] for row in weights],
    }


def main() -> None:
    """Print the figures; with --write, also fit on all and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=Path, required=True)
    parser.add_argument("--readers", default="", help="names between commas; all when it is left out")
    parser.add_argument(
        "--bound", action="append", default=[], metavar="SHELF=P", help="bounds that are written"
    )
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    judged = read(given.logs, [name for name in given.readers.split(",") if name])
    for row in report(judged, *left_out(judged)):
        print(json.dumps(row))
    if given.write:
        bounds = {shelf: float(p) for shelf, _, p in (one.partition("=") for one in given.bound)}
        MODEL.write_text(json.dumps(model(judged, bounds), separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
