"""Whether what a rule made of a person's words holds beyond the moment: the fitted model is asked about each.

A rule sees how a sentence is put; whether it teaches anybody anything ("no, put it left of the title") it cannot see.
What a system enforces, a written guide says or a person declares to hold for good needs no such word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ultron_core.lessons.people.plain.features import Said
from ultron_core.lessons.people.plain.find import Told
from ultron_core.lessons.people.plain.reader import PlainModel
from ultron_core.lessons.people.turns import Turn
from ultron_core.models import MemoryDraft
from ultron_core.transcript.language import one_line

__all__ = ["of_the_moment"]

#: tags of what was written down, enforced or said to hold for good
_PROVEN: Final = frozenset(("policy", "guide", "declared"))
#: what a rule takes for a correction is mostly about the work at hand: of the development ones between `told` and this
#: probability one in nine was useful
_OBJECTED: Final = 0.5


def of_the_moment(
    turns: Sequence[Turn], heard: Sequence[Sequence[Said]], told: Sequence[Told], model: PlainModel
) -> list[bool]:
    """For each lesson of the rules, whether the model finds that its words only concern the work at hand."""
    keeps: dict[int, list[float]] = {}
    found = []
    for kind, draft in told:
        at = _turn_of(draft, turns)
        if at < 0 or not _PROVEN.isdisjoint(draft.tags):
            found.append(False)
        elif not heard[at]:
            quoted = [_quoted(kind, draft, turns[at])]
            found.append(float(model.probabilities(quoted)[0, 0]) < _bound(kind, model))
        else:
            if at not in keeps:
                keeps[at] = [float(row[0]) for row in model.probabilities(heard[at])]
            found.append(_worth(draft, heard[at], keeps[at]) < _bound(kind, model))
    return found


def _bound(kind: str, model: PlainModel) -> float:
    return max(_OBJECTED, model.told) if kind == "correction" else model.told


def _quoted(kind: str, draft: MemoryDraft, turn: Turn) -> Said:
    """The words that a lesson quotes of an order which is too long to be heard sentence by sentence."""
    return Said(one_line(draft.evidence[0].quote), 0, 1, False, turn.described, frozenset((kind,)))


def _turn_of(draft: MemoryDraft, turns: Sequence[Turn]) -> int:
    """The turn that the lesson quotes, -1 for none: a log of one line has all its turns there."""
    if not draft.evidence:
        return -1
    said = draft.evidence[0]
    return next(
        (
            at
            for at, turn in enumerate(turns)
            if turn.message.start_line == said.start_line and said.quote in turn.message.content
        ),
        -1,
    )


def _worth(draft: MemoryDraft, said: Sequence[Said], keeps: Sequence[float]) -> float:
    """What the best sentence that the lesson holds is worth; that of its turn where it holds none as it stands."""
    content = one_line(draft.content)
    own = [keep for one, keep in zip(said, keeps, strict=True) if one_line(one.sentence) in content]
    return max(own or keeps)
