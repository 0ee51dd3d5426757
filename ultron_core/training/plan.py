"""Which rows a run takes: each content once, and none that ever stood on the other side of the split."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ultron_core.training.records import RowRef

__all__ = ["Known", "TrainingPlan", "make_plan"]


@dataclass(frozen=True, slots=True)
class Known:
    """What runs before this one did with rows, by content hash; groups by their name."""

    #: trained with this base, or too long for it: no reason to start a run
    seen: Collection[str] = frozenset()
    #: trained by the adapter that the run goes on from, or by one before it
    taught: Collection[str] = frozenset()
    #: `train` or `validation`, whatever the base
    sides: Mapping[str, str] = field(default_factory=dict)
    group_sides: Mapping[str, str] = field(default_factory=dict)
    #: their sessions are gone
    erased: Collection[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Rows to train on and rows to measure by; `new` of the former were never trained on with this base."""

    train: Sequence[RowRef]
    validation: Sequence[RowRef]
    new: int
    left_out: Mapping[str, int]


def make_plan(rows: Iterable[RowRef], known: Known) -> TrainingPlan:
    """A row stays on the side where it was in earlier runs, and so does its group: a group's name is its smallest task
    key, and the side hangs on the name, so one more task could move all its rows."""
    rows = list({row.content: row for row in rows}.values())
    groups = _sides_of_groups(rows, known)
    train: list[RowRef] = []
    validation: list[RowRef] = []
    left_out: Counter[str] = Counter()
    for row in rows:
        earlier = groups[row.group]
        side = known.sides.get(row.content) or (row.split if not earlier else "".join(earlier))
        if row.content in known.erased:
            left_out["erased"] += 1
        elif side == "validation":
            validation.append(row)
        elif side != "train":
            left_out["group_on_both_sides"] += 1
        elif row.content in known.taught:
            left_out["already_trained"] += 1
        else:
            train.append(row)
    new = sum(row.content not in known.seen for row in train)
    return TrainingPlan(train, validation, new, dict(sorted(left_out.items())))


def _sides_of_groups(rows: Sequence[RowRef], known: Known) -> Mapping[str, list[str]]:
    """The sides on which a group's name or one of its rows was before; both when two groups have become one."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        told = known.sides.get(row.content), known.group_sides.get(row.group)
        found[row.group].update(side for side in told if side)
    return {group: sorted(sides) for group, sides in found.items()}
