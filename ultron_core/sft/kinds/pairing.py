"""Which runs make a pair: of one task, one succeeded, one failed, and they are not the same run twice."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ultron_core.sft.records import canonical_json

__all__ = ["Matched", "Run", "end_alike", "matched"]

#: e.g. `author`, `端`
_WORD = re.compile(r"\w+")


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


def end_alike(one: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]]) -> bool:
    """Do both runs end with the same call or answer, but for a plural? Then nothing says why one was better: two games
    of alfworld end with the same `put("mug 1", "desk 1")`, "author" is wrong where "authors" is right."""
    return _end(one) == _end(other)


def _end(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    last = messages[-1]
    calls = [call["function"] for call in last.get("tool_calls", ())]
    text = canonical_json(calls) if calls else last["content"]
    return [word.removesuffix("s") for word in _WORD.findall(text.lower())]
