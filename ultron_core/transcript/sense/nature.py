"""What kind of thing a sentence says: regressions on the vector that the network has of it anyway.

Whether a sentence is worth a note was learned from notes, which are few; what it is can be said of each. An agent
tells what lasts, how its work goes, what it built, what any textbook has, or words that mean nothing alone; a person
lays down or tells what lasts, or does not. nature.json is made by benchmarks/training/sense/nature.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["NATURES", "Natures", "Question", "load_natures"]

Question = Literal["answer", "sentence", "turn"]
Reals = npt.NDArray[np.float32]
#: matrix and shift of each question
Natures = Mapping[Question, tuple[Reals, Reals]]

NATURES: Final[Mapping[Question, tuple[str, ...]]] = {
    "answer": ("lasting", "progress", "built", "textbook", "unclear"),
    "sentence": ("lasting",),
    "turn": (),
}


def load_natures() -> Natures:
    """The coefficients that ship with this version. Raises ValueError when they were made for other natures."""
    raw = json.loads(files("ultron_core.transcript.sense").joinpath("nature.json").read_text("utf-8"))
    return {question: _of(raw["questions"].get(question, {}), question, raw["width"]) for question in NATURES}


def _of(told: Mapping[str, Any], question: Question, width: int) -> tuple[Reals, Reals]:
    """A column per nature; a question without any has none."""
    names = NATURES[question]
    if tuple(told) != names:
        raise ValueError(f"nature.json tells {tuple(told)} of {question!r}, this version knows {names}")
    weights = np.array([told[name]["weights"] for name in names], dtype=np.float32)
    shifts = np.array([told[name]["shift"] for name in names], dtype=np.float32)
    return np.ascontiguousarray(weights.reshape(len(names), width).T), shifts
