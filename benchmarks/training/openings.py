"""Fit whether a person at work opens another task with a turn, and write ultron_core/segments/offline/openings.json.

    python benchmarks/training/openings.py [--out FILE]
    python benchmarks/training/openings.py --logs DIR --data DIR     # reads the turns anew

Reads benchmarks/gold/openings.jsonl: the turns of sessions of people with coding agents whose task boundaries readers
marked, each as the numbers of ultron_core/segments/offline/openings.py. With `--logs` that file is written first, from
the development half of the native sessions (`gold/native/gather.py` gets them) and the marked sessions of DIR outside
the reserve, each turn beside the right boundaries before it. One logistic regression; the bound is about the one with
the best F1 where a turn's repository was left out. Prints the area under the curve, and F1 with a bound that was
chosen on all repositories and with one chosen on the others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.dialogues import Dialogue
from inputs.lockbox import forbid_lockbox
from inputs.marked import fit_sessions
from inputs.native import read_all, sessions
from training.logistic import as_json, fit, left_out, part_of
from training.segmenter import prepare

from ultron_core.lessons.weights import NamedWeights
from ultron_core.segments.offline.features import FEATURES
from ultron_core.segments.offline.openings import OPENING_NAMES, opening_numbers
from ultron_core.segments.offline.weights import load_combiners

ROOT = Path(__file__).resolve().parents[2]
GOLD = ROOT / "benchmarks" / "gold" / "openings.jsonl"
OUT = ROOT / "ultron_core" / "segments" / "offline" / "openings.json"
#: inverse strength of the penalty; .01 and .3 rank alike
STRENGTH = 0.03
#: F1 that is given up for fewer cuts: what nobody cut can still be read as one task
LITTLE = 0.02


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--logs", type=Path, help="native sessions, with --data to read the turns anew")
    parser.add_argument("--data", type=Path)
    args = parser.parse_args()
    if args.logs and args.data:
        forbid_lockbox(args.data)
        told = rows_of([*native_sessions(args.logs), *fit_sessions(args.data)])
        GOLD.write_text("".join(json.dumps(row) + "\n" for row in told), "utf-8")
    rows = load_rows()
    report(*arrays(rows))
    counts = {
        "turns": len(rows),
        "sessions": len({row["session"] for row in rows}),
        "repositories": len({row["repository"] for row in rows}),
    }
    told = as_json("benchmarks/training/openings.py", GOLD, counts, OPENING_NAMES, fitted(*arrays(rows)))
    args.out.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return 0


def native_sessions(logs: Path) -> Iterator[Dialogue]:
    """The development half, main thread only; `group` is the repository."""
    repository = {session["id"]: session["repository"] for session in sessions("development")}
    for one in read_all(logs, "development"):
        cuts = {one.opened_at(row) for row in one.gold["boundary"]} - {None}
        yield Dialogue(one.id, repository[one.id], one.messages, tuple(sorted(cuts)))


def rows_of(dialogues: Iterable[Dialogue]) -> Iterator[dict[str, Any]]:
    """The candidates amid work on files, each as its numbers."""
    for example in prepare(dialogues):
        weights = load_combiners().margin(np.array(example.rows)) if example.rows else ()
        for at, row, own, weight, (turn, new_files, coding) in zip(
            example.positions, example.rows, example.priors, weights, example.seen, strict=True
        ):
            if not coding:
                continue
            found = dict(zip(FEATURES, row, strict=True))
            numbers = opening_numbers(turn, found, float(weight) + own, new_files)
            yield {
                "session": example.dialogue.name,
                "repository": example.dialogue.group,
                "opens": at in example.dialogue.boundaries,
                "numbers": {n: round(v, 4) for n, v in zip(OPENING_NAMES, numbers, strict=True)},
            }


def load_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]


def without(repository: str) -> NamedWeights:
    """Fitted without the turns of one repository or set."""
    return fitted(*arrays([row for row in load_rows() if row["repository"] != repository]))


def fitted(values: np.ndarray, opens: np.ndarray, parts: np.ndarray) -> NamedWeights:
    """Coefficients from all of them, and the bound that fits where each part was left out."""
    weights, intercept = fit(values, opens.astype(float), STRENGTH)
    return NamedWeights(best_bound(told_left_out(values, opens, parts), opens), intercept, tuple(weights))


def told_left_out(values: np.ndarray, opens: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return left_out(values, opens.astype(float), parts, STRENGTH)


def arrays(rows: list[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, whether each turn opens a task, and the part it leaves with."""
    values = np.array([[row["numbers"][name] for name in OPENING_NAMES] for row in rows])
    opens = np.array([row["opens"] for row in rows])
    return values, opens, np.array([part_of(row["repository"]) for row in rows])


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
