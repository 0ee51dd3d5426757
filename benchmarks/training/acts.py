"""Fit the classifier of human turns and write ultron_core/transcript/acts/model.json.

    python benchmarks/training/acts.py [--people FILE [--weigh]] [--out FILE]

It reads benchmarks/gold and FILE, labelled turns of people in many repositories (benchmarks/inputs/said.py), whose
texts are not kept here. One logistic regression per act on n-grams, word classes, context and, in the second set of
coefficients, the sentence vector. An n-gram must occur in two repositories and three turns. Each repository weighs as
the root of its size. Thresholds come from predictions with the turn's own repository left out (those of FILE in
twelve parts, what the project wrote a quarter at a time). The quarter of the written turns that is held out is fitted
on by nobody; benchmarks/audits/turns.py measures with it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.turns import FILES, GOLD, WRITTEN, Labelled, load_people, load_turns, truth, vectors_of
from sklearn.linear_model import LogisticRegression
from training.grams import gram_rows, vocabulary
from training.second import LeftOut, Unseen, as_json, fit_second, parts_of, ranked, weighed_left_out

from ultron_core.transcript.acts.features import CONTEXT, dense_features, dense_names
from ultron_core.transcript.acts.reader import ACTS, load_model

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "ultron_core" / "transcript" / "acts" / "model.json"

STRENGTH = 0.3
#: products and context are many or tell sets apart: they enter at half size, which the penalty makes a quarter
_HALVED = 0.5
#: a unit vector of 512 numbers enters three times as large
_VECTOR = 3.0
#: acts that others build on must be right when named: least precision on left-out repositories
PRECISION = {"objection": 0.66, "acceptance": 0.66, "rule": 0.6}
#: for the threshold of `rule` a written turn counts an eighth: that makes about one turn in 70 a rule
RULE_SHARE = 1 / 8
#: the many small repositories of people would outweigh all others
PEOPLE_WEIGHT = 0.25
#: parts in which the repositories of people leave: they are too many to leave one by one
FOLDS = 12
BOUNDS = np.round(np.arange(0.1, 0.91, 0.02), 2)
#: coefficients are written as whole numbers of this part
_UNIT = 2000
LICENCES = {
    "specstory": "Apache-2.0 (specstoryai/getspecstory)",
    "destyler": "MIT (destyler/destyler)",
    "aider": "Apache-2.0 (Aider-AI/aider)",
    "claude_code_spotter": "MIT (marot/spotter)",
    "pi": "MIT (badlogic/pi-mono)",
    "tau": "MIT (sierra-research/tau-bench)",
    "glaive": "Apache-2.0 (hiyouga/LLaMA-Factory demo data)",
    "crosswoz": "Apache-2.0 (thu-coai/CrossWOZ)",
    "tiage": "MIT (HuiyuanXie/tiage)",
    "memory_bank": "MIT (zhongwanjun/MemoryBank-SiliconFriend)",
    "kto": "Apache-2.0 (hiyouga/LLaMA-Factory demo data)",
    WRITTEN: "Apache-2.0 (this project)",
}


@dataclass(frozen=True)
class Table:
    """Turns described once; `vectors` is empty when they are not looked at."""

    rows: list[Labelled]
    dense: np.ndarray
    grams: list[frozenset[str]]
    vectors: np.ndarray
    labels: np.ndarray
    repositories: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)


def describe(rows: Sequence[Labelled], *, vectors: bool) -> Table:
    described = [dense_features(row.turn) for row in rows]
    return Table(
        list(rows),
        np.array([dense for dense, _ in described]),
        [grams for _, grams in described],
        vectors_of(rows).astype(np.float64) if vectors else np.zeros((len(rows), 0)),
        truth(rows),
        np.array([row.repository for row in rows]),
    )


@dataclass(frozen=True)
class Fit:
    """Coefficients in the units of the features as `dense_features` gives them."""

    index: dict[str, int]
    intercept: np.ndarray
    dense: np.ndarray
    grams: np.ndarray
    vector: np.ndarray

    def probabilities(self, table: Table, rows: np.ndarray) -> np.ndarray:
        odds = self.intercept + table.dense[rows] @ self.dense + table.vectors[rows] @ self.vector
        odds += gram_rows(table.grams, rows, self.index) @ self.grams
        return 1.0 / (1.0 + np.exp(-odds))


def _scale() -> np.ndarray:
    return np.array([_HALVED if "*" in name or name in CONTEXT else 1.0 for name in dense_names()])


def fit(table: Table, rows: np.ndarray) -> Fit:
    general = np.array([not table.rows[i].for_rule for i in rows])
    index, scale = vocabulary(table.grams, table.repositories, rows[general]), _scale()
    features = sp.hstack(
        [table.dense[rows] * scale, gram_rows(table.grams, rows, index), table.vectors[rows] * _VECTOR]
    ).tocsr()
    sizes = Counter(table.repositories[rows[general]])
    weights = np.array([max(1, sizes[name]) ** -0.5 for name in table.repositories[rows]])
    weights[[table.rows[i].people for i in rows]] *= PEOPLE_WEIGHT
    weights /= weights[general].mean()
    columns, intercepts = [], []
    for act, name in enumerate(ACTS):
        own = np.ones(len(rows), dtype=bool) if name == "rule" else general
        wanted, weight = table.labels[rows[own], act], weights[own]
        if wanted.sum() < 3:  # nothing to learn: never likely
            columns.append(np.zeros(features.shape[1]))
            intercepts.append(-6.0)
            continue
        rarity = np.sqrt(weight[~wanted].sum() / weight[wanted].sum())
        model = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=300, random_state=0)
        model.fit(features[own], wanted, sample_weight=np.where(wanted, weight * rarity, weight))
        columns.append(model.coef_[0])
        intercepts.append(float(model.intercept_[0]))
    found = np.array(columns).T
    dense, grams = len(scale), len(scale) + len(index)
    return Fit(
        index,
        np.array(intercepts),
        found[:dense] * scale[:, None],
        found[dense:grams],
        found[grams:] * _VECTOR,
    )


def groups(table: Table, rows: np.ndarray) -> list[np.ndarray]:
    """What leaves together: a repository, a part of those of people, a quarter of the written turns."""
    people = np.array([table.rows[i].people for i in rows])
    names = table.repositories[rows]
    found = [rows[~people & (names == name)] for name in sorted(set(names[~people]) - {WRITTEN})]
    parts = np.array([_part(name) for name in names])
    found += [rows[people & (parts == part)] for part in range(FOLDS)]
    written = rows[names == WRITTEN]
    return [group for group in (*found, *(written[start::4] for start in range(4))) if len(group)]


def _part(repository: str) -> int:
    return int(hashlib.sha256(repository.encode()).hexdigest(), 16) % FOLDS


def left_out(table: Table, rows: np.ndarray) -> np.ndarray:
    """A probability for each of `rows`, made without the group that it leaves with."""
    found = np.zeros((len(table), len(ACTS)))
    for group in groups(table, rows):
        found[group] = fit(table, np.setdiff1d(rows, group)).probabilities(table, group)
    return found


def thresholds(table: Table, rows: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Best F1 on turns drawn at random, for `rule` on the written ones too; precision goes first where one is asked.

    Turns drawn because they looked like rules, or for their words, choose no threshold: they would stand for
    thousands of others.
    """
    rows = np.array([i for i in rows if not table.rows[i].sought])
    drawn = np.array([i for i in rows if not (table.rows[i].written or table.rows[i].for_rule)])
    told = np.array([i for i in rows if table.rows[i].written or not table.rows[i].for_rule])
    chosen = []
    for column, act in enumerate(ACTS):
        own = told if act == "rule" else drawn
        share = np.where(table.repositories[own] == WRITTEN, RULE_SHARE, 1.0)
        wanted, likely, least = table.labels[own, column], found[own, column], PRECISION.get(act, 0.0)
        worth = [_worth(wanted, likely >= bound, share, least) for bound in BOUNDS]
        chosen.append(BOUNDS[int(np.argmax(worth))])
    return np.array(chosen)


def _worth(wanted: np.ndarray, named: np.ndarray, share: np.ndarray, least: float) -> float:
    right = float(share[wanted & named].sum())
    if not right:
        return -1.0
    f1 = 2 * right / float(share[wanted].sum() + share[named].sum())
    return f1 if right / float(share[named].sum()) >= least else f1 - 1


def fit_rows(table: Table) -> np.ndarray:
    """All but the written turns that are held out."""
    return np.array([i for i, row in enumerate(table.rows) if not row.held_out])


def _written_out(own: Fit, bounds: np.ndarray) -> dict[str, Any]:
    def table(values: np.ndarray) -> list[int]:
        return [round(float(v) * _UNIT) for v in values.ravel()]

    return {
        "unit": _UNIT,
        "thresholds": [float(b) for b in bounds],
        "intercept": table(own.intercept),
        "dense": table(own.dense),
        "grams": table(own.grams),
        "vector": table(own.vector),
    }


def train(rows: Sequence[Labelled], people: Path | None = None) -> dict[str, Any]:
    """What model.json holds; `people` is the file that some of the rows are from."""
    sets: dict[str, dict[str, Any]] = {}
    index: dict[str, int] = {}
    used = np.array([], dtype=int)
    for name, vectors in (("plain", False), ("with_vector", True)):
        table = describe(rows, vectors=vectors)
        used = fit_rows(table)
        own = fit(table, used)
        index = own.index
        sets[name] = _written_out(own, thresholds(table, used, left_out(table, used)))
    sizes = Counter(rows[i].repository for i in used if not rows[i].people)
    others = [rows[i] for i in used if rows[i].people]
    provenance: dict[str, Any] = {
        "made_by": "benchmarks/training/acts.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "turns": dict(sorted(sizes.items())),
        "licences": LICENCES,
        "sha256": {name: hashlib.sha256((GOLD / name).read_bytes()).hexdigest() for name in FILES},
    }
    if people:
        provenance["people"] = {
            "turns": len(others),
            "repositories": len({row.repository for row in others}),
            "sha256": hashlib.sha256(people.read_bytes()).hexdigest(),
        }
    return {
        "provenance": provenance,
        "acts": list(ACTS),
        "dense": dense_names(),
        "grams": list(index),
        **sets,
    }


def weigh(people: Path, others: LeftOut, out: Path) -> None:
    """How the shipped coefficients and the network are weighed, and the thresholds, on turns of `people` that answer
    an agent: the coefficients know nothing of them, nor did the networks behind `others` know their repositories."""
    rows = [row for row in load_people(people) if row.turn.before.strip()]
    cheap = load_model().probabilities([row.turn for row in rows])
    labels = np.array([[act in row.labels for act in ACTS] for row in rows])
    told = others.read("turn", ACTS, [row.turn.passage for row in rows], cheap)
    places = parts_of([row.repository for row in rows])
    known, weights = np.ones(labels.shape, bool), np.ones(len(rows))
    own = Unseen("turn", ACTS, cheap, told, labels, known, weights, places)
    found = weighed_left_out(own)
    drawn = np.array([not row.sought for row in rows])
    chosen = []
    for column, act in enumerate(ACTS):
        if labels[:, column].any():
            print(act, *(ranked(labels[:, column], likely[:, column]) for likely in (cheap, found)))
        wanted, likely, least = labels[drawn, column], found[drawn, column], PRECISION.get(act, 0.0)
        worth = [_worth(wanted, likely >= bound, np.ones(len(wanted)), least) for bound in BOUNDS]
        chosen.append(float(BOUNDS[int(np.argmax(worth))]))
    raw = json.loads(OUT.read_text("utf-8"))
    raw["second"] = {
        "turns": len(rows),
        "sha256": hashlib.sha256(people.read_bytes()).hexdigest(),
        **as_json(fit_second(own)),
        "thresholds": chosen,
    }
    out.write_text(json.dumps(raw, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{out}: thresholds {dict(zip(ACTS, chosen, strict=True))}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--people", type=Path, metavar="FILE", help="labelled turns that are not in benchmarks/gold"
    )
    parser.add_argument(
        "--told", type=Path, metavar="FILE", help="what networks say that did not see the repository"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument(
        "--weigh", action="store_true", help="keep the coefficients, weigh the network against them"
    )
    args = parser.parse_args()
    if args.weigh:
        weigh(args.people, LeftOut(args.told), args.out)
        return
    rows = [*load_turns(), *(load_people(args.people) if args.people else ())]
    made = train(rows, args.people)
    args.out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{args.out}: {args.out.stat().st_size // 1024} KB, {len(made['grams'])} n-grams")
    for name in ("plain", "with_vector"):
        print(name, dict(zip(ACTS, made[name]["thresholds"], strict=True)))


if __name__ == "__main__":
    main()
