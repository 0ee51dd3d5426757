"""A second look: where a cheap reader finds something likely enough, the network reads it too, and both are weighed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ultron_core.transcript.sense.reader import OUTPUTS, Passage, Question, load_sense

__all__ = ["SecondLook"]

Matrix = npt.NDArray[np.float64]
#: log-odds beyond it say no more
_MOST_ODDS = 9.0


@dataclass(frozen=True, eq=False)
class SecondLook:
    """Log-odds are `own` times those of the cheap reader, plus `sense` times the network's, plus `shift`: a number per
    output of the question."""

    question: Question
    #: probability of the first output from which on the network is asked: it takes 10 to 30 ms of CPU a sentence
    look: float
    own: Matrix
    sense: Matrix
    shift: Matrix
    #: where the outputs stand among those of the question
    columns: tuple[int, ...]

    def again(self, found: Matrix, passage: Callable[[int], Passage]) -> Matrix:
        """Probabilities, a row per sentence: those that are likely enough anew; `passage` gives the words of a row."""
        rows = np.flatnonzero(found[:, 0] >= self.look)
        if not len(rows):
            return found
        told = load_sense().odds(self.question, [passage(int(row)) for row in rows])
        renewed = found.copy()
        renewed[rows] = self.weighed(found[rows], told[:, self.columns])
        return renewed

    def weighed(self, found: Matrix, told: Matrix) -> Matrix:
        likely = np.clip(found, 1e-6, 1 - 1e-6)
        odds = self.own * np.log(likely / (1 - likely)) + self.sense * told + self.shift
        both: Matrix = 1.0 / (1.0 + np.exp(-np.clip(odds, -_MOST_ODDS, _MOST_ODDS)))
        return both

    @classmethod
    def from_json(
        cls, raw: Mapping[str, Any], question: Question, outputs: Sequence[str]
    ) -> SecondLook | None:
        """From the file of the cheap reader; None where that does without. Raises ValueError when the file was made for
        other answers than this version knows."""
        if "second" not in raw:
            return None
        if not set(outputs) <= set(OUTPUTS[question]):
            raise ValueError(f"the network says {OUTPUTS[question]}, not {tuple(outputs)}")
        told = raw["second"]
        own, sense, shift = (np.array(told[name], dtype=np.float64) for name in ("own", "sense", "shift"))
        columns = tuple(OUTPUTS[question].index(name) for name in outputs)
        return cls(question, float(told["look"]), own, sense, shift, columns)
