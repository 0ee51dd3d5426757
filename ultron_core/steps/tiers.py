"""Tiers by percentile of hits, the archive of COLD memories, and a check of the word frequencies.

The ranking is read in one statement that locks nothing; only rows whose tier changed are written, in chunks,
each a transaction of its own, so that searches that count hits never wait for more than one chunk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from ultron_core.steps.context import Context
from ultron_core.steps.memory_rows import set_status
from ultron_core.steps.reweight import reweigh_memories
from ultron_core.store import memories as memory_store
from ultron_core.store.database import Connection
from ultron_core.store.queries import load_queries

__all__ = ["TierReport", "run_tier_rebalance"]

_SQL = load_queries("tiers")
#: rows a transaction: about 40 ms
_CHUNK = 5000
#: archiving also writes both lanes, word counts and clusters
_ARCHIVE_CHUNK = 500


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
    changes = _changed(context)
    for begin in range(0, len(changes), _CHUNK):
        context.database.run(partial(_set_tiers, context, changes[begin : begin + _CHUNK]))
    archived = _archive_expired(context)
    _mend_frequencies(context)
    reweigh_memories(context)
    counts = {row["tier"]: int(row["count"]) for row in _rows(context, "counts")}
    return TierReport(
        total=sum(counts.values()),
        hot=counts.get("HOT", 0),
        warm=counts.get("WARM", 0),
        cold=counts.get("COLD", 0),
        tier_changes=len(changes),
        newly_hot=sum(row["tier"] == "HOT" for row in changes),
        cold_archived=archived,
    )


def _rows(context: Context, query: str, **params: Any) -> list[dict[str, Any]]:
    values = {"account_id": context.account_id, **params}
    return context.database.run(lambda conn: conn.execute(_SQL[query], values).fetchall())


def _changed(context: Context) -> list[dict[str, Any]]:
    """`{memory_id, tier}` of each memory that needs another tier, in order of id."""
    tiers = context.settings.tiers
    total = _rows(context, "active_count")[0]["count"]
    hot = math.ceil(total * tiers.hot_percentile / 100)
    return _rows(context, "changed", hot=hot, warm=hot + math.ceil(total * tiers.warm_percentile / 100))


def _set_tiers(context: Context, changes: Sequence[dict[str, Any]], conn: Connection) -> None:
    params = {"ids": [row["memory_id"] for row in changes], "tiers": [row["tier"] for row in changes]}
    conn.execute(_SQL["set_tiers"], {"account_id": context.account_id, **params})


def _archive_expired(context: Context) -> int:
    days = context.settings.tiers.cold_ttl_days
    if not days:
        return 0
    params = {
        "account_id": context.account_id,
        "before": context.clock() - timedelta(days=days),
        "limit": _ARCHIVE_CHUNK,
    }

    def chunk(after: UUID | None, conn: Connection) -> tuple[UUID | None, int]:
        memory_store.run(conn, "lock_clusters", {"account_id": context.account_id})
        rows = conn.execute(_SQL["expired"], {**params, "after": after}).fetchall()
        ids = [row["memory_id"] for row in rows]
        done = len(set_status(context, conn, ids, "archived", "cold_ttl"))
        return (ids[-1] if ids else None), done

    last, archived = context.database.run(partial(chunk, None))
    while last is not None:
        last, done = context.database.run(partial(chunk, last))
        archived += done
    return archived


def _mend_frequencies(context: Context) -> None:
    """Word counts change with every upload; a cheap sum says whether they still fit, and what is off is mended."""
    off = _rows(context, "drift")[0]
    if not any(off.values()):
        return
    terms = _rows(context, "df_drift")

    def mend(conn: Connection) -> None:
        account = {"account_id": context.account_id}
        memory_store.run(conn, "lock_clusters", account)
        pairs = {"terms": [row["term"] for row in terms], "offs": [row["off"] for row in terms]}
        conn.execute(_SQL["mend_df"], {**account, **pairs})
        counts = {"documents": int(off["documents"]), "total_length": int(off["total_length"])}
        conn.execute(_SQL["mend_stats"], {**account, **counts})

    context.database.run(mend)
