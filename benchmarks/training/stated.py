"""Fit whether a memory of the fitted readers of sentences is kept, and write ultron_core/lessons/keeping/stated.json.

    python benchmarks/training/stated.py [--out FILE]

Reads benchmarks/gold/draft_verdicts.jsonl: memories of sessions of other people, found with lower bounds than those
that ship, each as the numbers of lessons/keeping/stated.py with the verdict of one reader who had the whole session
before them (the texts are others', and not kept). One logistic regression, where a fair memory is half useful and half
junk. Prints, sessions left out in ten parts: the area under the curve of useful against the rest and of junk against
the rest, and for several shares of what is kept how much of it is useful and junk. The bound keeps KEPT of them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from ultron_core.lessons.keeping.stated import feature_names
from ultron_core.lessons.weights import NamedWeights

ROOT = Path(__file__).resolve().parents[2]
GOLD = ROOT / "benchmarks" / "gold" / "draft_verdicts.jsonl"
OUT = ROOT / "ultron_core" / "lessons" / "keeping" / "stated.json"
WORTH = {"useful": 1.0, "fair": 0.5, "junk": 0.0}
#: inverse strength of the penalty; .03 and .1 rank alike
STRENGTH = 0.1
#: sessions leave in so many parts
PARTS = 10
#: share of the memories that is kept: with what the rules find, half of what notes hold is told then, and one memory
#: in seven is junk (the 801 verdicts that came last, their repositories left out); more is junk with a larger one
KEPT = 0.48
SHARES = (1.0, 0.8, 0.6, 0.5, KEPT, 0.4, 0.3)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    values = np.array([[row["features"][name] for name in feature_names()] for row in rows])
    worth = np.array([WORTH[row["verdict"]] for row in rows])
    parts = np.array([part_of(row["session"]) for row in rows])
    report(left_out(values, worth, parts), worth)
    weights, intercept = fit(values, worth)
    bound = float(np.quantile(values @ weights + intercept, 1.0 - KEPT))
    model = NamedWeights(bound, intercept, tuple(weights))
    counts = {"memories": len(rows), "sessions": len({row["session"] for row in rows})}
    told = as_json("benchmarks/training/stated.py", GOLD, counts, feature_names(), model)
    args.out.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return 0


def part_of(source: str) -> int:
    """The part with which a session or a repository leaves the fits."""
    return int(hashlib.sha256(source.encode()).hexdigest(), 16) % PARTS


def fit(values: np.ndarray, worth: np.ndarray, strength: float = STRENGTH) -> tuple[np.ndarray, float]:
    """Weights and intercept for the features as they come."""
    middle, spread = values.mean(axis=0), values.std(axis=0) + 1e-3
    scaled = (values - middle) / spread
    both, answers = np.vstack([scaled, scaled]), np.r_[np.ones(len(worth)), np.zeros(len(worth))]
    sizes = np.r_[worth, 1.0 - worth]
    model = LogisticRegression(C=strength, max_iter=1000)
    model.fit(both[sizes > 0], answers[sizes > 0], sample_weight=sizes[sizes > 0])
    own = model.coef_[0] / spread
    return own, float(model.intercept_[0] - own @ middle)


def left_out(
    values: np.ndarray, worth: np.ndarray, parts: np.ndarray, strength: float = STRENGTH
) -> np.ndarray:
    """Log-odds of each row from a fit without its part."""
    found = np.zeros(len(worth))
    for part in sorted(set(parts)):
        out = parts == part
        weights, intercept = fit(values[~out], worth[~out], strength)
        found[out] = values[out] @ weights + intercept
    return found


def report(found: np.ndarray, worth: np.ndarray) -> None:
    useful, junk = worth == 1.0, worth == 0.0
    say(
        n=len(worth),
        useful_auc=round(float(roc_auc_score(useful, found)), 3),
        junk_auc=round(float(roc_auc_score(~junk, found)), 3),
    )
    for share in SHARES:
        kept = found >= np.quantile(found, 1.0 - share)
        say(
            kept=share,
            useful=round(float(useful[kept].mean()), 3),
            junk=round(float(junk[kept].mean()), 3),
            of_useful=round(float(kept[useful].mean()), 3),
        )


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "stated", "left_out": "session", **fields}), flush=True)


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


if __name__ == "__main__":
    raise SystemExit(main())
