"""Fit the network that reads turns and sentences, and write ultron_core/transcript/sense/network.npz.

    python -m training.sense.fit --base FILE --answers FILE [FILE ...] --turns FILE [--layers 6] [--epochs 3]

It runs from benchmarks/ in an environment of its own with torch (2.13.0 on processors) beside the project. `--base` is
the network that it goes on from (base.py); the other files hold labelled answers and turns (benchmarks/inputs), to
which come the turns of benchmarks/gold. The first layers of the base are taken, the very first and the table of words
stay as they are, the others learn all questions together. One repository in five is held back (training/grams.py).
Prints how the network ranks what was held back, after each round.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from inputs.answers import load_answers
from inputs.said import load_told
from inputs.turns import load_turns
from torch.nn import functional
from training.grams import held_back
from training.second import ranked

from ultron_core.transcript.sense.pieces import PAD, Pieces
from ultron_core.transcript.sense.reader import OUTPUTS, numbered

from .base import load_base
from .network import DROPPED, Network
from .pieces import kept_pieces
from .rows import rows_of
from .write import write

OUT = Path(__file__).resolve().parents[3] / "ultron_core" / "transcript" / "sense" / "network.npz"
#: rows of a step, and how many are sorted by length together
TOGETHER, SORTED = 32, 20
RATE, RATE_OF_HEADS, DECAY, WARM, LEAST = 1e-4, 2e-3, 0.02, 0.1, 0.02

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
    with torch.autocast("cpu", dtype=torch.bfloat16):
        vectors = network(*padded(batch))
    vectors = functional.dropout(vectors.float(), DROPPED)
    total = torch.zeros(())
    for question, head in network.heads.items():
        own = [at for at, row in enumerate(batch) if row[0] == question]
        if own:
            truth = torch.tensor([batch[at][2] for at in own], dtype=torch.float)
            weights = torch.tensor([batch[at][3] for at in own])
            each = functional.binary_cross_entropy_with_logits(head(vectors[own]), truth, reduction="none")
            total = total + (weights * each).sum() / TOGETHER
    return total


def report(network: Network, rows: Sequence[Numbered], epoch: int) -> None:
    network.eval()
    for question, outputs in OUTPUTS.items():
        own = [row for row in rows if row[0] == question]
        with torch.no_grad():
            parts = [network(*padded(own[at : at + 64])) for at in range(0, len(own), 64)]
            odds = network.heads[question](torch.cat(parts)).numpy()
        for column, output in enumerate(outputs):
            known = np.array([row[3][column] > 0 for row in own])
            truth = np.array([row[2][column] for row in own])[known]
            if 0 < truth.sum() < len(truth):
                told = ranked(truth, odds[known, column])
                print(
                    json.dumps({"round": epoch, "question": question, "output": output, **told}), flush=True
                )
    network.train()


def fit(network: Network, rows: Sequence[Numbered], held: Sequence[Numbered], epochs: int) -> None:
    heads = list(network.heads.parameters())
    learning = [value for layer in list(network.layers)[1:] for value in layer.parameters()]
    optimizer = torch.optim.AdamW([{"params": learning}, {"params": heads}], weight_decay=DECAY)
    steps, step, order = epochs * (len(rows) // TOGETHER + 1), 0, random.Random(0)
    network.train()
    for epoch in range(epochs):
        for batch in batches(rows, order):
            share = min(1.0, step / (WARM * steps)) * max(LEAST, 1 - step / steps)
            for group, rate in zip(optimizer.param_groups, (RATE, RATE_OF_HEADS), strict=True):
                group["lr"] = rate * share
            optimizer.zero_grad()
            loss_of(network, batch).backward()
            torch.nn.utils.clip_grad_norm_([*learning, *heads], 1.0)
            optimizer.step()
            step += 1
        report(network, held, epoch)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, required=True, metavar="FILE")
    parser.add_argument("--answers", type=Path, required=True, nargs="+", metavar="FILE")
    parser.add_argument("--turns", type=Path, required=True, metavar="FILE")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    torch.manual_seed(0)
    base, gold = load_base(args.base), [row for row in load_turns() if not row.held_out]
    rows = rows_of(load_answers(*args.answers), load_told(args.turns), gold)
    kept = kept_pieces(base, rows)
    pieces = Pieces([base.pieces[at] for at in kept], [float(base.scores[at]) for at in kept])
    own = [
        (row, (row.question, numbered(row.question, row.pair, pieces), row.truth, row.weights))
        for row in rows
    ]
    network = Network(base, kept, args.layers, {name: len(outputs) for name, outputs in OUTPUTS.items()})
    known = [one for row, one in own if not held_back(row.repository) and any(row.weights)]
    fit(network, known, [one for row, one in own if held_back(row.repository)], args.epochs)
    write(args.out, network, base, kept)
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.1f} MB, {len(kept)} pieces")


if __name__ == "__main__":
    main()
