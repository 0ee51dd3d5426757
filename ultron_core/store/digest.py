"""One hash of everything an account holds, without ids, times, hits, costs and Dagster's tables.

Two histories ended in the same content when their digests are equal: an undisturbed run and one that was
killed and run again, a log read at once and one read as it grew. Clusters are in it only on request: they
depend on the order of arrival until `run_initial_clustering` has run; and so are windows, which come last.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ultron_core.store.database import Connection, Database
from ultron_core.store.queries import load_queries

__all__ = ["content_digest", "digest_of"]

#: rows at a time
_PAGE = 2_000
_PARTS = ("sessions", "messages", "segments", "memories", "drops")


def content_digest(
    database: Database,
    account_id: str = "default",
    *,
    clusters: bool = False,
    windows: bool = False,
    memories_alone: bool = False,
) -> str:
    """SHA-256 of the account's content, row by row in a fixed order; with `memories_alone` of what an export holds."""
    with database.transaction() as conn:
        parts = ("memories",) if memories_alone else _PARTS
        more = (*(("clusters",) if clusters else ()), *(("windows",) if windows else ()))
        return digest_of(conn, account_id, (*parts, *more))


def digest_of(conn: Connection, account_id: str, parts: Sequence[str] = _PARTS) -> str:
    """The same in the caller's transaction."""
    digest = hashlib.sha256()
    queries = load_queries("upkeep/digest")
    for part in parts:
        digest.update(f"\n== {part}\n".encode())
        with conn.cursor(name="digest") as rows:  # a store may have more messages than fit the memory
            rows.itersize = _PAGE
            for row in rows.execute(queries[part], {"account_id": account_id}):
                digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()
