"""What of a ranking is shown: one's own project first, equal summaries once, what tells near-equal ones apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Shown", "collapse", "own_first"]

Hit = TypeVar("Hit")


@dataclass(slots=True)
class Shown(Generic[Hit]):
    """A hit with those that say the same, and with what tells it from others of the same summary."""

    hit: Hit
    same: list[Hit] = field(default_factory=list)
    differs: str = ""


#: weak hits of one's own project before what others know better: ten would keep the only right one off the page, none
#: would answer "what do I run before a commit" with another's rule; set by hand, on the twenty project questions
_WEAK_LEAD = 3


def own_first(
    hits: Iterable[Hit], is_own: Callable[[Hit], bool], is_weak: Callable[[Hit], bool] = lambda hit: False
) -> list[Hit]:
    """In the order given, but one's own before others'. Of one's own weak ones the first three; the other weak ones
    come last."""
    own: list[Hit] = []
    others: list[Hit] = []
    late: list[Hit] = []
    weak = 0
    for hit in hits:
        if is_weak(hit):
            weak += is_own(hit)
            (own if is_own(hit) and weak <= _WEAK_LEAD else late).append(hit)
        else:
            (own if is_own(hit) else others).append(hit)
    return [*own, *others, *sorted(late, key=lambda hit: not is_own(hit))]


def collapse(
    hits: Sequence[Hit], summary: Callable[[Hit], tuple[object, ...]], detail: Callable[[Hit], str]
) -> list[Shown[Hit]]:
    """Hits of one `summary` and `detail` once, at the place of the first; those of one summary are told apart by it."""
    kept: dict[tuple[object, ...], list[Shown[Hit]]] = {}
    order: list[Shown[Hit]] = []
    for hit in hits:
        alike = kept.setdefault(summary(hit), [])
        equal = next((one for one in alike if detail(one.hit) == detail(hit)), None)
        if equal is None:
            alike.append(Shown(hit))
            order.append(alike[-1])
        else:
            equal.same.append(hit)
    for alike in kept.values():
        for one in alike if len(alike) > 1 else ():
            one.differs = detail(one.hit)
    return order
