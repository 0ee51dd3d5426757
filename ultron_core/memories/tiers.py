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
    """One active memory's counters; `id` must be orderable."""

    id: Key
    hit_count: int
    last_hit_at: datetime | None = None


def assign_tiers(
    rows: Iterable[TierRow[Key]], hot_percentile: float = 10, warm_percentile: float = 40
) -> dict[Key, Tier]:
    """Tier of every row: most hits first, then the latest hit (none last), then id.

    The first ceil(n x hot %) are hot, the next ceil(n x warm %) warm, the rest cold.
    """
    ordered = sorted(rows, key=_order)
    n = len(ordered)
    hot = math.ceil(n * hot_percentile / 100)
    warm = hot + math.ceil(n * warm_percentile / 100)
    return {row.id: "hot" if i < hot else "warm" if i < warm else "cold" for i, row in enumerate(ordered)}


def _order(row: TierRow[Key]) -> tuple[int, bool, float, Key]:
    seconds = row.last_hit_at.timestamp() if row.last_hit_at is not None else 0.0
    return (-row.hit_count, row.last_hit_at is None, -seconds, row.id)
