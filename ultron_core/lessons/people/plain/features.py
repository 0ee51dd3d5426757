"""A sentence of a person's turn as numbers: n-grams, classes of words, its place, and the turn around it.

No class decides anything: each is one input, whose weight is fitted (model.json).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.people.plain.words import CLASSES
from ultron_core.lessons.people.statements import has_detail, word_count
from ultron_core.transcript.acts.features import HumanTurn, context_of, grams
from ultron_core.transcript.acts.words import WORDS
from ultron_core.transcript.language import CJK
from ultron_core.transcript.speech import (
    ACCEPTANCE,
    CORRECTION,
    OBJECTION,
    ONE_OFF,
    PREFERENCE,
    QUESTION,
)

__all__ = ["Said", "dense_names", "sentence_features"]

Vector = npt.NDArray[np.float64]

#: patterns of other rules: right when they fire, so worth an input each
_CUES: Final[dict[str, re.Pattern[str]]] = {
    "cue:preference": PREFERENCE,
    "cue:correction": CORRECTION,
    "cue:objection": OBJECTION,
    "cue:acceptance": ACCEPTANCE,
    "cue:one_off": ONE_OFF,
    "cue:question": QUESTION,
}
#: what the agent did before, of the features of the acts
_CONTEXT: Final = ("first", "asked", "proposed", "done", "worked", "edited", "chat", "interrupted")
_PLACE: Final = (
    "size", "few", "many", "chinese", "opens", "alone", "closes", "turn_long", "detail", "code", "shouts",
    "signs", "digits", "led_in",
)  # fmt: skip
#: kinds of lessons that rules may have drawn from the sentence
_RULES: Final = ("preference", "correction", "decision", "fact", "reported")
#: words; more of them say something, fewer lean on what was said before
_FEW, _MANY = 4, 25
#: e.g. `` `make check` ``
_CODE = re.compile(r"`[^`]+`")
#: e.g. `NEVER DO`, `!!`
_SHOUTS = re.compile(r"\b[A-Z]{3,}\b.*\b[A-Z]{2,}\b|!!|！！")
#: what programs print more of than people write, e.g. `[`, `=`, `…`
_SIGNS = re.compile(r"[\[\]{}()<>=|:;/\\_…#*+%]")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with the turn it stands in: `place` among the `of` sentences of the turn."""

    sentence: str
    place: int
    of: int
    #: an earlier sentence of the turn hands in what follows: "what do you think of this comment?", "the output:"
    led_in: bool
    turn: HumanTurn
    #: kinds of the lessons that the rules of people's words draw from it
    rules: frozenset[str] = frozenset()
    #: what led in is another's words: no input of the fit, such a sentence is not asked about
    of_others: bool = False


def dense_names() -> list[str]:
    """Names of the numbers that `sentence_features` gives, in its order."""
    return [*_PLACE, *(f"rule:{kind}" for kind in _RULES), *WORDS, *CLASSES, *_CUES, *_CONTEXT]


def sentence_features(said: Sequence[Said]) -> list[tuple[Vector, frozenset[str]]]:
    """Numbers and n-grams of the sentences of one turn; what the turn gives is worked out once."""
    if not said:
        return []
    context = context_of(said[0].turn)
    around = [float(context[name]) for name in _CONTEXT]
    return [(np.array([*_own(one), *around], dtype=np.float64), _grams(one.sentence)) for one in said]


def _grams(sentence: str) -> frozenset[str]:
    """Without those of the first word: labelled turns were partly sought by it."""
    return frozenset(gram for gram in grams(sentence) if not gram.startswith("^"))


def _own(said: Said) -> list[float]:
    text = said.sentence
    chinese = CJK.search(text) is not None
    words = word_count(text) / (2 if chinese else 1)
    place = [
        math.log1p(words) / 3,
        words <= _FEW,
        words > _MANY,
        chinese,
        said.place == 0,
        said.of == 1,
        said.place == said.of - 1,
        math.log1p(said.of) / 3,
        has_detail(text),
        _CODE.search(text) is not None,
        _SHOUTS.search(text) is not None,
        min(1.0, len(_SIGNS.findall(text)) * 6 / len(text)),
        min(1.0, sum(map(str.isdigit, text)) * 8 / len(text)),
        said.led_in,
        *(kind in said.rules for kind in _RULES),
    ]
    patterns = (*WORDS.values(), *CLASSES.values(), *_CUES.values())
    return [float(value) for value in place] + [float(p.search(text) is not None) for p in patterns]
