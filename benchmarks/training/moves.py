"""Fit what a turn says of the work before it, and write ultron_core/transcript/acts/moves.json.

    python benchmarks/training/moves.py --data FILE [--sessions DIR] [--out FILE]

FILE holds labelled turns (benchmarks/inputs/said.py) with `labels`, `new_task` and `previous_done`; only turns that
answer an agent count. To `opens` come the turns of the marked native sessions of DIR outside the reserve
(benchmarks/gold/boundaries.jsonl), each source a repository. One logistic regression per move on the features of
ultron_core.transcript.acts.moves. The acts that it reads are from fits that had not seen the turn's repository, as
they are of a turn that nobody has seen. Prints, repositories left out in twelve parts, how often each bound is right;
from the bound that is chosen on four in five are right. `--weigh` keeps the coefficients and weighs the network of
transcript/sense against them, by what `--told` has from networks that had not seen the turns' repositories.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.marked import GOLD, REPOSITORY, fit_sessions
from inputs.places import data_folder
from inputs.said import load_told
from inputs.turns import load_people, load_turns
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from training import acts
from training.second import LeftOut, Unseen, as_json, fit_second, parts_of, weighed_left_out

from ultron_core.segments.offline.turns import turns_of
from ultron_core.transcript.acts.features import HumanTurn
from ultron_core.transcript.acts.moves import MOVES, describe_moves, load_moves, move_names
from ultron_core.transcript.acts.reader import load_model

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "ultron_core" / "transcript" / "acts" / "moves.json"
STRENGTH = 0.1
#: parts in which repositories leave
FOLDS = 12
BOUNDS = np.round(np.arange(0.1, 0.91, 0.05), 2)
#: so many of the turns that are told must be right
RIGHT = {"opens": 0.4, "done": 0.8, "failed": 0.8}


@dataclass(frozen=True)
class Row:
    """A turn, and for each of MOVES whether it makes it; None where nobody said."""

    turn: HumanTurn
    repository: str
    truth: tuple[bool | None, ...]
    drawn: str
    #: probabilities of its acts, its repository left out; None where the shipped ones never saw it
    acts: np.ndarray | None = None


@dataclass(frozen=True)
class Table:
    rows: list[Row]
    dense: np.ndarray

    @property
    def repositories(self) -> np.ndarray:
        return np.array([row.repository for row in self.rows])

    def known(self, move: int) -> np.ndarray:
        """Rows of which somebody said whether they make the move."""
        return np.array([row.truth[move] is not None for row in self.rows])

    def truth(self, move: int) -> np.ndarray:
        return np.array([bool(row.truth[move]) for row in self.rows])


def told_rows(path: Path) -> Iterator[Row]:
    """Turns of single sessions; before the first act of an agent nothing is opened and nothing told."""
    likely = left_out_acts(path)
    for row in told_turns(path):
        yield dataclasses.replace(row, acts=likely.get((row.repository, row.turn)))


def left_out_acts(path: Path) -> dict[tuple[str, HumanTurn], np.ndarray]:
    """What acts a turn of the file has, from fits that had not seen its repository."""
    rows = [*load_turns(), *load_people(path)]
    table = acts.describe(rows, vectors=False)
    likely = acts.left_out(table, acts.fit_rows(table))
    return {(row.repository, row.turn): likely[i] for i, row in enumerate(rows) if row.people}


def marked_rows(sessions: Path) -> Iterator[Row]:
    """The turns of the marked sessions: which of them open a task, and nothing else."""
    for dialogue in fit_sessions(sessions):
        for turn in turns_of(dialogue.messages)[1:]:
            if turn.may_start and turn.act.strip():
                opens = turn.start in dialogue.boundaries
                yield Row(turn.described, REPOSITORY[dialogue.group], (opens, None, None), "marked")


def describe(rows: Sequence[Row]) -> Table:
    shipped = load_model().probabilities([row.turn for row in rows])
    likely = np.array([own if row.acts is None else row.acts for row, own in zip(rows, shipped, strict=True)])
    return Table(list(rows), describe_moves([row.turn for row in rows], likely))


@dataclass(frozen=True)
class Fit:
    intercept: np.ndarray
    dense: np.ndarray

    def probabilities(self, table: Table, rows: np.ndarray) -> np.ndarray:
        found: np.ndarray = 1.0 / (1.0 + np.exp(-(self.intercept + table.dense[rows] @ self.dense)))
        return found


def fit(table: Table, rows: np.ndarray) -> Fit:
    columns, intercepts = [], []
    for number in range(len(MOVES)):
        own = rows[table.known(number)[rows]]
        model = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=500, random_state=0)
        model.fit(table.dense[own], table.truth(number)[own])
        columns.append(model.coef_[0])
        intercepts.append(float(model.intercept_[0]))
    return Fit(np.array(intercepts), np.array(columns).T)


def folds(table: Table) -> np.ndarray:
    """The part that each turn leaves with: all of a repository together."""
    digests = (hashlib.sha256(name.encode()).hexdigest() for name in table.repositories)
    return np.array([int(digest, 16) % FOLDS for digest in digests])


def left_out(table: Table) -> np.ndarray:
    """A row per turn, from a fit that has seen nothing of its repository."""
    found = np.zeros((len(table.rows), len(MOVES)))
    parts = folds(table)
    for part in sorted(set(parts)):
        rows = np.flatnonzero(parts == part)
        found[rows] = fit(table, np.flatnonzero(parts != part)).probabilities(table, rows)
    return found


def report(table: Table, found: np.ndarray) -> None:
    drawn = np.array([row.drawn for row in table.rows])
    for number, move in enumerate(MOVES):
        for part in ("all", "random", "marked"):
            own = table.known(number) & ((drawn == part) | (part == "all"))
            truth, likely = table.truth(number)[own], found[own, number]
            if not 0 < truth.sum() < len(truth):
                continue
            say(
                move=move,
                part=part,
                turns=len(truth),
                true=int(truth.sum()),
                predicted=round(float(likely.mean()), 3),
                auc=round(float(roc_auc_score(truth, likely)), 3),
                right_of={str(b): share(truth, likely >= b) for b in BOUNDS},
            )


def share(truth: np.ndarray, told: np.ndarray) -> str:
    return f"{int(truth[told].sum())}/{int(told.sum())}"


def bounds_of(table: Table, found: np.ndarray) -> dict[str, float]:
    """For each move the least bound from which on enough are right, of all turns and of those drawn at random."""
    random = np.array([row.drawn == "random" for row in table.rows])
    made = {}
    for number, move in enumerate(MOVES):
        known, truth, likely = table.known(number), table.truth(number), found[:, number]
        good = [
            float(bound)
            for bound in BOUNDS
            if min(precision(truth, own & (likely >= bound)) for own in (known, known & random))
            >= RIGHT[move]
        ]
        made[move] = good[0] if good else 1.01
    return made


def precision(truth: np.ndarray, told: np.ndarray) -> float:
    return float(truth[told].mean()) if told.any() else 1.0


def say(**fields: object) -> None:
    print(
        json.dumps({"benchmark": "moves", "left_out": "repository", **fields}, ensure_ascii=False), flush=True
    )


def train(table: Table, found: np.ndarray, data: Path) -> dict[str, Any]:
    """What moves.json holds."""
    own = fit(table, np.arange(len(table.rows)))
    return {
        "made_by": "benchmarks/training/moves.py",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "turns": {move: int(table.known(number).sum()) for number, move in enumerate(MOVES)},
        "repositories": len(set(table.repositories)),
        "sha256": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (data, GOLD)},
        "bounds": bounds_of(table, found),
        "features": move_names(),
        "intercept": {move: round(float(own.intercept[n]), 4) for n, move in enumerate(MOVES)},
        "weights": {
            move: [round(float(v), 4) for v in own.dense[:, number]] for number, move in enumerate(MOVES)
        },
    }


def weigh(data: Path, others: LeftOut, out: Path) -> None:
    """How the shipped coefficients and the network are weighed, and the bounds, on the turns of `data`: the
    coefficients know nothing of them, and `others` are of networks that had not seen their repositories."""
    rows = list(told_turns(data))
    model = dataclasses.replace(load_moves(), second=None)
    table = Table(rows, describe_moves([row.turn for row in rows]))
    cheap = model.probabilities(table.dense)
    known = np.column_stack([table.known(number) for number in range(len(MOVES))])
    truth = np.column_stack([table.truth(number) for number in range(len(MOVES))])
    told = others.read("turn", MOVES, [row.turn.passage for row in rows], cheap)
    own = Unseen(
        "turn",
        MOVES,
        cheap,
        told,
        truth,
        known,
        np.ones(len(rows)),
        parts_of([*table.repositories]),
    )
    report(table, cheap)
    found = weighed_left_out(own)
    report(table, found)
    raw = json.loads(OUT.read_text("utf-8"))
    raw["weighed_on"] = {"turns": len(rows), "sha256": hashlib.sha256(data.read_bytes()).hexdigest()}
    raw["second"] = as_json(fit_second(own))
    raw["bounds"] = bounds_of(table, found)
    out.write_text(json.dumps(raw, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{out}: bounds {raw['bounds']}")


def told_turns(path: Path) -> Iterator[Row]:
    """Turns of single sessions that answer an agent, without what acts they have."""
    for told in load_told(path):
        if told.turn.before.strip():
            done = told.previous_done
            verdict = (done == "yes", done == "no") if done else (None, None)
            yield Row(told.turn, told.repository, (told.new_task, *verdict), told.drawn)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FILE")
    parser.add_argument("--sessions", type=Path, default=data_folder(), metavar="DIR")
    parser.add_argument(
        "--told", type=Path, metavar="FILE", help="what networks say that did not see the repository"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument(
        "--weigh", action="store_true", help="keep the coefficients, weigh the network against them"
    )
    args = parser.parse_args()
    if args.weigh:
        weigh(args.data, LeftOut(args.told), args.out)
        return
    table = describe([*told_rows(args.data), *marked_rows(args.sessions)])
    found = left_out(table)
    report(table, found)
    made = train(table, found, args.data)
    args.out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{args.out}: {args.out.stat().st_size // 1024} KB, bounds {made['bounds']}")


if __name__ == "__main__":
    main()
