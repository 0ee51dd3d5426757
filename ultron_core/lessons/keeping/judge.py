"""Keep or drop: a fitted logistic regression on the shape of a draft.

The coefficients and the bound in keep.json are made by benchmarks/training/keeping.py from verdicts of readers.
"""

from __future__ import annotations

from functools import lru_cache

from ultron_core.lessons.keeping.shape import feature_names, features
from ultron_core.lessons.keeping.stated import is_stated, is_worth_telling
from ultron_core.lessons.sentences import cure_in
from ultron_core.lessons.weights import NamedWeights
from ultron_core.models import MemoryDraft, Origin

__all__ = ["is_worth_keeping", "judgement"]

#: A secret that was shown is told however it is put; the readings hold none. What a person said is judged by the rules
#: that read it: on eighteen sessions that no rule had seen this refused three corrections, none of which was junk, and
#: of the agent's findings two, which were.
_NOT_JUDGED = ("security", "correction", "preference")

#: a person reported it, and the agent told what it comes from: a symptom alone is not drafted (errors/told/find.py)
_REPORTED = "bug"
_CAME_UPON = "found"
#: a person picked it among options that the agent had laid open (people/answered.py): the readings hold none
_PICKED = "answered"


@lru_cache(maxsize=1)
def _coefficients() -> NamedWeights:
    script = "benchmarks/training/keeping.py"
    return NamedWeights.load("ultron_core.lessons.keeping", "keep.json", feature_names(), script)


def judgement(draft: MemoryDraft, origin: Origin) -> float:
    """The higher, the more it looks like what readers called useful; `origin` is that of the message quoted first."""
    return _coefficients().odds(features(draft.content, draft.resolution, origin))


def is_worth_keeping(draft: MemoryDraft, origin: Origin) -> bool:
    """Whether to keep it. A failure whose cure the log proves is kept however it is put: readers found 2 of 56 false,
    and a number in the name of a package is no reason to lose it. So is an error that a person
    reported, with its account: of seven that it refused in development sessions five were what a reader had noted."""
    if is_stated(draft):
        return is_worth_telling(draft)
    if draft.memory_type in _NOT_JUDGED or _PICKED in draft.tags or cure_in(draft.resolution):
        return True
    if _REPORTED in draft.tags and _CAME_UPON not in draft.tags:
        return True
    return judgement(draft, origin) >= _coefficients().bound
