"""Fit what a note-taker keeps of a person's sentences, and write ultron_core/lessons/people/plain/model.json.

    python benchmarks/training/plain.py --data FILE [--out FILE]

FILE holds labelled turns (benchmarks/inputs/said.py). The fit goes on from plain_prior.json: coefficients of 2026-11-22
from 1,077 other turns (782 of people in 520 repositories, whose texts are not kept, and those of said_native.jsonl) and
from said_written.jsonl. Their log-odds enter as one input, which costs little; the others say what to change. A turn is
kept as a whole and the model reads sentences: of a kept turn the sentence nearest to the note stands for it, the others
are left out; of any other turn every sentence is one that is not kept. One logistic regression for `keep`, one per kind
among the kept. An n-gram must occur in two repositories. Prints, each repository left out of the fit, what each bound
keeps, and how often it is right for the sentences that rules tell and that none tells; the bounds come from there.
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
from inputs.said import KINDS, Told, as_messages, load_told
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from training.grams import GramFit, gram_rows, vocabulary

from ultron_core.lessons.people.plain.features import dense_names, sentence_features
from ultron_core.lessons.people.plain.find import hear
from ultron_core.lessons.people.plain.reader import OUTPUTS
from ultron_core.lessons.people.plain.shape import is_formed, may_hold
from ultron_core.lessons.reading import read_segment
from ultron_core.lessons.registry import told_by_rules

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "ultron_core" / "lessons" / "people" / "plain" / "model.json"
PRIOR = Path(__file__).with_name("plain_prior.json")
STRENGTH = 0.1
#: the log-odds of the earlier fit enter three times as large, so that the penalty hardly holds them
_PRIOR = 3.0
#: parts in which repositories leave
FOLDS = 12
#: kinds of lessons that rules draw from a person's words; one of fewer turns has no bound of its own
RULE_KINDS = ("preference", "correction", "decision", "fact", "reported")
_FEWEST = 15
#: from a bound on so many must stand in a turn to keep, repository left out
RIGHT = 0.75
BOUNDS = np.round(np.arange(0.1, 0.81, 0.05), 2)
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
    #: no rule tells it, and it neither asks nor passes with the work
    free: np.ndarray
    #: kinds of the lessons that rules draw from it
    rules: list[frozenset[str]]
    told: list[Told]

    @property
    def repositories(self) -> np.ndarray:
        return np.array([one.repository for one in self.told])


def describe(told: Sequence[Told]) -> Table:
    dense, grams, turn, near, asked, free, rules = [], [], [], [], [], [], []
    for number, one in enumerate(told):
        reading = dataclasses.replace(read_segment(as_messages(one), "unknown"), work=True)
        for saids in hear(reading.turns, told_by_rules(reading)):
            for said, (values, own) in zip(saids, sentence_features(saids), strict=True):
                dense.append(values)
                grams.append(own)
                turn.append(number)
                near.append(nearness(said.sentence, one.memory))
                free.append(not said.rules and not said.led_in and may_hold(said.sentence))
                asked.append(free[-1] and is_formed(said.sentence))
                rules.append(said.rules)
    columns = (np.array(column) for column in (turn, near, asked, free))
    return Table(np.array(dense), grams, *columns, rules, list(told))


def nearness(sentence: str, memory: str) -> float:
    wanted = Counter(_TERM.findall(memory.casefold()))
    held = Counter(_TERM.findall(sentence.casefold()))
    both = sum((wanted & held).values())
    return both / max(1, sum(wanted.values())) ** 0.5 / max(1, sum(held.values())) ** 0.25


@dataclass(frozen=True)
class Prior:
    """The coefficients that the fit goes on from."""

    raw: dict[str, Any]

    def over(self, index: dict[str, int]) -> GramFit:
        """The same, over other n-grams and the features of today: what it did not know weighs nothing."""
        unit = float(self.raw["unit"])
        whole = {
            name: np.array(values, dtype=np.float64).reshape(-1, len(OUTPUTS)) / unit
            for name, values in self.raw["weights"].items()
        }
        rows = {name: whole["dense"][row] for row, name in enumerate(self.raw["dense"])}
        nothing = np.zeros(len(OUTPUTS))
        dense = np.array([rows.get(name, nothing) for name in dense_names()])
        grams = np.zeros((len(index), len(OUTPUTS)))
        for row, gram in enumerate(self.raw["grams"]):
            grams[index[gram]] = whole["grams"][row]
        return GramFit(index, whole["intercept"][0], dense, grams)


def load_prior() -> Prior:
    return Prior(json.loads(PRIOR.read_text("utf-8")))


def examples(table: Table, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, whether each is kept, and weights: one row of a kept turn, all of the others, which share their weight."""
    rows, keep, weights = [], [], []
    for number in turns:
        own = np.flatnonzero(table.turn == number)
        told = table.told[number]
        if told.kind and len(own):
            rows.append(own[np.argmax(table.near[own])])
            keep.append(True)
            weights.append(1.0)
        elif len(own) and not told.kind:
            rows += list(own)
            keep += [False] * len(own)
            weights += [len(own) ** -0.5] * len(own)
    return np.array(rows), np.array(keep), np.array(weights)


def fit(table: Table, turns: np.ndarray, prior: Prior) -> GramFit:
    rows, keep, weights = examples(table, turns)
    known = {*vocabulary(table.grams, table.repositories[table.turn], rows), *prior.raw["grams"]}
    index = {gram: number for number, gram in enumerate(sorted(known))}
    before = prior.over(index)
    odds = before.odds(table, rows) * _PRIOR
    features = sp.hstack([table.dense[rows], gram_rows(table.grams, rows, index)]).tocsr()
    kinds = np.array([table.told[table.turn[row]].kind for row in rows])
    columns, intercepts = [], []
    for number, output in enumerate(OUTPUTS):
        own = np.ones(len(rows), bool) if output == "keep" else keep
        wanted = keep[own] if output == "keep" else kinds[own] == output
        model = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=500, random_state=0)
        own_features = sp.hstack([features[own], odds[own, number][:, None]]).tocsr()
        model.fit(own_features, wanted, sample_weight=weights[own])
        *change, trust = model.coef_[0]
        earlier = np.concatenate([before.dense[:, number], before.grams[:, number]])
        columns.append(np.array(change) + trust * _PRIOR * earlier)
        intercepts.append(float(model.intercept_[0] + trust * _PRIOR * before.intercept[number]))
    found = np.array(columns).T
    size = table.dense.shape[1]
    return GramFit(index, np.array(intercepts), found[:size], found[size:])


def folds(table: Table) -> np.ndarray:
    """The part that each turn leaves with: all of a repository together."""
    digests = (hashlib.sha256(name.encode()).hexdigest() for name in table.repositories)
    return np.array([int(digest, 16) % FOLDS for digest in digests])


def left_out(table: Table) -> np.ndarray:
    """A row per sentence, from a fit that has seen nothing of its repository."""
    found = np.zeros((len(table.turn), len(OUTPUTS)))
    of_turn, prior = folds(table), load_prior()
    for fold in range(FOLDS):
        rows = np.flatnonzero(of_turn[table.turn] == fold)
        if len(rows):
            found[rows] = fit(table, np.flatnonzero(of_turn != fold), prior).probabilities(table, rows)
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


def say(**fields: object) -> None:
    print(
        json.dumps({"benchmark": "plain", "left_out": "repository", **fields}, ensure_ascii=False), flush=True
    )


def best_of(table: Table, found: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each turn that has such sentences: the score of the best of them, and whether the turn is kept."""
    best: dict[int, float] = {}
    for row in np.flatnonzero(rows):
        turn = int(table.turn[row])
        best[turn] = max(best.get(turn, 0.0), float(found[row, 0]))
    return np.array(list(best.values())), np.array([bool(table.told[turn].kind) for turn in best], dtype=bool)


def weighed(table: Table, found: np.ndarray) -> dict[str, np.ndarray]:
    """The sentences that each bound is for: those that rules draw a lesson from, by its kind; those that none tells,
    put like a wish, a decision or a fact; others that the model takes for a decision."""
    kinds = np.array(KINDS)[np.argmax(found[:, 1:], axis=1)]
    parts = {kind: np.array([kind in rules for rules in table.rules]) for kind in RULE_KINDS}
    told = np.logical_or.reduce(list(parts.values()))
    parts["told"] = told
    parts["formed"] = table.asked & (kinds != "correction")
    parts["unformed"] = table.free & ~table.asked & (kinds == "decision")
    return parts


def bounds_of(table: Table, found: np.ndarray) -> dict[str, float]:
    """From where on enough of them stand in a turn to keep; a kind of few turns has the bound of all that is told."""
    made = {}
    for part, rows in weighed(table, found).items():
        score, keep = best_of(table, found, rows)
        made[part] = bound_for(score, keep) if len(keep) >= _FEWEST or part not in RULE_KINDS else None
    return {part: made["told"] if bound is None else bound for part, bound in made.items() if part != "told"}


def bound_for(score: np.ndarray, keep: np.ndarray) -> float:
    """The least bound from which on enough are right."""
    for bound in BOUNDS:
        passed = score >= bound
        if passed.any() and keep[passed].mean() >= RIGHT:
            return float(bound)
    return float(BOUNDS[-1])


def report_bounds(table: Table, found: np.ndarray) -> None:
    """How often each bound is right, on all turns and on those drawn at random."""
    random = np.array([one.drawn == "random" for one in table.told])[table.turn]
    for part, rows in weighed(table, found).items():
        for name, own in (("all", rows), ("random", rows & random)):
            score, keep = best_of(table, found, own)
            shares = {str(b): f"{int(keep[score >= b].sum())}/{int((score >= b).sum())}" for b in BOUNDS}
            say(part=part, drawn=name, right_of=shares)


def train(table: Table, turns: np.ndarray, data: Path, bounds: dict[str, float]) -> dict[str, Any]:
    """What model.json holds, fitted on some turns of the table."""
    prior = load_prior()
    own = fit(table, turns, prior)
    return {
        "made_by": "benchmarks/training/plain.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "turns": {"labelled": len(table.told), "repositories": len(set(table.repositories))},
        "sha256": {data.name: hashlib.sha256(data.read_bytes()).hexdigest()},
        "goes_on_from": {name: prior.raw[name] for name in ("date", "turns", "sha256")},
        "outputs": list(OUTPUTS),
        "bound": bounds["formed"],
        "bounds": {part: bound for part, bound in bounds.items() if part != "formed"},
        "dense": dense_names(),
        **own.written(_UNIT),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    table = describe(load_told(args.data))
    found = left_out(table)
    own = judged(table, found)
    report(own)
    report_bounds(table, found)
    made = train(table, np.arange(len(table.told)), args.data, bounds_of(table, found))
    args.out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{args.out}: {args.out.stat().st_size // 1024} KB, {len(made['grams'])} n-grams")


if __name__ == "__main__":
    main()
