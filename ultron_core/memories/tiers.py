"""Tiers by share of hits: the pure rule that the store's SQL is tested against."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeVar

__all__ = ["Tier", "TierRow", "assign_tiers"]

Tier = Literal["hot", "warm", "cold"]
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TierRow(Generic[Key]):
    """One active memory's counters; `id` must be orderable.

    `confirmed` False: a rule that no person said and no second session repeated, which may not be hot.
    """

    id: Key
    hit_count: int
    last_hit_at: datetime | None = None
    confirmed: bool = True


def assign_tiers(
    rows: Iterable[TierRow[Key]], hot_percentile: float = 10, warm_percentile: float = 40
) -> dict[Key, Tier]:
    """Tier of every row: most hits first, then the latest hit (none last), then id.

    Of the confirmed ones the first ceil(their number x hot %) are hot; of all others the first ceil(n x warm %) are
    warm, the rest cold.
    """
    ordered = sorted(rows, key=_order)
    confirmed = [row.id for row in ordered if row.confirmed]
    hot = set(confirmed[: math.ceil(len(confirmed) * hot_percentile / 100)])
    others = [row.id for row in ordered if row.id not in hot]
    warm = set(others[: math.ceil(len(ordered) * warm_percentile / 100)])
    return {row.id: "hot" if row.id in hot else "warm" if row.id in warm else "cold" for row in ordered}


def _order(row: TierRow[Key]) -> tuple[int, bool, float, Key]:
    seconds = row.last_hit_at.timestamp() if row.last_hit_at is not None else 0.0
    return (-row.hit_count, row.last_hit_at is None, -seconds, row.id)
