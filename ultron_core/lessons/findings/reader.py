"""How likely a note-taker would keep a sentence of an agent, and as what; a fitted model.

The coefficients in model.json are made by benchmarks/training/answers.py. What they find likely enough the network of
transcript/sense reads too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.findings.answers import Part, parts_of
from ultron_core.lessons.findings.features import Heard, dense_names, part_features
from ultron_core.lessons.findings.listen import Answer
from ultron_core.lessons.linear import LinearModel
from ultron_core.transcript.sense.reader import Passage
from ultron_core.transcript.sense.second import SecondLook

__all__ = ["OUTPUTS", "AnswerModel", "Judged", "Kind", "beside", "load_answer_model"]

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
    #: None does without the network
    second: SecondLook | None = None

    def judge(self, answer: Answer) -> Judged:
        return Judged(answer, _worth(self.linear, self.second, answer.message.content, answer.heard))

    def natures(self, parts: Sequence[Part], rows: Sequence[int]) -> tuple[float, ...]:
        """What the sentences at `rows` are, on average (transcript/sense/nature.py); empty without the network."""
        return self.second.natures([beside(parts, row) for row in rows]) if self.second else ()

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> AnswerModel:
        """Raises ValueError when the file was made for other features than this version computes."""
        linear = LinearModel.from_json(raw, OUTPUTS, dense_names())
        bound, remark, beside, least = (float(raw[name]) for name in ("bound", "remark", "beside", "least"))
        return cls(linear, bound, remark, beside, least, SecondLook.from_json(raw, "answer", OUTPUTS))


@lru_cache(maxsize=1024)  # labels and memories read the same messages in turn
def _worth(linear: LinearModel, second: SecondLook | None, content: str, heard: Heard) -> Matrix:
    parts = parts_of(content)
    found = linear.probabilities(*part_features(parts, heard, content))
    if second is not None:
        found = second.again(found, lambda row: beside(parts, row))
    found.setflags(write=False)
    return found


def beside(parts: Sequence[Part], at: int) -> Passage:
    """A sentence as the network reads it: behind what leads to it and the sentence before it."""
    part = parts[at]
    lead = part.label or part.lead or part.heading
    before = parts[at - 1].text if at else ""
    return (f"{lead}: {before}" if lead else before), part.text


@lru_cache(maxsize=1)
def load_answer_model() -> AnswerModel:
    """The coefficients that ship with this version."""
    text = files("ultron_core.lessons.findings").joinpath("model.json").read_text("utf-8")
    return AnswerModel.from_json(json.loads(text))
