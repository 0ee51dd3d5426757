"""How much there is and what was added meanwhile: the numbers that are charted over time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.process import count_pending, list_stale
from ultron_core.store.queries import NamedQueries

__all__ = ["totals"]

_SQL = NamedQueries("upkeep/totals")


def totals(runtime: Runtime, since: datetime | None) -> Mapping[str, int | float]:
    """Counts of now, and, under `new_...`, of what came after `since`. A mean of nothing is left out."""
    span = {**runtime.account, "since": since, "until": runtime.clock()}
    with runtime.database.transaction() as conn:
        now = _SQL.fetch_one(conn, "now", runtime.account) or {}
        added = _SQL.fetch_one(conn, "since", span) if since else None
    waiting = {f"waiting_{name}": count for name, count in count_pending(runtime).items()}
    stale = sum(int(row["rows"]) for row in list_stale(runtime))
    numbers = {**now, **(added or {}), **waiting, "stale": stale}
    return {name: value for name, value in numbers.items() if value is not None}
