"""The network of ultron_core/redaction/names/network.py as it is fitted: forward, backward, Adam, all in numpy.

Words, their features and the sizes come from there; here is what fitting adds. A batch is one long row of words with
empty rows between two sentences, as there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ultron_core.redaction.names.network import FLAGS, GROUPS, NEAR, NEXT, ROWS, features

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Weights = dict[str, Floats]
#: of a table of rows: which rows, and the gradient of each
Sparse = tuple[Ints, Floats]

#: numbers of a word's row and of a group's; units of the first layer and of the second
WIDTH, UNITS, LAST = 48, 96, 64
_SEEN = 2 * WIDTH + FLAGS
#: share of what is seen, and of units, that a step keeps
_KEEP_SEEN, _KEEP_UNITS = 0.85, 0.75
#: Adam (Kingma and Ba, 2015), with their decay of both moments
_FIRST, _SECOND, _EPSILON = 0.9, 0.999, 1e-7
#: of the layers' weights, by step and rate
_DECAY = 1e-6
_TINY = 1e-7

word_features = cache(features)


@dataclass(frozen=True)
class Batch:
    #: row of the word at each position, -1 where it is empty
    rows: Ints
    #: row of each group of letters, and the position it belongs to
    groups: Ints
    owners: Ints
    flags: Floats
    #: positions of words
    words: Ints


@dataclass(frozen=True)
class Pass:
    logits: Floats
    near: Floats
    hidden: Floats
    next: Floats
    top: Floats
    #: one by the number of a position's groups
    share: Floats
    kept: Floats


def new_weights(seed: int = 1) -> Weights:
    """As He et al. (2015) scale them; the answer begins at one word in eight."""
    chance = np.random.default_rng(seed)

    def layer(inputs: int, outputs: int) -> Floats:
        return (chance.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)).astype(np.float32)

    return {
        "words": (chance.standard_normal((ROWS, WIDTH)) * 0.1).astype(np.float32),
        "groups": (chance.standard_normal((GROUPS, WIDTH)) * 0.1).astype(np.float32),
        "near": layer(_SEEN * (2 * NEAR + 1), UNITS),
        "near_bias": np.zeros(UNITS, np.float32),
        "next": layer(UNITS * (2 * NEXT + 1), LAST),
        "next_bias": np.zeros(LAST, np.float32),
        "last": layer(LAST, 1) * np.float32(0.3),
        "last_bias": np.full(1, -2, np.float32),
    }


def batch_of(sentences: Sequence[Sequence[str]]) -> Batch:
    empty = [0.0] * FLAGS
    rows: list[int] = [-1] * (NEAR + NEXT)
    flags: list[list[float]] = [empty] * (NEAR + NEXT)
    groups: list[int] = []
    owners: list[int] = []
    words: list[int] = []
    for sentence in sentences:
        for word in sentence:
            row, own, signs = word_features(word)
            groups += own
            owners += [len(rows)] * len(own)
            words.append(len(rows))
            rows.append(row)
            flags.append(signs)
        rows += [-1] * (NEAR + NEXT)
        flags += [empty] * (NEAR + NEXT)
    integers = [np.array(values, np.int64) for values in (rows, groups, owners, words)]
    return Batch(integers[0], integers[1], integers[2], np.array(flags, np.float32), integers[3])


def likely(weights: Weights, batch: Batch) -> Floats:
    """How likely each word is part of a name, without anything dropped."""
    odds: Floats = 1 / (1 + np.exp(-forward(weights, batch, None).logits[batch.words]))
    return odds


def forward(weights: Weights, batch: Batch, chance: np.random.Generator | None) -> Pass:
    """With `chance` some of what is seen and some units are dropped."""
    filled = (batch.rows >= 0)[:, None]
    letters, share = _letters(weights["groups"], batch)
    seen = np.concatenate([weights["words"][np.maximum(batch.rows, 0)] * filled, letters, batch.flags], 1)
    kept = _kept(seen.shape, _KEEP_SEEN, chance)
    near = _windows(seen * kept, NEAR)
    hidden = np.maximum(near @ weights["near"] + weights["near_bias"], 0) * filled
    hidden = hidden * _kept(hidden.shape, _KEEP_UNITS, chance)
    beyond = _windows(hidden, NEXT)
    top = np.maximum(beyond @ weights["next"] + weights["next_bias"], 0)
    top = top * _kept(top.shape, _KEEP_UNITS, chance)
    logits = (top @ weights["last"] + weights["last_bias"])[:, 0]
    return Pass(logits, near, hidden, beyond, top, share, kept)


def _letters(table: Floats, batch: Batch) -> tuple[Floats, Floats]:
    """The mean of the groups at each position."""
    count = len(batch.rows)
    mean = np.zeros((count, table.shape[1]), np.float32)
    if len(batch.groups):
        first = np.flatnonzero(np.r_[True, batch.owners[1:] != batch.owners[:-1]])
        mean[batch.owners[first]] = np.add.reduceat(table[batch.groups], first, axis=0)
    share = (1 / np.maximum(np.bincount(batch.owners, minlength=count), 1)).astype(np.float32)
    return mean * share[:, None], share


def _kept(shape: tuple[int, ...], share: float, chance: np.random.Generator | None) -> Floats:
    if chance is None:
        return np.ones(shape, np.float32)
    return ((chance.random(shape) > 1 - share) / share).astype(np.float32)


def backward(
    weights: Weights, batch: Batch, answers: Floats, trust: Floats, chance: np.random.Generator | None
) -> tuple[float, dict[str, Floats], dict[str, Sparse]]:
    """Loss, and its gradients by the layers and by the tables; `trust` weighs each word."""
    run = forward(weights, batch, chance)
    odds = 1 / (1 + np.exp(-run.logits[batch.words]))
    whole = max(float(trust.sum()), 1.0)
    certain = answers * np.log(odds + _TINY) + (1 - answers) * np.log(1 - odds + _TINY)
    out = np.zeros((len(batch.rows), 1), np.float32)
    out[batch.words, 0] = (odds - answers) * trust / whole
    scale = 1.0 if chance is None else 1 / _KEEP_UNITS
    # a unit that was dropped is zero, as one below zero is
    top = (out @ weights["last"].T) * (run.top > 0) * np.float32(scale)
    hidden = _unwindowed(top @ weights["next"].T, NEXT) * (run.hidden > 0) * np.float32(scale)
    seen = _unwindowed(hidden @ weights["near"].T, NEAR) * run.kept
    layers = {
        "last": run.top.T @ out,
        "last_bias": out.sum(0),
        "next": run.next.T @ top,
        "next_bias": top.sum(0),
        "near": run.near.T @ hidden,
        "near_bias": hidden.sum(0),
    }
    filled = batch.rows >= 0
    letters = (seen[:, WIDTH : 2 * WIDTH] * run.share[:, None])[batch.owners]
    tables = {"words": (batch.rows[filled], seen[filled, :WIDTH]), "groups": (batch.groups, letters)}
    return -float((trust * certain).sum()) / whole, layers, tables


def _windows(rows: Floats, reach: int) -> Floats:
    edge = np.zeros((reach, rows.shape[1]), np.float32)
    wide = np.concatenate([edge, rows, edge])
    return np.concatenate([wide[at : at + len(rows)] for at in range(2 * reach + 1)], 1)


def _unwindowed(gradient: Floats, reach: int) -> Floats:
    """Each row's gradient from all windows that held it."""
    count, width = len(gradient), gradient.shape[1] // (2 * reach + 1)
    wide = np.zeros((count + 2 * reach, width), np.float32)
    for at in range(2 * reach + 1):
        wide[at : at + count] += gradient[:, at * width : (at + 1) * width]
    return wide[reach : reach + count]


class Adam:
    """Changes the weights in place. Rows of a table that a batch does not hold stay as they are, moments too."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._first = {name: np.zeros_like(values) for name, values in weights.items()}
        self._second = {name: np.zeros_like(values) for name, values in weights.items()}
        self._steps = 0

    def step(self, layers: dict[str, Floats], tables: dict[str, Sparse], rate: float) -> None:
        self._steps += 1
        kept = 1 - rate * _DECAY
        rate *= float(np.sqrt(1 - _SECOND**self._steps) / (1 - _FIRST**self._steps))
        for name, gradient in layers.items():
            self._weights[name] *= np.float32(kept)
            self._move(name, slice(None), gradient, rate)
        for name, (rows, gradients) in tables.items():
            if len(rows):
                once, where = np.unique(rows, return_inverse=True)
                summed = np.zeros((len(once), gradients.shape[1]), np.float32)
                np.add.at(summed, where, gradients)
                self._move(name, once, summed, rate)

    def _move(self, name: str, rows: slice | Ints, gradient: Floats, rate: float) -> None:
        first = _FIRST * self._first[name][rows] + (1 - _FIRST) * gradient
        second = _SECOND * self._second[name][rows] + (1 - _SECOND) * gradient * gradient
        self._first[name][rows], self._second[name][rows] = first, second
        self._weights[name][rows] -= (rate * first / (np.sqrt(second) + _EPSILON)).astype(np.float32)


def write(weights: Weights, file: Path) -> None:
    """As it is shipped: 16 bits each, 2.1 MB, read back as 32."""
    with file.open("wb") as out:
        np.savez_compressed(out, **{name: values.astype(np.float16) for name, values in weights.items()})
