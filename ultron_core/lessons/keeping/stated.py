"""Keep or drop what the fitted readers of sentences found: a logistic regression on the memory that they make together.

A reader judges one sentence; whether the memory says enough is another question: of single facts people called more
than half junk, of three together one in six, while a likely cause says enough in one sentence. The coefficients and the
bound in stated.json are made by benchmarks/training/stated.py from 2,231 verdicts.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from ultron_core.lessons.keeping.shape import is_nameless, paths_in
from ultron_core.lessons.weights import NamedWeights
from ultron_core.models import MemoryDraft
from ultron_core.transcript.sense.nature import NATURES

__all__ = [
    "BY_AGENT",
    "BY_PERSON",
    "confidence_in",
    "feature_names",
    "features",
    "is_stated",
    "is_worth_telling",
]

#: tags of what the readers found: lessons/findings, lessons/people/plain
BY_AGENT: Final = "finding"
BY_PERSON: Final = "plain"
_NAMES: Final = (
    "odds_cause", "odds_fact", "odds_person", "cause", "person", "single_cause", "single", "sentences", "length",
    "nameless", "path", "account", "lasting_person", *NATURES["answer"],
)  # fmt: skip
#: confidence of what is just worth keeping, and how much higher that of what surely is
_JUST, _SURELY = 0.5, 0.3
#: more sentences or paths say no more
_MOST_SENTENCES, _MOST_PATHS = 5, 4
#: the odds of a probability beyond these say nothing more
_SUREST = 0.95


@lru_cache(maxsize=1)
def _coefficients() -> NamedWeights:
    script = "benchmarks/training/stated.py"
    return NamedWeights.load("ultron_core.lessons.keeping", "stated.json", _NAMES, script)


def feature_names() -> tuple[str, ...]:
    return _NAMES


def is_stated(draft: MemoryDraft) -> bool:
    """Whether a fitted reader of sentences found it."""
    return BY_AGENT in draft.tags or BY_PERSON in draft.tags


def confidence_in(worth: float) -> float:
    """The confidence of a memory whose best sentence is worth so much (a probability)."""
    return round(_JUST + _SURELY * worth, 2)


def features(draft: MemoryDraft) -> list[float]:
    """In the order of `feature_names`; the confidence of a draft tells the probability of its best sentence."""
    person = BY_PERSON in draft.tags
    cause = not person and draft.memory_type == "error"
    worth = (draft.confidence - _JUST) / _SURELY
    likely = min(max(worth, 1.0 - _SUREST), _SUREST)
    odds = math.log(likely / (1.0 - likely))
    sentences = len({item.quote for item in draft.evidence})
    single = sentences <= 1
    return [
        odds if cause else 0.0,
        0.0 if cause or person else odds,
        odds if person else 0.0,
        float(cause),
        float(person),
        float(single and cause),
        float(single and not cause),
        min(sentences, _MOST_SENTENCES) / _MOST_SENTENCES,
        math.log1p(len(draft.content.encode())) / 6,  # a Chinese sign says as much as three letters
        float(is_nameless(draft.content, draft.resolution)),
        min(paths_in(draft.content, draft.resolution), _MOST_PATHS) / _MOST_PATHS,
        math.log1p(len(draft.resolution)) / 6,
        *_of(NATURES["sentence"], draft.natures if person else ()),
        *_of(NATURES["answer"], () if person else draft.natures),
    ]


def _of(names: tuple[str, ...], told: tuple[float, ...]) -> tuple[float, ...]:
    """What the network told; even odds of each where it was not asked."""
    return told or (0.0,) * len(names)


def is_worth_telling(draft: MemoryDraft) -> bool:
    """Whether a memory of the readers is kept."""
    model = _coefficients()
    return model.odds(features(draft)) >= model.bound
