"""What the network says of words beside what was said before them.

    sense = load_sense()
    sense.odds("answer", [("Root cause: ", "The port was taken by a container that had not stopped.")])

A row of log-odds per passage. Three questions, whose answers are named in OUTPUTS: a sentence of an agent (behind what
leads to it), a sentence of a person (behind what the agent said), and a person's turn as a whole, behind what was asked
and answered before. What kind of thing a sentence says, `natures` tells beside it (nature.py). The network is made by
benchmarks/training/sense.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from ultron_core.transcript.sense.encoder import encode
from ultron_core.transcript.sense.nature import Natures, Question, load_natures
from ultron_core.transcript.sense.pieces import BEGIN, END, Pieces
from ultron_core.transcript.sense.weights import Weights, load_weights

__all__ = ["OUTPUTS", "Passage", "Question", "Sense", "load_sense", "numbered"]

#: what was said before, in its order, and the words that are read
Passage = tuple[str, ...]
Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float32]

OUTPUTS: Final[Mapping[Question, tuple[str, ...]]] = {
    "answer": ("keep", "error", "fact", "decision", "pattern"),
    "sentence": ("keep", "preference", "correction", "decision", "fact"),
    "turn": (
        *("opens", "done", "failed", "keep"),
        *("objection", "rule", "instruction", "fact", "acceptance", "praise", "other"),
    ),
}


class _Room(NamedTuple):
    """Pieces of one text of a passage, and how many of them are its end where it is cut."""

    most: int
    end: int = 0


#: a room per text: with the marks between them at most as many places as the network knows
_ROOMS: Final[Mapping[Question, tuple[_Room, ...]]] = {
    "answer": (_Room(24, 24), _Room(56)),
    "sentence": (_Room(24, 24), _Room(56)),
    "turn": (_Room(28), _Room(36, 36), _Room(58, 16)),
}
#: passages whose odds are kept: labels, boundaries and memories ask about the same turns
_REMEMBERED: Final = 8_000


class Sense:
    """Loaded once; safe between threads. One BLAS thread: more cost many times as much on busy cores."""

    def __init__(self, weights: Weights, natures: Natures) -> None:
        self._weights = weights
        self._natures = natures
        self._threads: Any = ThreadpoolController()
        self._lock = threading.Lock()
        self._known: dict[tuple[Question, tuple[int, ...]], Vector] = {}

    def odds(self, question: Question, passages: Sequence[Passage]) -> Matrix:
        """A row per passage, a column per output of the question; what was read lately is not read again."""
        return self._told(question, passages, self._weights.heads[question])

    def natures(self, question: Question, passages: Sequence[Passage]) -> Matrix:
        """The same, with a column per nature of the question's sentences."""
        return self._told(question, passages, self._natures[question])

    def vectors(self, question: Question, passages: Sequence[Passage]) -> Matrix:
        """The network's own numbers of each passage, a row each."""
        found = np.array(self._read(question, passages), dtype=np.float64)
        return found.reshape(len(passages), self._weights.norm[0].shape[0])

    def _told(self, question: Question, passages: Sequence[Passage], head: tuple[Vector, Vector]) -> Matrix:
        matrix, shift = head
        # one by one: a product of matrices gives other last digits than one of a vector
        told = [vector @ matrix + shift for vector in self._read(question, passages)]
        return np.array(told, dtype=np.float64).reshape(len(passages), len(shift))

    def _read(self, question: Question, passages: Sequence[Passage]) -> list[Vector]:
        keys = [(question, numbered(question, passage, self._weights.pieces)) for passage in passages]
        known = self._known  # another thread may put a new one in its place
        new = [key for key in dict.fromkeys(keys) if key not in known]
        if new:
            with self._lock, self._threads.limit(limits=1, user_api="blas"):
                read = dict(zip(new, encode([row for _, row in new], self._weights), strict=True))
            self._known = {**(known if len(known) < _REMEMBERED else {}), **read}
            known = {**known, **read}
        return [known[key] for key in keys]


def numbered(question: Question, passage: Passage, pieces: Pieces) -> tuple[int, ...]:
    """The passage as the network reads it: its texts one behind the other, each with a mark at its end."""
    found = [BEGIN]
    for text, room in zip(passage, _ROOMS[question], strict=True):
        found += [*_cut(text, room, pieces), END]
    return tuple(found)


def _cut(text: str, room: _Room, pieces: Pieces) -> list[int]:
    if room.end == room.most:
        return pieces.ids(text, room.most, last=True)
    own = pieces.ids(text, room.most)
    if room.end and len(own) == room.most:
        return [*own[: room.most - room.end], *pieces.ids(text, room.end, last=True)]
    return own


_LOADING: Final = threading.Lock()


def load_sense() -> Sense:
    """The network that ships with this version; loading takes about a fifth of a second, once."""
    with _LOADING:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Sense:
    return Sense(load_weights(), load_natures())
