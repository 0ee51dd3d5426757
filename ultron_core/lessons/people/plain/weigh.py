"""Whether what a rule made of a person's words holds beyond the moment: the fitted model is asked about each.

A rule sees how a sentence is put; whether it teaches anybody anything ("no, put it left of the title") it cannot see.
What a system enforces or a written guide says needs no such word.
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

#: tags of what was written down or enforced
_PROVEN: Final = frozenset(("policy", "guide"))


def of_the_moment(
    turns: Sequence[Turn], heard: Sequence[Sequence[Said]], told: Sequence[Told], model: PlainModel
) -> list[bool]:
    """For each lesson of the rules, whether the model finds that its words only concern the work at hand."""
    of_line = {turn.message.start_line: said for turn, said in zip(turns, heard, strict=True)}
    keeps: dict[int, list[float]] = {}
    found = []
    for kind, draft in told:
        line = draft.evidence[0].start_line if draft.evidence else -1
        said = of_line.get(line, ())
        if not said or not _PROVEN.isdisjoint(draft.tags):
            found.append(False)
            continue
        if line not in keeps:
            keeps[line] = [float(row[0]) for row in model.probabilities(said)]
        found.append(_worth(draft, said, keeps[line]) < model.bounds.get(kind, 0.0))
    return found


def _worth(draft: MemoryDraft, said: Sequence[Said], keeps: Sequence[float]) -> float:
    """What the best sentence that the lesson holds is worth; that of its turn where it holds none as it stands."""
    content = one_line(draft.content)
    own = [keep for one, keep in zip(said, keeps, strict=True) if one_line(one.sentence) in content]
    return max(own or keeps)
