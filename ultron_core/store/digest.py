"""One hash of everything an account holds, without ids, times, hits, costs and Dagster's tables.

Two histories ended in the same content when their digests are equal: an undisturbed run and one that was
killed and run again, a log read at once and one read as it grew. Clusters are in it only on request: they
depend on the order of arrival until `run_initial_clustering` has run; and so are windows, which come last.
"""

from __future__ import annotations

import hashlib
import json

from ultron_core.store.database import Database
from ultron_core.store.queries import load_queries

__all__ = ["content_digest"]

_PARTS = ("sessions", "messages", "segments", "memories", "drops")


def content_digest(
    database: Database, account_id: str = "default", *, clusters: bool = False, windows: bool = False
) -> str:
    """SHA-256 of the account's content, row by row in a fixed order."""
    digest = hashlib.sha256()
    queries = load_queries("upkeep/digest")
    with database.transaction() as conn:
        for part in (*_PARTS, *(("clusters",) if clusters else ()), *(("windows",) if windows else ())):
            digest.update(f"\n== {part}\n".encode())
            for row in conn.execute(queries[part], {"account_id": account_id}):
                digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()
