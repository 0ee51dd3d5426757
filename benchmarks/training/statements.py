"""Fit what an agent's statement is worth as a memory, and write ultron_core/lessons/findings/worth.json.

    python benchmarks/training/statements.py [--out FILE]

Reads benchmarks/gold/statements.jsonl alone: statements of agents with where they stood, each marked `keep` or not by
reading. One logistic regression on the features of lessons/findings/shape.py; the two answers weigh alike, and each
source as the root of its size. Prints, with the source left out of the fit, how well the worth ranks (area under the
curve, by source too), and for several bounds how many statements it passes and how many of them are worth keeping;
`round` 1 was drawn at random, 2 among those that a first fit put first.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from ultron_core.lessons.findings.shape import Setting, feature_names, features

ROOT = Path(__file__).resolve().parents[2]
GOLD = ROOT / "benchmarks" / "gold" / "statements.jsonl"
OUT = ROOT / "ultron_core" / "lessons" / "findings" / "worth.json"
#: inverse strength of the penalty; .1, .3 and 1 rank alike with the source left out
STRENGTH = 0.3
BOUNDS = (0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Table:
    values: np.ndarray
    keep: np.ndarray
    sources: np.ndarray
    rounds: np.ndarray


def load() -> Table:
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    fields = ("closing", "point", "headed", "place", "chars", "calls")
    return Table(
        np.array([features(row["text"], Setting(**{name: row[name] for name in fields})) for row in rows]),
        np.array([row["keep"] for row in rows]),
        np.array([row["session"].split("/")[0] for row in rows]),
        np.array([row["round"] for row in rows]),
    )


def fit(table: Table, rows: np.ndarray) -> LogisticRegression:
    sizes = Counter(table.sources[rows])
    weights = np.array([sizes[name] ** -0.5 for name in table.sources[rows]])
    keep = table.keep[rows]
    weights = np.where(keep, weights / weights[keep].sum(), weights / weights[~keep].sum())
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    return model.fit(table.values[rows], keep, sample_weight=weights * len(rows) / 2)


def left_out(table: Table) -> np.ndarray:
    found = np.zeros(len(table.keep))
    for name in sorted(set(table.sources)):
        own = table.sources == name
        model = fit(table, np.flatnonzero(~own))
        found[own] = model.predict_proba(table.values[own])[:, 1]
    return found


def report(table: Table) -> None:
    found = left_out(table)
    drawn = table.rounds == 1
    say(
        part="all",
        n=len(found),
        keep=int(table.keep.sum()),
        auc=auc(table.keep, found),
        drawn_auc=auc(table.keep[drawn], found[drawn]),
    )
    for name in sorted(set(table.sources)):
        own = table.sources == name
        kept = int(table.keep[own].sum())
        say(
            part=name,
            n=int(own.sum()),
            keep=kept,
            auc=auc(table.keep[own], found[own]) if kept >= 3 else None,
        )
    for bound in BOUNDS:
        passed = drawn & (found >= bound)
        right = int(table.keep[passed].sum())
        say(
            part="drawn",
            bound=bound,
            passed=int(passed.sum()),
            precision=round(right / max(1, int(passed.sum())), 3),
            recall=round(right / int(table.keep[drawn].sum()), 3),
        )


def auc(keep: np.ndarray, found: np.ndarray) -> float:
    return round(float(roc_auc_score(keep, found)), 3)


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "statements", "left_out": "source", **fields}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=OUT)
    table = load()
    report(table)
    model = fit(table, np.arange(len(table.keep)))
    made = {
        "made_by": "benchmarks/training/statements.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "sha256": hashlib.sha256(GOLD.read_bytes()).hexdigest(),
        "statements": dict(sorted(Counter(map(str, table.sources)).items())),
        "intercept": round(float(model.intercept_[0]), 3),
        "weights": {
            name: round(float(value), 3) for name, value in zip(feature_names(), model.coef_[0], strict=True)
        },
    }
    parser.parse_args().out.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
