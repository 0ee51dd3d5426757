"""Draws for reading: rows in an order given, with a limit for each set and for each session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

__all__ = ["spread"]


def spread(
    rows: Iterable[dict[str, Any]], count: int, *, of_set: int, of_session: int
) -> list[dict[str, Any]]:
    """The first `count` rows, at most so many of a `set` and of a `file` in it."""
    drawn: list[dict[str, Any]] = []
    seen: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        in_set, in_session = (row["set"],), (row["set"], row["file"])
        if len(drawn) < count and seen[in_set] < of_set and seen[in_session] < of_session:
            seen.update([in_set, in_session])
            drawn.append(row)
    return drawn
