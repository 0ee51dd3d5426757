"""The one rule for near memories of a type: what an upload, or a memory whose vector came late, is compared by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from ultron_core.embeddings.protocol import Thresholds
from ultron_core.memories import Relation, relate
from ultron_core.steps.rows.origins import LinkRow
from ultron_core.steps.upload.judge import Judge

__all__ = ["MOST_COMPARED", "Near", "Verdict", "compare", "link", "lowest", "nearest_first"]

#: a memory of the same type with its cosine
Near = tuple[UUID, float]
#: how many near ones are compared
MOST_COMPARED = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """`other` is the memory that decided: what is compared becomes a part of it (`merges`), or is linked to it."""

    merges: bool
    reason: str
    other: UUID | None = None
    score: float | None = None
    difference: str | None = None
    decided_by: str = "rules"


def lowest(limits: Thresholds) -> float:
    """The cosine from which on another memory matters."""
    return min(limits.soft, limits.merge)


def nearest_first(near: Iterable[Near]) -> list[Near]:
    """The nearest ones in the order in which they are compared."""
    return sorted(near, key=lambda pair: (-pair[1], str(pair[0])))[:MOST_COMPARED]


def compare(
    text: str,
    near: Sequence[Near],
    text_of: Callable[[UUID], str],
    takes: Callable[[UUID], bool],
    limits: Thresholds,
    judge: Judge,
) -> Verdict:
    """Merge with the first near-duplicate that no difference keeps apart; in the soft band with the nearest one if a
    model confirms that both state the same fact, else link to it. `near` is best first. What `takes` refuses, since
    other people stand behind it, is never merged with."""
    for other, score in near:
        if score <= limits.merge:
            break
        if takes(other) and judge.difference(text_of(other), text) is None:
            return Verdict(True, "near_duplicate", other, score)
    if not near or near[0][1] < limits.soft:
        return Verdict(False, "nothing_near", score=near[0][1] if near else None)
    other, score = near[0]
    difference = judge.difference(text_of(other), text)
    if difference is None and not takes(other):
        return Verdict(False, "said_by_others", other, score)
    if difference is None and judge.same_fact(text_of(other), text):
        return Verdict(True, "confirmed", other, score, decided_by="model")
    return Verdict(False, f"diverging_{difference}" if difference else "similar", other, score, difference)


def link(verdict: Verdict, older: tuple[UUID, str], newer: tuple[UUID, str]) -> LinkRow:
    """How the newer of two memories (id, text) relates to the older one, which it was not merged with."""
    relation: Relation = relate(older[1], newer[1], verdict.difference)
    return LinkRow(newer[0], older[0], relation, verdict.score, verdict.reason)
