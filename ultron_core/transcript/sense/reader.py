"""What the network says of words beside what was said before them.

    sense = load_sense()
    sense.odds("answer", [("Root cause: ", "The port was taken by a container that had not stopped.")])

A row of log-odds per pair. Three questions, whose answers are named in OUTPUTS: a sentence of an agent, a sentence of a
person, a person's turn as a whole. The network is made by benchmarks/training/sense.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from ultron_core.transcript.sense.encoder import encode
from ultron_core.transcript.sense.pieces import BEGIN, END, Pieces
from ultron_core.transcript.sense.weights import Weights, load_weights

__all__ = ["OUTPUTS", "Pair", "Question", "Sense", "load_sense", "numbered"]

Question = Literal["answer", "sentence", "turn"]
#: what was said before, and the words that are read
Pair = tuple[str, str]
Matrix = npt.NDArray[np.float64]

OUTPUTS: Final[Mapping[Question, tuple[str, ...]]] = {
    "answer": ("keep", "error", "fact", "decision", "pattern"),
    "sentence": ("keep", "preference", "correction", "decision", "fact"),
    "turn": (
        *("opens", "done", "failed", "keep"),
        *("objection", "rule", "instruction", "fact", "acceptance", "praise", "other"),
    ),
}
#: pieces of what stands before, of the words themselves, and how many of those are their end where they are cut
_LENGTHS: Final[Mapping[Question, tuple[int, int, int]]] = {
    "answer": (24, 56, 0),
    "sentence": (24, 56, 0),
    "turn": (40, 72, 20),
}
#: pairs whose odds are kept: labels, boundaries and memories ask about the same turns
_REMEMBERED: Final = 2_000


class Sense:
    """Loaded once; safe between threads. One BLAS thread: more cost many times as much on busy cores."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._threads: Any = ThreadpoolController()
        self._lock = threading.Lock()
        self._known: dict[tuple[Question, tuple[int, ...]], Matrix] = {}

    def odds(self, question: Question, pairs: Sequence[Pair]) -> Matrix:
        """A row per pair, a column per output of the question; what was read lately is not read again."""
        keys = [(question, numbered(question, pair, self._weights.pieces)) for pair in pairs]
        known = self._known  # another thread may put a new one in its place
        new = [key for key in dict.fromkeys(keys) if key not in known]
        told = dict(zip(new, self._read(question, [row for _, row in new]), strict=True))
        found = [told[key] if key in told else known[key] for key in keys]
        self._known = {**(known if len(known) < _REMEMBERED else {}), **told}
        return np.array(found).reshape(len(pairs), len(OUTPUTS[question]))

    def _read(self, question: Question, rows: Sequence[tuple[int, ...]]) -> Matrix:
        matrix, shift = self._weights.heads[question]
        if not rows:
            return np.zeros((0, len(shift)))
        with self._lock, self._threads.limit(limits=1, user_api="blas"):
            # one by one: a product of matrices gives other last digits than one of a vector
            found = [vector @ matrix + shift for vector in encode(rows, self._weights)]
        return np.array(found, dtype=np.float64)


def numbered(question: Question, pair: Pair, pieces: Pieces) -> tuple[int, ...]:
    """The pair as the network reads it: the end of what stands before, then the words."""
    before, words, end = _LENGTHS[question]
    own = pieces.ids(pair[1], words)
    if end and len(own) == words:
        own = [*own[: words - end], *pieces.ids(pair[1], end, last=True)]
    return (BEGIN, *pieces.ids(pair[0], before, last=True), END, *own, END)


_LOADING: Final = threading.Lock()


def load_sense() -> Sense:
    """The network that ships with this version; loading takes about a fifth of a second, once."""
    with _LOADING:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Sense:
    return Sense(load_weights())
