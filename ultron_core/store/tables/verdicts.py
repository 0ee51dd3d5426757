"""Repository of what people say of memories, and of what that teaches. Every function runs in the caller's
transaction."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["JUNK", "fetch", "fetch_one", "run", "send", "unjudged"]

_SQL = NamedQueries("memories/verdicts")
run, fetch, fetch_one, send = _SQL.run, _SQL.fetch, _SQL.fetch_one, _SQL.send
#: the reason for which a memory is archived that its owner judged junk
JUNK = "judged_junk"


def unjudged(conn: Connection, account_id: str, bound: float, limit: int) -> Sequence[UUID]:
    """Memories that nobody has judged, those nearest to the ranker's bound first, then the newest."""
    params = {"account_id": account_id, "bound": bound, "limit": limit}
    return [row["id"] for row in _SQL.fetch(conn, "unjudged", params)]
