"""BM25 weights follow the average length: a store that began with short memories and now holds long ones.

A row keeps the average that its weights were made with. When the present one has moved by more than a fifth since,
the rebalance recomputes the row's weights from what is stored, in chunks, each a transaction of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from ultron_core.search.terms import BM25_B, BM25_K1
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["DRIFT", "reweigh_memories"]

_SQL = NamedQueries("search/reweight")
#: share by which the average may move; a fifth changes the weight of a word by at most a twelfth
DRIFT = 0.2
#: rows per transaction
_CHUNK = 1000


def reweigh_memories(runtime: Runtime, drift: float = DRIFT) -> int:
    """Number of memories whose weights were recomputed: those whose average moved by more than `drift` (0 to 1).

    Killed between two chunks, the next call does the rest.
    """
    found = runtime.database.run(lambda conn: _SQL.fetch_one(conn, "average", runtime.account))
    if not found:
        return 0
    params = {
        **runtime.account,
        "average": float(found["average"]),
        "k1": BM25_K1,
        "b": BM25_B,
        "share": drift,
        "limit": _CHUNK,
    }
    done, last = runtime.database.run(partial(_chunk, {**params, "after": None}))
    while last is not None:
        more, last = runtime.database.run(partial(_chunk, {**params, "after": last}))
        done += more
    return done


def _chunk(params: Mapping[str, Any], conn: Connection) -> tuple[int, UUID | None]:
    """Rows written, and the last one's id; None when none was left."""
    row = _SQL.fetch_one(conn, "reweigh", params)
    return (row["rows"], row["last"]) if row else (0, None)
