"""Fit whether a person at work opens another task with a turn, and write ultron_core/segments/offline/openings.json.

    python benchmarks/training/openings.py [--out FILE]

Reads benchmarks/gold/openings.jsonl: the turns of sessions of people with coding agents whose task boundaries readers
marked, each as the numbers of ultron_core/segments/offline/openings.py (the texts are others', and not kept). One
logistic regression; the bound is about the one with the best F1 where a turn's repository was left out. Prints the area
under the curve, and F1 with a bound that was chosen on all repositories and with one chosen on the others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from training.logistic import as_json, fit, left_out, part_of

from ultron_core.lessons.weights import NamedWeights
from ultron_core.segments.offline.openings import opening_names

ROOT = Path(__file__).resolve().parents[2]
GOLD = ROOT / "benchmarks" / "gold" / "openings.jsonl"
OUT = ROOT / "ultron_core" / "segments" / "offline" / "openings.json"
#: inverse strength of the penalty; .01 and .3 rank alike
STRENGTH = 0.03
#: F1 that is given up for fewer cuts: what nobody cut can still be read as one task
LITTLE = 0.02
#: by its name a fork of what a shared set was made from
FORKS = {"warnes/getspecstory": "human_claude_specstory"}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    rows = load_rows()
    report(*arrays(rows))
    counts = {
        "turns": len(rows),
        "sessions": len({row["session"] for row in rows}),
        "repositories": len({row["repository"] for row in rows}),
    }
    told = as_json("benchmarks/training/openings.py", GOLD, counts, opening_names(), fitted(*arrays(rows)))
    args.out.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return 0


def load_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]


def without(repository: str) -> NamedWeights:
    """Fitted without the turns of one repository or set."""
    source = source_of(repository)
    return fitted(*arrays([row for row in load_rows() if source_of(row["repository"]) != source]))


def source_of(repository: str) -> str:
    """What leaves together: a set, and a fork of the repository that it comes from."""
    return FORKS.get(repository, repository)


def fitted(values: np.ndarray, opens: np.ndarray, parts: np.ndarray) -> NamedWeights:
    """Coefficients from all of them, and the bound that fits where each part was left out."""
    weights, intercept = fit(values, opens.astype(float), STRENGTH)
    return NamedWeights(best_bound(told_left_out(values, opens, parts), opens), intercept, tuple(weights))


def told_left_out(values: np.ndarray, opens: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return left_out(values, opens.astype(float), parts, STRENGTH)


def arrays(rows: list[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, whether each turn opens a task, and the part it leaves with."""
    values = np.array([[row["numbers"][name] for name in opening_names()] for row in rows])
    opens = np.array([row["opens"] for row in rows])
    return values, opens, np.array([part_of(source_of(row["repository"])) for row in rows])


def best_bound(odds: np.ndarray, opens: np.ndarray) -> float:
    """Of the bounds whose F1 is as good as the best one or little worse the one that cuts least, halfway to the next
    turn below it."""
    order = np.argsort(-odds)
    hits = np.cumsum(opens[order])
    scores = 2 * hits / (np.arange(1, len(odds) + 1) + opens.sum())
    at = int(np.argmax(scores[:-1] >= scores[:-1].max() - LITTLE))
    return float(odds[order[at : at + 2]].mean())


def report(values: np.ndarray, opens: np.ndarray, parts: np.ndarray) -> None:
    odds = told_left_out(values, opens, parts)
    told = dict(zip(("hit", "made", "f1"), figures(odds >= best_bound(odds, opens), opens), strict=True))
    say(
        n=len(opens),
        opens=int(opens.sum()),
        auc=round(float(roc_auc_score(opens, odds)), 3),
        precision=round(float(average_precision_score(opens, odds)), 3),
    )
    say(bound="of all", **told)
    chosen = np.concatenate(list(nested(values, opens, parts)))
    truth = np.concatenate([opens[parts == part] for part in sorted(set(parts))])
    say(bound="of others", **dict(zip(("hit", "made", "f1"), figures(chosen, truth), strict=True)))


def nested(values: np.ndarray, opens: np.ndarray, parts: np.ndarray) -> Iterator[np.ndarray]:
    """For each part, which of its turns a fit and a bound of the others find."""
    for part in sorted(set(parts)):
        out = parts == part
        model = fitted(values[~out], opens[~out], parts[~out])
        yield values[out] @ np.array(model.weights) + model.intercept >= model.bound


def figures(found: np.ndarray, opens: np.ndarray) -> tuple[int, int, float]:
    """Openings that were found, turns that were taken for one, and F1."""
    hit, made = int((found & opens).sum()), int(found.sum())
    return hit, made, round(2 * hit / (made + int(opens.sum())), 3)


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "openings", "left_out": "repository", **fields}), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
