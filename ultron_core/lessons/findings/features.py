"""A sentence of an agent as numbers: n-grams, a few classes of words, its place, and the turn around it.

No input decides anything, each has a fitted weight (model.json). They are few on purpose: with all classes of shape.py,
the cues of the rules for accounts and the words of the request the sentences were ranked no better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.findings.answers import Part
from ultron_core.lessons.findings.words import CLASSES
from ultron_core.lessons.people.statements import has_detail
from ultron_core.transcript.acts.features import grams
from ultron_core.transcript.language import CJK

__all__ = ["Heard", "dense_names", "part_features"]

Vector = npt.NDArray[np.float64]

_PLACE: Final = (
    "detail", "size", "long", "names", "code_first", "chinese", "point", "headed", "labelled", "led_in", "opens",
    "closes", "rank", "bold",
)  # fmt: skip
#: of the sentence after it
_AFTER: Final = ("detail", "contrast", "plan")
#: of the message, and of the turn that it stands in
_AROUND: Final = (
    "closing", "calls", "worked", "failed", "edited", "chars", "sentences", "short_answer", "share:plan", "share:code",
    "no_request", "last", "accepted", "objected",
)  # fmt: skip
_NAMES: Final = (*CLASSES, *_PLACE, *(f"after:{name}" for name in _AFTER), *_AROUND)
_WORDS: Final = tuple(CLASSES.values())
_OWN: Final = len(CLASSES) + len(_PLACE)
_PLAN: Final = _NAMES.index("plan")
_AFTER_COLUMNS: Final = [_NAMES.index(name) for name in _AFTER]


@dataclass(frozen=True, slots=True)
class Heard:
    """What stands around an agent's message: the work before it, and how the person went on."""

    closing: bool
    calls: bool
    worked: bool
    failed: bool
    edited: bool
    #: somebody had asked
    asked: bool
    #: nothing more of a person follows
    last: bool
    accepted: bool
    objected: bool


def dense_names() -> list[str]:
    """Names of the numbers that `part_features` gives, in its order."""
    return list(_NAMES)


def part_features(parts: Sequence[Part], heard: Heard, content: str) -> tuple[Vector, list[frozenset[str]]]:
    """A row of numbers and the n-grams of each sentence of one message; what they share is worked out once."""
    said = [grams(part.text) for part in parts]
    table = np.zeros((len(parts), len(_NAMES)))
    for place, (part, words) in enumerate(zip(parts, said, strict=True)):
        table[place, :_OWN] = _own(part, words, place, len(parts))
    table[:-1, _OWN : _OWN + len(_AFTER)] = table[1:, _AFTER_COLUMNS]
    table[:, _OWN + len(_AFTER) :] = _around(float(table[:, _PLAN].mean()), len(parts), heard, content)
    return table, [words | _lead_grams(part) for part, words in zip(parts, said, strict=True)]


def _own(part: Part, words: frozenset[str], place: int, of: int) -> list[float]:
    text = part.text
    chinese = 0 if text.isascii() else len(CJK.findall(text))
    size = len(text) + 2 * chinese
    return [
        *(float(not words.isdisjoint(known)) for known in _WORDS),
        float("⟦code⟧" in words or "⟦path⟧" in words or has_detail(text)),
        math.log(max(size, 10) / 120),
        float(size > 240),
        min(text.count("`") // 2, 4) / 2,
        float(text[0] == "`"),
        float(chinese > 4),
        float(part.point),
        float(bool(part.heading)),
        float(bool(part.label)),
        float(bool(part.lead)),
        float(place == 0),
        float(place == of - 1),
        place / max(1, of - 1),
        float("**" in part.quote),
    ]


def _around(plans: float, sentences: int, heard: Heard, content: str) -> list[float]:
    return [
        float(heard.closing),
        float(heard.calls),
        float(heard.worked),
        float(heard.failed),
        float(heard.edited),
        math.log(max(len(content), 50) / 1000),
        math.log1p(sentences) / 3,
        float(sentences <= 2),
        plans,
        float("```" in content),
        float(not heard.asked),
        float(heard.last),
        float(heard.accepted),
        float(heard.objected),
    ]


def _lead_grams(part: Part) -> frozenset[str]:
    """Of the last words that lead to the sentence, marked as such."""
    lead = part.label or part.lead or part.heading
    return _marked(lead) if lead else frozenset()


@lru_cache(maxsize=256)
def _marked(lead: str) -> frozenset[str]:
    return frozenset(f"#{gram}" for gram in grams(lead))
