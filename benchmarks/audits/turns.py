"""How well the classifier of human turns does on repositories it has not seen.

    python benchmarks/audits/turns.py [--people FILE]

One JSON object a line, from benchmarks/gold. Each repository of turns.jsonl is left out in turn: coefficients and
thresholds come from the others and from the written turns that are not held out, thresholds from a second leaving-out
among those. `cues`: the lists of cue words. `plain`, `with_vector`: the two sets of coefficients that ship.
`..._drawn_only`: the same without the written turns. `repository` rows are single ones; `summary` pools the left-out
predictions. macro_f1 is over acts with at least 20 turns in the part, macro_f1_all over all that occur. `written`:
the held-out quarter of what the project wrote; one writer, so it flatters. With FILE (turns of people in many
repositories, benchmarks/inputs/said.py) its turns are in the fit, leave in twelve parts, and are reported as
`people`; `..._shipped` is what the shipped coefficients say of them; thresholds come from one leaving-out of
everything, and there is no `drawn_only`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.turn_cues import cue_labels
from inputs.turns import WRITTEN, Labelled, load_people, load_turns, vectors_of
from training.acts import Table, describe, fit, fit_rows, groups, left_out, thresholds

from ultron_core.embeddings.local import local_embedder
from ultron_core.transcript.acts.reader import ACTS, choose, load_model, read_acts, read_many

#: people at work with an agent
NATIVE = frozenset({"specstory", "destyler", "pi"})
ENOUGH = 20
Predicted = dict[int, tuple[str, ...]]


def emit(**row: Any) -> None:
    print(json.dumps({"benchmark": "acts", **row}, ensure_ascii=False), flush=True)


def by_cues(rows: Sequence[Labelled]) -> Predicted:
    return {i: cue_labels(row.turn.text) for i, row in enumerate(rows)}


def by_model(table: Table, *, written: bool) -> Predicted:
    """Drawn turns with their repository left out; the written ones held out, by a fit on everything else."""
    used = fit_rows(table)
    drawn = np.flatnonzero(np.char.not_equal(table.repositories, WRITTEN))
    if not written:
        used = np.intersect1d(used, drawn)
    found: Predicted = {}
    for name in sorted(set(table.repositories[drawn])):
        _predict(
            table, used[table.repositories[used] != name], drawn[table.repositories[drawn] == name], found
        )
    held_out = np.array([i for i, row in enumerate(table.rows) if row.held_out])
    _predict(table, used, held_out, found)
    return found


def by_parts(table: Table) -> Predicted:
    """The same where repositories are many: one leaving-out gives probabilities and thresholds."""
    used = fit_rows(table)
    likely = left_out(table, used)
    found: Predicted = {}
    for group in groups(table, used):
        bounds = thresholds(table, np.setdiff1d(used, group), likely)
        found |= {int(row): choose(likely[row], bounds) for row in group}
    held_out = np.array([i for i, row in enumerate(table.rows) if row.held_out])
    bounds = thresholds(table, used, likely)
    for row, own in zip(held_out, fit(table, used).probabilities(table, held_out), strict=True):
        found[int(row)] = choose(own, bounds)
    return found


def by_shipped(rows: Sequence[Labelled], *, vectors: bool) -> Predicted:
    read = read_many([row.turn for row in rows], vectors_of(rows) if vectors else None)
    return {i: acts.labels for i, acts in enumerate(read)}


def _predict(table: Table, used: np.ndarray, tested: np.ndarray, found: Predicted) -> None:
    bounds = thresholds(table, used, left_out(table, used))
    for row, likely in zip(tested, fit(table, used).probabilities(table, tested), strict=True):
        found[int(row)] = choose(likely, bounds)


def scores(rows: Sequence[Labelled], part: Sequence[int], found: Predicted) -> dict[str, Any]:
    """Precision, recall and F1 of each act that occurs in the part or is named there, their means, main acts right."""
    acts: dict[str, Any] = {}
    for act in ACTS:
        wanted = [act in rows[i].labels for i in part]
        named = [act in found[i] for i in part]
        right = sum(w and n for w, n in zip(wanted, named, strict=True))
        if any(wanted) or any(named):
            acts[act] = {
                "turns": sum(wanted),
                "named": sum(named),
                "precision": round(right / sum(named), 3) if any(named) else None,
                "recall": round(right / sum(wanted), 3) if any(wanted) else None,
                "f1": round(2 * right / (sum(wanted) + sum(named)), 3),
            }
    f1 = {act: own["f1"] for act, own in acts.items() if own["turns"]}
    often = [value for act, value in f1.items() if acts[act]["turns"] >= ENOUGH]
    return {
        "turns": len(part),
        "macro_f1": round(float(np.mean(often)), 3) if often else None,
        "macro_f1_all": round(float(np.mean(list(f1.values()))), 3),
        "main_right": round(float(np.mean([found[i][0] == rows[i].labels[0] for i in part])), 3),
        "acts": acts,
    }


def parts(rows: Sequence[Labelled]) -> Iterator[tuple[str, list[int]]]:
    """(name, positions) of the parts that the summary reports."""
    wanted: dict[str, Callable[[Labelled], bool]] = {
        "drawn": lambda row: not (row.written or row.for_rule or row.people),
        "drawn_en": lambda row: not (row.written or row.for_rule or row.people) and row.lang == "en",
        "drawn_zh": lambda row: not (row.written or row.for_rule or row.people) and row.lang == "zh",
        "people": lambda row: row.people,
        "people_en": lambda row: row.people and row.lang == "en",
        "people_zh": lambda row: row.people and row.lang == "zh",
        "people_random": lambda row: row.people and not row.sought,
        "native": lambda row: row.repository in NATIVE,
        "taken_for_rules": lambda row: row.for_rule and not row.written,
        "written": lambda row: row.held_out and not row.for_rule,
        "written_en": lambda row: row.held_out and not row.for_rule and row.lang == "en",
        "written_zh": lambda row: row.held_out and not row.for_rule and row.lang == "zh",
        "rules_and_look_alikes": lambda row: row.held_out and row.for_rule,
    }
    for name, chosen in wanted.items():
        part = [i for i, row in enumerate(rows) if chosen(row)]
        if part:
            yield name, part


def report(rows: Sequence[Labelled], model: str, found: Predicted) -> None:
    for name in sorted({row.repository for row in rows if not row.people} - {WRITTEN}):
        own = [i for i, row in enumerate(rows) if row.repository == name and not row.for_rule]
        emit(repository=name, model=model, **scores(rows, own, found))
    for name, part in parts(rows):
        emit(summary=name, model=model, **scores(rows, part, found))


def cost(rows: Sequence[Labelled]) -> None:
    """Milliseconds of processor time: loading the coefficients, a turn by itself, and its vector on top."""
    load_model.cache_clear()
    start = time.process_time()
    load_model()
    loaded = time.process_time() - start
    drawn = [row.turn for row in rows if not row.written]
    start = time.process_time()
    for turn in drawn:
        read_acts(turn.text, turn.before, interrupted=turn.interrupted)
    each = (time.process_time() - start) / len(drawn)
    embed = local_embedder().embed
    embed(["warm"])
    start = time.process_time()
    for turn in drawn[:200]:
        embed([turn.text])
    vector = (time.process_time() - start) / 200
    emit(
        cost="ms",
        load=round(loaded * 1000, 1),
        turn=round(each * 1000, 2),
        vector_alone=round(vector * 1000, 2),
    )


def with_people(rows: Sequence[Labelled]) -> None:
    for name, vectors in (("plain", False), ("with_vector", True)):
        report(rows, f"{name}_shipped", by_shipped(rows, vectors=vectors))
        report(rows, name, by_parts(describe(rows, vectors=vectors)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--people", type=Path, metavar="FILE", help="labelled turns that are not in benchmarks/gold"
    )
    args = parser.parse_args()
    if args.people:
        with_people([*load_turns(), *load_people(args.people)])
        return
    rows = load_turns()
    cost(rows)
    report(rows, "cues", by_cues(rows))
    for name, vectors in (("plain", False), ("with_vector", True)):
        table = describe(rows, vectors=vectors)
        report(rows, name, by_model(table, written=True))
        report(rows, f"{name}_drawn_only", by_model(table, written=False))


if __name__ == "__main__":
    main()
