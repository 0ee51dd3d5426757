"""Fit what a note-taker keeps of a person's sentences, and write ultron_core/lessons/people/plain/model.json.

    python benchmarks/training/plain.py --data FILE [--sessions DIR] [--out FILE]

FILE holds labelled turns (benchmarks/inputs/said.py); to them come the turns of the sessions in DIR that
benchmarks/gold/said_native.jsonl labels, and those that the project wrote (said_written.jsonl). A turn is kept as a
whole and the model reads sentences: of a kept turn the sentence nearest to the note stands for it, the others are left
out; of any other turn every sentence is one that is not kept. One logistic regression for `keep`, one per kind among
the kept. An n-gram must occur in two repositories. Prints, each repository left out of the fit, what each bound keeps,
and how often it is right for the sentences that rules tell and that none tells.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import re
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
from inputs.places import data_folder
from inputs.said import KINDS, NATIVE_TURNS, WRITTEN_TURNS, Told, as_messages, load_native, load_told
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from training.grams import gram_rows, vocabulary

from ultron_core.lessons.people.plain.features import dense_names, sentence_features
from ultron_core.lessons.people.plain.find import hear
from ultron_core.lessons.people.plain.reader import OUTPUTS
from ultron_core.lessons.people.plain.shape import is_formed
from ultron_core.lessons.reading import read_segment
from ultron_core.lessons.registry import told_by_rules

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "ultron_core" / "lessons" / "people" / "plain" / "model.json"
STRENGTH = 0.1
#: the turns of the project's own count so much of a real one
WRITTEN, WRITTEN_WEIGHT = "written", 0.25
#: parts in which repositories leave
FOLDS = 12
#: from here on four in five of the sentences that are asked about stand in a turn to keep, repository left out
BOUND = 0.55
_UNIT = 2000
#: e.g. `cache`, `src/app.py`, `缓存`
_TERM = re.compile(r"[a-z0-9][\w./-]*|[\u3400-\u9fff]", re.IGNORECASE)


@dataclass(frozen=True)
class Table:
    """A row per sentence; `turn` numbers its turn."""

    dense: np.ndarray
    grams: list[frozenset[str]]
    turn: np.ndarray
    #: shares of the note's terms that the sentence holds
    near: np.ndarray
    #: no rule tells it, and it is put like a plain statement
    asked: np.ndarray
    told: list[Told]

    @property
    def repositories(self) -> np.ndarray:
        return np.array([one.repository for one in self.told])


def describe(told: Sequence[Told]) -> Table:
    dense, grams, turn, near, asked = [], [], [], [], []
    for number, one in enumerate(told):
        reading = dataclasses.replace(read_segment(as_messages(one), "unknown"), work=True)
        for saids in hear(reading.turns, told_by_rules(reading)):
            for said, (values, own) in zip(saids, sentence_features(saids), strict=True):
                dense.append(values)
                grams.append(own)
                turn.append(number)
                near.append(nearness(said.sentence, one.memory))
                asked.append(not said.rules and not said.led_in and is_formed(said.sentence))
    return Table(np.array(dense), grams, np.array(turn), np.array(near), np.array(asked), list(told))


def nearness(sentence: str, memory: str) -> float:
    wanted = Counter(_TERM.findall(memory.casefold()))
    held = Counter(_TERM.findall(sentence.casefold()))
    both = sum((wanted & held).values())
    return both / max(1, sum(wanted.values())) ** 0.5 / max(1, sum(held.values())) ** 0.25


@dataclass(frozen=True)
class Fit:
    index: dict[str, int]
    intercept: np.ndarray
    dense: np.ndarray
    grams: np.ndarray

    def probabilities(self, table: Table, rows: np.ndarray) -> np.ndarray:
        odds = (
            self.intercept
            + table.dense[rows] @ self.dense
            + gram_rows(table.grams, rows, self.index) @ self.grams
        )
        return 1.0 / (1.0 + np.exp(-odds))


def examples(table: Table, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, whether each is kept, and weights: one row of a kept turn, all of the others, which share their weight."""
    rows, keep, weights = [], [], []
    for number in turns:
        own = np.flatnonzero(table.turn == number)
        told = table.told[number]
        share = WRITTEN_WEIGHT if told.repository == WRITTEN else 1.0
        if told.kind and len(own):
            rows.append(own[np.argmax(table.near[own])])
            keep.append(True)
            weights.append(share)
        elif len(own) and not told.kind:
            rows += list(own)
            keep += [False] * len(own)
            weights += [share * len(own) ** -0.5] * len(own)
    return np.array(rows), np.array(keep), np.array(weights)


def fit(table: Table, turns: np.ndarray) -> Fit:
    rows, keep, weights = examples(table, turns)
    index = vocabulary(table.grams, table.repositories[table.turn], rows)
    features = sp.hstack([table.dense[rows], gram_rows(table.grams, rows, index)]).tocsr()
    kinds = np.array([table.told[table.turn[row]].kind for row in rows])
    columns, intercepts = [], []
    for output in OUTPUTS:
        own = np.ones(len(rows), bool) if output == "keep" else keep
        wanted = keep[own] if output == "keep" else kinds[own] == output
        model = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=500, random_state=0)
        model.fit(features[own], wanted, sample_weight=weights[own])
        columns.append(model.coef_[0])
        intercepts.append(float(model.intercept_[0]))
    found = np.array(columns).T
    size = table.dense.shape[1]
    return Fit(index, np.array(intercepts), found[:size], found[size:])


def folds(table: Table) -> np.ndarray:
    """The part that each turn leaves with: all of a repository together, -1 for what the project wrote."""
    return np.array(
        [
            -1 if name == WRITTEN else int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS
            for name in table.repositories
        ]
    )


def left_out(table: Table) -> np.ndarray:
    """A row per sentence, from a fit that has seen nothing of its repository; written turns are not predicted."""
    found = np.zeros((len(table.turn), len(OUTPUTS)))
    of_turn = folds(table)
    for fold in range(FOLDS):
        rows = np.flatnonzero(of_turn[table.turn] == fold)
        if len(rows):
            found[rows] = fit(table, np.flatnonzero(of_turn != fold)).probabilities(table, rows)
    return found


@dataclass(frozen=True)
class Judged:
    """The best sentence of each real turn, repository left out."""

    score: np.ndarray
    keep: np.ndarray
    kind: np.ndarray
    guess: np.ndarray
    zh: np.ndarray
    near: np.ndarray
    best_near: np.ndarray


def judged(table: Table, found: np.ndarray) -> Judged:
    rows = []
    for number, told in enumerate(table.told):
        if told.repository == WRITTEN:
            continue
        own = np.flatnonzero(table.turn == number)
        if not len(own):
            rows.append((0.0, bool(told.kind), told.kind, "", told.lang == "zh", 0.0, 0.0))
            continue
        best = own[np.argmax(found[own, 0])]
        guess = KINDS[int(np.argmax(found[best, 1:]))]
        rows.append(
            (
                float(found[best, 0]),
                bool(told.kind),
                told.kind,
                guess,
                told.lang == "zh",
                float(table.near[best]),
                float(table.near[own].max()),
            )
        )
    return Judged(*(np.array(column) for column in zip(*rows, strict=True)))


def report(own: Judged) -> None:
    say(
        turns=len(own.keep),
        keep=int(own.keep.sum()),
        auc=round(float(roc_auc_score(own.keep, own.score)), 3),
        auc_zh=round(float(roc_auc_score(own.keep[own.zh], own.score[own.zh])), 3),
    )
    for b in (0.3, 0.4, 0.5, 0.6, 0.7):
        passed = own.score >= b
        right = int(own.keep[passed].sum())
        hit = passed & own.keep
        say(
            bound=b,
            passed=int(passed.sum()),
            right=right,
            precision=round(right / max(1, int(passed.sum())), 3),
            recall=round(right / int(own.keep.sum()), 3),
            the_sentence=round(float((own.near[hit] >= own.best_near[hit] - 1e-9).mean()), 3),
            kind_right=round(float((own.kind[hit] == own.guess[hit]).mean()), 3),
            by_kind={k: f"{int((hit & (own.kind == k)).sum())}/{int((own.kind == k).sum())}" for k in KINDS},
        )


def report_asked(table: Table, found: np.ndarray) -> None:
    """How often the sentences that the shipped rules ask the model about stand in a turn to keep, by bound."""
    real = np.array([one.repository != WRITTEN for one in table.told])[table.turn]
    keep = np.array([bool(one.kind) for one in table.told])[table.turn]
    drawn = np.array([one.drawn or "native" for one in table.told])[table.turn]
    score, kind = found[:, 0], np.array(KINDS)[np.argmax(found[:, 1:], axis=1)]
    parts = {name: real & table.asked & (kind == name) for name in KINDS}
    told = real & table.asked & (kind != "correction")
    parts |= {name: told & (drawn == name) for name in ("sought", "random", "native")} | {"all": told}
    for part, rows in parts.items():
        shares = {
            str(bound): f"{int(keep[rows & (score >= bound)].sum())}/{int((rows & (score >= bound)).sum())}"
            for bound in (0.0, 0.3, 0.4, 0.5, BOUND, 0.6, 0.7)
        }
        say(part=part, right_of=shares)


def say(**fields: object) -> None:
    print(
        json.dumps({"benchmark": "plain", "left_out": "repository", **fields}, ensure_ascii=False), flush=True
    )


def train(table: Table, turns: np.ndarray, data: Path) -> dict[str, Any]:
    """What model.json holds, fitted on some turns of the table."""
    own = fit(table, turns)
    sizes = Counter(table.repositories)
    return {
        "made_by": "benchmarks/training/plain.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "turns": {
            "labelled": len(table.told) - sizes[WRITTEN],
            "repositories": len(sizes) - 1,
            WRITTEN: sizes[WRITTEN],
        },
        "sha256": {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in (data, NATIVE_TURNS, WRITTEN_TURNS)
        },
        "outputs": list(OUTPUTS),
        "unit": _UNIT,
        "bound": BOUND,
        "dense": dense_names(),
        "grams": list(own.index),
        "weights": {
            name: [round(float(v) * _UNIT) for v in values.ravel()]
            for name, values in (("intercept", own.intercept), ("dense", own.dense), ("grams", own.grams))
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE")
    parser.add_argument("--sessions", type=Path, default=data_folder(), metavar="DIR")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    table = describe([*load_told(args.data), *load_native(args.sessions), *load_told(WRITTEN_TURNS)])
    found = left_out(table)
    own = judged(table, found)
    report(own)
    report_asked(table, found)
    made = train(table, np.arange(len(table.told)), args.data)
    args.out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{args.out}: {args.out.stat().st_size // 1024} KB, {len(made['grams'])} n-grams")


if __name__ == "__main__":
    main()
