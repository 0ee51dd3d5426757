"""Tiers by percentile of hits, the archive of COLD memories, and the recount of word frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from ultron_core.steps.context import Context
from ultron_core.steps.memory_rows import set_status
from ultron_core.store import memories as memory_store
from ultron_core.store.database import Connection
from ultron_core.store.queries import load_queries

__all__ = ["TierReport", "run_tier_rebalance"]

_SQL = load_queries("tiers")
_CHUNK = 5000


@dataclass(frozen=True, slots=True)
class TierReport:
    """Active memories by tier after the rebalance, and what changed."""

    total: int
    hot: int
    warm: int
    cold: int
    tier_changes: int
    newly_hot: int
    cold_archived: int


def run_tier_rebalance(context: Context) -> TierReport:
    """hit_count, then last_hit_at, then id; ceil() cuts; COLD past its time is archived, never deleted."""
    tiers = context.settings.tiers
    params = {
        "account_id": context.account_id,
        "hot": tiers.hot_percentile,
        "warm": tiers.warm_percentile,
    }
    changes = context.database.run(lambda conn: conn.execute(_SQL["rebalance"], params).fetchall())
    archived = _archive_expired(context)
    context.database.run(lambda conn: _recount(context, conn))
    with context.database.transaction() as conn:
        rows = conn.execute(_SQL["counts"], {"account_id": context.account_id}).fetchall()
    counts = {row["tier"]: int(row["count"]) for row in rows}
    return TierReport(
        total=sum(counts.values()),
        hot=counts.get("HOT", 0),
        warm=counts.get("WARM", 0),
        cold=counts.get("COLD", 0),
        tier_changes=len(changes),
        newly_hot=sum(row["tier"] == "HOT" for row in changes),
        cold_archived=archived,
    )


def _archive_expired(context: Context) -> int:
    days = context.settings.tiers.cold_ttl_days
    if not days:
        return 0
    before = context.clock() - timedelta(days=days)
    archived = 0

    def chunk(conn: Connection) -> int:
        memory_store.run(conn, "lock_clusters", {"account_id": context.account_id})
        rows = conn.execute(
            _SQL["expired"], {"account_id": context.account_id, "before": before, "limit": _CHUNK}
        ).fetchall()
        return len(set_status(context, conn, [row["memory_id"] for row in rows], "archived", "cold_ttl"))

    while done := context.database.run(chunk):
        archived += done
    return archived


def _recount(context: Context, conn: Connection) -> None:
    memory_store.run(conn, "lock_clusters", {"account_id": context.account_id})
    conn.execute(_SQL["recount_df"], {"account_id": context.account_id})
    conn.execute(_SQL["recount_stats"], {"account_id": context.account_id})
