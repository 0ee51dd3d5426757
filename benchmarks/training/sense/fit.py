"""Fit the network that reads turns and sentences, and write ultron_core/transcript/sense/network.npz.

    python -m training.sense.fit --answers FILE [FILE ...] --turns FILE --told FILE [--base FILE]

It runs from benchmarks/ in an environment of its own with torch (2.13.0 on processors) beside the project. It goes on
from the network that ships, whose texts are not kept; with `--base` it begins anew, from the first layers of that file
(base.py). The other files hold labelled answers and turns (benchmarks/inputs), to which come the turns of
benchmarks/gold. The network that ships was fitted on single sentences of answers, by an earlier form of rows.py. The
very first layer and the table of words stay as they are, the others learn all questions together. First it is fitted
once for each part of the repositories (training/grams.py) without that part: what those networks say of what they had
not seen is printed, and written to `--told`, by which the readers are weighed. Then on everything.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from inputs.answers import load_answers
from inputs.said import load_told
from inputs.turns import load_turns
from torch.nn import functional
from training.grams import PARTS, part_of
from training.second import ranked

from ultron_core.transcript.sense.pieces import PAD, Pieces
from ultron_core.transcript.sense.reader import OUTPUTS, numbered
from ultron_core.transcript.sense.weights import load_weights

from .base import load_base
from .network import DROPPED, Network, from_base, from_shipped
from .pieces import kept_pieces
from .rows import Row, rows_of
from .write import Table, table_of_base, table_of_file, write

OUT = Path(__file__).resolve().parents[3] / "ultron_core" / "transcript" / "sense" / "network.npz"
#: rows of a step, and how many are sorted by length together
TOGETHER, SORTED = 32, 20
DECAY, WARM, LEAST = 0.02, 0.1, 0.02
#: how often a turn is learned without what was asked before it: a log may begin there
UNASKED = 0.15


class Pace(NamedTuple):
    """Rounds, and rates of the layers and of the heads."""

    rounds: int
    rate: float
    heads: float


#: more rounds than two rank what is left out no better for a network that goes on
ANEW, GOES_ON = Pace(3, 1e-4, 2e-3), Pace(2, 6e-5, 5e-4)

#: numbers of the pieces, truth and weights
Numbered = tuple[str, tuple[int, ...], tuple[bool, ...], tuple[float, ...]]


def batches(rows: Sequence[Numbered], order: random.Random) -> Iterator[list[Numbered]]:
    mixed = list(rows)
    order.shuffle(mixed)
    found = []
    for start in range(0, len(mixed), TOGETHER * SORTED):
        part = sorted(mixed[start : start + TOGETHER * SORTED], key=lambda row: len(row[1]))
        found += [part[at : at + TOGETHER] for at in range(0, len(part), TOGETHER)]
    order.shuffle(found)
    yield from found


def padded(rows: Sequence[Numbered]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(row[1]) for row in rows)
    ids = torch.full((len(rows), longest), PAD)
    for at, row in enumerate(rows):
        ids[at, : len(row[1])] = torch.tensor(row[1])
    return ids, torch.arange(longest) < torch.tensor([len(row[1]) for row in rows])[:, None]


def loss_of(network: Network, batch: Sequence[Numbered]) -> torch.Tensor:
    vectors = functional.dropout(network(*padded(batch)), DROPPED)
    total = torch.zeros(())
    for question, head in network.heads.items():
        own = [at for at, row in enumerate(batch) if row[0] == question]
        if own:
            truth = torch.tensor([batch[at][2] for at in own], dtype=torch.float)
            weights = torch.tensor([batch[at][3] for at in own])
            each = functional.binary_cross_entropy_with_logits(head(vectors[own]), truth, reduction="none")
            total = total + (weights * each).sum() / TOGETHER
    return total


def fit(network: Network, rows: Sequence[Numbered], pace: Pace) -> None:
    heads = list(network.heads.parameters())
    learning = [value for layer in list(network.layers)[1:] for value in layer.parameters()]
    optimizer = torch.optim.AdamW([{"params": learning}, {"params": heads}], weight_decay=DECAY)
    steps, step, order = pace.rounds * (len(rows) // TOGETHER + 1), 0, random.Random(0)
    network.train()
    for number in range(pace.rounds):
        for batch in batches(rows, order):
            share = min(1.0, step / (WARM * steps)) * max(LEAST, 1 - step / steps)
            for group, rate in zip(optimizer.param_groups, (pace.rate, pace.heads), strict=True):
                group["lr"] = rate * share
            optimizer.zero_grad()
            loss_of(network, batch).backward()
            torch.nn.utils.clip_grad_norm_([*learning, *heads], 1.0)
            optimizer.step()
            step += 1
        print(json.dumps({"round": number, "steps": step}), flush=True)


@torch.no_grad()
def told_of(network: Network, rows: Sequence[Numbered]) -> list[np.ndarray]:
    """Log-odds of each row, in their order."""
    network.eval()
    found: list[np.ndarray] = [np.zeros(0)] * len(rows)
    order = sorted(range(len(rows)), key=lambda at: len(rows[at][1]))
    for start in range(0, len(order), 64):
        own = order[start : start + 64]
        for at, vector in zip(own, network(*padded([rows[at] for at in own])), strict=True):
            found[at] = network.heads[rows[at][0]](vector).numpy()
    return found


def report(rows: Sequence[Row], odds: Sequence[np.ndarray]) -> None:
    for question, outputs in OUTPUTS.items():
        own = [at for at, row in enumerate(rows) if row.question == question]
        for column, output in enumerate(outputs):
            known = [at for at in own if rows[at].weights[column] > 0]
            truth = np.array([rows[at].truth[column] for at in known])
            if 0 < truth.sum() < len(truth):
                told = ranked(truth, np.array([odds[at][column] for at in known]))
                counts = {"rows": len(truth), "true": int(truth.sum())}
                print(json.dumps({"question": question, "output": output, **counts, **told}), flush=True)


def learned(rows: Sequence[Row], pieces: Pieces) -> list[Numbered]:
    """The rows of which something is known, some turns without what was asked before."""
    chance, found = random.Random(1), []
    for row in rows:
        if any(row.weights):
            cut = row.question == "turn" and chance.random() < UNASKED
            passage = ("", *row.passage[1:]) if cut else row.passage
            found.append((row.question, numbered(row.question, passage, pieces), row.truth, row.weights))
    return found


def leave_out(
    rows: Sequence[Row], pieces: Pieces, begin: Callable[[], Network], pace: Pace
) -> Iterator[tuple[Row, np.ndarray]]:
    """Each labelled passage of people's own files with what a network says of it that had not seen its repository."""
    for part in range(PARTS):
        unseen = [row for row in rows if row.leaves and part_of(row.repository) == part]
        others = [row for row in rows if not (row.leaves and part_of(row.repository) == part)]
        network = begin()
        fit(network, learned(others, pieces), pace)
        numbers = [(row.question, numbered(row.question, row.passage, pieces), (), ()) for row in unseen]
        yield from zip(unseen, told_of(network, numbers), strict=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--answers", type=Path, required=True, nargs="+", metavar="FILE")
    parser.add_argument("--turns", type=Path, required=True, metavar="FILE")
    parser.add_argument("--told", type=Path, required=True, metavar="FILE")
    parser.add_argument("--base", type=Path, metavar="FILE")
    parser.add_argument("--layers", type=int, default=6, help="of the base")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    gold = [row for row in load_turns() if not row.held_out]
    rows = rows_of(load_answers(*args.answers), load_told(args.turns), gold)
    table, begin = start_of(args.base, args.layers, rows)
    pieces, pace = table.pieces, ANEW if args.base else GOES_ON
    found = list(leave_out(rows, pieces, begin, pace))
    report([row for row, _ in found], [odds for _, odds in found])
    with args.told.open("w", encoding="utf-8") as out:
        for row, odds in found:
            line = {"question": row.question, "passage": row.passage, "odds": odds.round(4).tolist()}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    network = begin()
    fit(network, learned(rows, pieces), pace)
    write(args.out, network, table)
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.1f} MB")


def start_of(base: Path | None, layers: int, rows: Sequence[Row]) -> tuple[Table, Callable[[], Network]]:
    """The table of pieces, and what makes the network that a fit begins with, the same each time."""
    questions = {name: len(outputs) for name, outputs in OUTPUTS.items()}

    def seeded(made: Callable[[], Network]) -> Callable[[], Network]:
        def begin() -> Network:
            torch.manual_seed(0)
            return made()

        return begin

    if base is None:
        return table_of_file(OUT), seeded(lambda: from_shipped(load_weights(), questions))
    loaded = load_base(base)
    kept = kept_pieces(loaded, rows)
    return table_of_base(loaded, kept), seeded(lambda: from_base(loaded, kept, layers, questions))


if __name__ == "__main__":
    main()
