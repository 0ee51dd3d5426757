"""Which runs make a pair: of one task, one succeeded, one failed, and they are not the same run twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Matched", "Run", "matched"]


class Run(Protocol):
    """What is known of a finished run when pairs are chosen."""

    @property
    def id(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def succeeded(self) -> bool | None: ...
    @property
    def twin(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Matched:
    """Positions of the better and the worse run."""

    better: int
    worse: int
    made_from: str


def matched(runs: Sequence[Run], *, most: int) -> Iterator[Matched]:
    """Pairs of `runs`, which come best first and hold no run twice; at most `most` of one task.

    An answer that was corrected is paired with what became of it alone. Otherwise each failed run meets the best run
    that no other failed one has met yet, so that a task's pairs differ.
    """
    places = {run.id: place for place, run in enumerate(runs)}
    by_task: dict[str, list[int]] = defaultdict(list)
    for place, run in enumerate(runs):
        if not run.twin:
            by_task[run.task].append(place)
        elif run.succeeded and run.twin in places:
            yield Matched(place, places[run.twin], "corrected")
    for _, members in sorted(by_task.items()):
        right = [place for place in members if runs[place].succeeded]
        wrong = [place for place in members if runs[place].succeeded is False]
        for number, worse in enumerate(wrong[:most] if right else ()):
            yield Matched(right[number % len(right)], worse, "runs")
