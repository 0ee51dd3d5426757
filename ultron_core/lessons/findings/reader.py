"""How likely a note-taker would keep a sentence of an agent, and as what; a fitted model.

The coefficients in model.json are made by benchmarks/training/answers.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.findings.answers import parts_of
from ultron_core.lessons.findings.features import Heard, dense_names, part_features
from ultron_core.lessons.findings.listen import Answer
from ultron_core.lessons.linear import LinearModel

__all__ = ["OUTPUTS", "AnswerModel", "Judged", "Kind", "load_answer_model"]

Kind = Literal["error", "fact", "decision", "pattern"]
#: what the model answers: whether to keep the sentence, and as which kind
OUTPUTS: Final = ("keep", "error", "fact", "decision", "pattern")

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judged:
    """A message with what its sentences are worth: a row for each, a column per output."""

    answer: Answer
    worth: Matrix


@dataclass(frozen=True, eq=False)
class AnswerModel:
    """A sentence of a closing answer is kept from `bound` on, one of a remark from `remark` on, and beside a kept one
    from `beside` on; what other rules draw from the agent's words is kept from `least` on."""

    linear: LinearModel
    bound: float
    remark: float
    beside: float
    least: float

    def judge(self, answer: Answer) -> Judged:
        return Judged(answer, _worth(self.linear, answer.message.content, answer.heard))

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> AnswerModel:
        """Raises ValueError when the file was made for other features than this version computes."""
        linear = LinearModel.from_json(raw, OUTPUTS, dense_names())
        return cls(linear, *(float(raw[name]) for name in ("bound", "remark", "beside", "least")))


@lru_cache(maxsize=1024)  # labels and memories read the same messages in turn
def _worth(linear: LinearModel, content: str, heard: Heard) -> Matrix:
    found = linear.probabilities(*part_features(parts_of(content), heard, content))
    found.setflags(write=False)
    return found


@lru_cache(maxsize=1)
def load_answer_model() -> AnswerModel:
    """The coefficients that ship with this version."""
    text = files("ultron_core.lessons.findings").joinpath("model.json").read_text("utf-8")
    return AnswerModel.from_json(json.loads(text))
