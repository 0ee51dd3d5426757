"""Tiers by percentile of hits, the archive of COLD memories, and a check of the word frequencies.

The ranking is one statement that locks nothing and leaves what there is to do in a temporary table, so that memory
here does not grow with the store. Only rows whose tier changed are written, in chunks, each a transaction of its own:
searches that count hits never wait for more than one chunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from ultron_core.steps.clusters.members import lock_clusters
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.rows.status import set_status
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upkeep.reweight import DRIFT, reweigh_memories
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["TierReport", "run_tier_rebalance"]

_SQL = NamedQueries("memories/tiers")
#: pages of the temporary table a transaction: about 5,000 rows, 40 ms
_CHUNK_PAGES = 32
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
    claims_archived: int


def run_tier_rebalance(runtime: Runtime) -> TierReport:
    """hit_count, then last_hit_at, then id; ceil() cuts; COLD past its time is archived, never deleted. A rule that
    no person said waits for a second session before it may be HOT. Claims that no session repeated in their time are
    archived too.

    Ranked once, at the start: what comes or is hit meanwhile counts the next time.
    """
    # after a connection was lost on the way all is ranked again, and what was written stays written
    written: Counter[str] = Counter()
    cut = runtime.database.run_session(partial(_rebalance, runtime, written))
    claims = _archive_claims(runtime)
    (off,) = runtime.database.run(lambda conn: _rows(runtime, conn, "drift", share=DRIFT))
    if off["documents"] or off["total_length"] or off["postings"]:
        _repair_frequencies(runtime, off)
    if off["moved"]:
        reweigh_memories(runtime)
    return TierReport(
        total=cut["total"],
        hot=cut["hot"],
        warm=cut["warm"],
        cold=cut["total"] - cut["hot"] - cut["warm"],
        tier_changes=written["changed"],
        newly_hot=written["hot"],
        cold_archived=written["archived"],
        claims_archived=claims,
    )


def _rebalance(runtime: Runtime, written: Counter[str], conn: Connection) -> dict[str, int]:
    """How many memories are active, HOT and WARM, by the ranking and less what was archived after it."""
    tiers = runtime.settings.tiers
    days = tiers.cold_ttl_days
    before = runtime.clock() - timedelta(days=days) if days else None
    shares = {"hot": tiers.hot_percentile, "warm": tiers.warm_percentile}
    conn.execute(_SQL["make_work"])
    (cut,) = _rows(runtime, conn, "rank", before=before, **shares)
    (work,) = _rows(runtime, conn, "work_pages")
    for page in range(0, work["pages"], _CHUNK_PAGES):
        pages = {"begin": f"({page},0)", "end": f"({page + _CHUNK_PAGES},0)"}
        with conn.transaction():
            conn.execute(_SQL["only_by_id"])
            (done,) = _rows(runtime, conn, "set_tiers", **pages)
        written.update(done)
    if before is not None:
        cut["total"] -= _archive_expired(runtime, before, written, conn)
    return cut


def _rows(runtime: Runtime, conn: Connection, query: str, **params: Any) -> list[dict[str, Any]]:
    return _SQL.fetch(conn, query, {**runtime.account, **params})


def _archive_expired(runtime: Runtime, before: datetime, written: Counter[str], conn: Connection) -> int:
    archived = 0
    with conn.cursor("expired", withhold=True) as expired:
        expired.execute(_SQL["expired"])
        while rows := expired.fetchmany(_ARCHIVE_CHUNK):
            ids = [row["memory_id"] for row in rows]
            with conn.transaction():
                done = _archive(runtime, conn, ids, before)
            written["archived"] += done
            archived += done
    return archived


def _archive(runtime: Runtime, conn: Connection, ids: list[UUID], before: datetime) -> int:
    lock_memories(runtime, conn)
    rows = _rows(runtime, conn, "still_expired", ids=ids, before=before)
    return len(set_status(runtime, conn, [row["memory_id"] for row in rows], "archived", "cold_ttl"))


def _archive_claims(runtime: Runtime) -> int:
    days, archived = runtime.settings.tiers.claimed_days, 0
    before = runtime.clock() - timedelta(days=days)

    def work(conn: Connection) -> int:
        lock_memories(runtime, conn)
        rows = _rows(runtime, conn, "expired_claims", before=before, limit=_ARCHIVE_CHUNK)
        return len(set_status(runtime, conn, [row["id"] for row in rows], "archived", "claimed_expired"))

    while days and (done := runtime.database.run(work)):
        archived += done
    return archived


def _repair_frequencies(runtime: Runtime, off: Mapping[str, Any]) -> None:
    """Word counts change with every upload; they are moved by what a sum over all rows found to be `off`."""
    terms = runtime.database.run(lambda conn: _rows(runtime, conn, "df_drift"))
    counts = {
        "documents": int(off["documents"]),
        "total_length": int(off["total_length"]),
        "terms": [row["term"] for row in terms],
        "offs": [row["off"] for row in terms],
    }

    def repair(conn: Connection) -> None:
        lock_clusters(runtime, conn)
        _SQL.run(conn, "repair_counts", {**runtime.account, **counts})

    runtime.database.run(repair)
