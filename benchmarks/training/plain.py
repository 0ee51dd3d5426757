"""Fit what a note-taker keeps of a person's sentences, and write ultron_core/lessons/people/plain/model.json.

    python benchmarks/training/plain.py --data FILE --told FILE [--out FILE]

FILE holds labelled turns (benchmarks/inputs/said.py). The fit goes on from plain_prior.json, the coefficients of
earlier turns whose texts are not kept. A turn is kept as a whole and the model reads sentences: of a kept turn the
sentence nearest to the note stands for it, the others are left out; of any other turn every sentence is one that is not
kept. An n-gram must occur in two repositories. `--told` is what training/sense/fit.py says of the sentences with
networks that had not seen their repositories; beside fits that had not either, both are weighed against each other.
Prints how both do, what each bound keeps, and how often it is right for the sentences that rules tell and that none
tells.
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

import numpy as np

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.said import KINDS, Told, as_messages, load_told
from sklearn.metrics import roc_auc_score
from training.grams import PARTS, Examples, GramFit, Prior, fit_outputs, part_of
from training.second import LeftOut, Unseen, as_json, fit_second, parts_of, weighed_left_out

from ultron_core.lessons.people.plain.features import dense_names, sentence_features
from ultron_core.lessons.people.plain.find import hear
from ultron_core.lessons.people.plain.reader import OUTPUTS
from ultron_core.lessons.people.plain.shape import may_hold
from ultron_core.lessons.reading import read_segment
from ultron_core.lessons.registry import told_by_rules
from ultron_core.transcript.sense.reader import Passage

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "ultron_core" / "lessons" / "people" / "plain" / "model.json"
PRIOR = Path(__file__).with_name("plain_prior.json")
STRENGTH = 0.1
#: kinds of lessons that rules draw from a person's words
RULE_KINDS = ("preference", "correction", "decision", "fact", "reported")
#: chosen on what readers said of whole memories (benchmarks/gold/draft_verdicts.jsonl): of those whose best sentence
#: has .2 to .4 half are junk, above it one in four, however it is put; what a rule tells is right more often
BOUND, BESIDE, TOLD = 0.4, 0.2, 0.35
#: of the figures
BOUNDS = np.round(np.arange(0.2, 0.81, 0.05), 2)
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
    #: no rule tells it, and it neither asks nor passes with the work
    free: np.ndarray
    #: kinds of the lessons that rules draw from it
    rules: list[frozenset[str]]
    told: list[Told]
    #: the sentences as the network reads them
    passages: list[Passage]

    @property
    def repositories(self) -> np.ndarray:
        return np.array([one.repository for one in self.told])


def describe(told: Sequence[Told]) -> Table:
    dense, grams, turn, near, free, rules, passages = [], [], [], [], [], [], []
    for number, one in enumerate(told):
        reading = dataclasses.replace(read_segment(as_messages(one), "unknown"), work=True)
        for saids in hear(reading.turns, told_by_rules(reading)):
            for said, (values, own) in zip(saids, sentence_features(saids), strict=True):
                dense.append(values)
                grams.append(own)
                turn.append(number)
                near.append(nearness(said.sentence, one.memory))
                free.append(not said.rules and not said.of_others and may_hold(said.sentence))
                rules.append(said.rules)
                passages.append((said.turn.before, said.sentence))
    columns = (np.array(column) for column in (turn, near, free))
    return Table(np.array(dense), grams, *columns, rules, list(told), passages)


def nearness(sentence: str, memory: str) -> float:
    wanted = Counter(_TERM.findall(memory.casefold()))
    held = Counter(_TERM.findall(sentence.casefold()))
    both = sum((wanted & held).values())
    return both / max(1, sum(wanted.values())) ** 0.5 / max(1, sum(held.values())) ** 0.25


def examples(table: Table, turns: np.ndarray) -> Examples:
    """One row of a kept turn, all of the others, which share their weight."""
    rows: list[int] = []
    weights: list[float] = []
    for number in turns:
        own = np.flatnonzero(table.turn == number)
        if table.told[number].kind and len(own):
            rows.append(int(own[np.argmax(table.near[own])]))
            weights.append(1.0)
        elif len(own):
            rows += own.tolist()
            weights += [len(own) ** -0.5] * len(own)
    kind = np.array([table.told[table.turn[row]].kind for row in rows])
    return Examples(np.array(rows), kind != "", kind, np.array(weights))


def fit(table: Table, turns: np.ndarray, prior: Prior) -> GramFit:
    names = table.repositories[table.turn]
    return fit_outputs(table, names, examples(table, turns), prior, dense_names(), STRENGTH)


def left_out(table: Table, prior: Prior) -> np.ndarray:
    """A row per sentence, from a fit that had not seen its repository."""
    found = np.zeros((len(table.turn), len(OUTPUTS)))
    parts = np.array([part_of(name) for name in table.repositories])
    for part in range(PARTS):
        rows = np.flatnonzero(parts[table.turn] == part)
        found[rows] = fit(table, np.flatnonzero(parts != part), prior).probabilities(table, rows)
    return found


def unseen(table: Table, cheap: np.ndarray, others: LeftOut) -> Unseen:
    """The sentences of a table as both readers find them that had not seen their repositories."""
    chosen = examples(table, np.arange(len(table.told)))
    truth, weights = np.zeros(cheap.shape, bool), np.zeros(len(cheap))
    truth[chosen.rows] = np.column_stack([chosen.keep, *(chosen.kind == kind for kind in KINDS)])
    weights[chosen.rows] = chosen.weights
    known = np.column_stack([weights > 0, *([truth[:, 0]] * len(KINDS))])
    told = others.read("sentence", OUTPUTS, table.passages, cheap)
    return Unseen(
        "sentence", OUTPUTS, cheap, told, truth, known, weights, parts_of(table.repositories[table.turn])
    )


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


def report(own: Judged, name: str) -> None:
    say(
        reader=name,
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
            reader=name,
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
        json.dumps({"benchmark": "plain", "left_out": "repository", **fields}, ensure_ascii=False),
        flush=True,
    )


def best_of(table: Table, found: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each turn that has such sentences: the score of the best of them, and whether the turn is kept."""
    best: dict[int, float] = {}
    for row in np.flatnonzero(rows):
        turn = int(table.turn[row])
        best[turn] = max(best.get(turn, 0.0), float(found[row, 0]))
    return np.array(list(best.values())), np.array([bool(table.told[turn].kind) for turn in best], dtype=bool)


def weighed(table: Table) -> dict[str, np.ndarray]:
    """The sentences that each bound is for: those that rules draw a lesson from, by its kind, and those that none
    tells."""
    parts = {kind: np.array([kind in rules for rules in table.rules]) for kind in RULE_KINDS}
    return {**parts, "told": np.logical_or.reduce(list(parts.values())), "free": table.free}


def report_bounds(table: Table, found: np.ndarray) -> None:
    """How often each bound is right, on all turns and on those drawn at random."""
    random = np.array([one.drawn == "random" for one in table.told])[table.turn]
    for part, rows in weighed(table).items():
        for name, own in (("all", rows), ("random", rows & random)):
            score, keep = best_of(table, found, own)
            shares = {str(b): f"{int(keep[score >= b].sum())}/{int((score >= b).sum())}" for b in BOUNDS}
            say(part=part, drawn=name, right_of=shares)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE")
    parser.add_argument("--told", type=Path, required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    told = load_told(args.data)
    table = describe(told)
    prior = Prior.load(PRIOR)
    own = fit(table, np.arange(len(table.told)), prior)
    both = unseen(table, left_out(table, prior), LeftOut(args.told))
    found = weighed_left_out(both)
    for name, likely in (("cheap", both.cheap), ("both", found)):
        report(judged(table, likely), name)
    report_bounds(table, found)
    made = {
        "made_by": "benchmarks/training/plain.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "turns": {
            "labelled": len(told),
            "repositories": len({one.repository for one in told}),
        },
        "sha256": {args.data.name: hashlib.sha256(args.data.read_bytes()).hexdigest()},
        "goes_on_from": prior.came_from,
        "outputs": list(OUTPUTS),
        "second": as_json(fit_second(both)),
        "bound": BOUND,
        "beside": BESIDE,
        "told": TOLD,
        "dense": dense_names(),
        **own.written(_UNIT),
    }
    args.out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{args.out}: {args.out.stat().st_size // 1024} KB, {len(made['grams'])} n-grams")


if __name__ == "__main__":
    main()
