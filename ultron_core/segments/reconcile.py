"""Stored segments against a fresh segmentation of the same session: what stays, what goes, what is new.

Segments are the same when thread and fingerprint are the same. Identical tasks are told apart by their
occurrence number (0, 1, ... within one thread and fingerprint): the n-th stored one is matched with the n-th
fresh one, so a stored row keeps its id through appends, prepends, inserts, truncations and reorders.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from uuid import UUID

from ultron_core.models import Segment

__all__ = ["Inserted", "Reconciliation", "StoredSegment", "reconcile"]


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """The identity of a row of task_segments. Any object with these four members does as well."""

    id: UUID
    thread: str
    fingerprint: str
    occurrence: int


@dataclass(frozen=True, slots=True)
class Inserted:
    """A fresh segment that no stored row stands for, with a number that is free beside the kept rows."""

    segment: Segment
    occurrence: int


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """kept: (stored, fresh) pairs; removed: stored without a fresh one; inserted: fresh without a stored one."""

    kept: tuple[tuple[StoredSegment, Segment], ...]
    removed: tuple[StoredSegment, ...]
    inserted: tuple[Inserted, ...]


def reconcile(old: Sequence[StoredSegment], new: Sequence[Segment]) -> Reconciliation:
    """Match by multiset of (thread, fingerprint), in order of occurrence and of position. Pure."""
    waiting: dict[tuple[str, str], list[StoredSegment]] = defaultdict(list)
    for row in sorted(old, key=lambda r: r.occurrence, reverse=True):
        waiting[row.thread, row.fingerprint].append(row)
    kept: list[tuple[StoredSegment, Segment]] = []
    unmatched: list[Segment] = []
    for segment in sorted(new, key=lambda s: s.start):
        rows = waiting[segment.thread, segment.fingerprint]
        if rows:
            kept.append((rows.pop(), segment))
        else:
            unmatched.append(segment)
    removed = [row for rows in waiting.values() for row in reversed(rows)]
    return Reconciliation(tuple(kept), tuple(removed), tuple(_number(unmatched, kept)))


def _number(unmatched: Sequence[Segment], kept: Sequence[tuple[StoredSegment, Segment]]) -> list[Inserted]:
    used: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row, _ in kept:
        used[row.thread, row.fingerprint].add(row.occurrence)
    numbered = []
    for segment in unmatched:
        taken = used[segment.thread, segment.fingerprint]
        occurrence = next(n for n in count() if n not in taken)
        taken.add(occurrence)
        numbered.append(Inserted(segment, occurrence))
    return numbered
