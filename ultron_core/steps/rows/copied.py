"""Rows of another store, written as they stood there: their ids, times, shelves and counts are kept.

The caller has compared them with what is here, holds the locks (see `lock_memories`) and makes anew what is made of
words: see `memories.index` and `memories.write_vectors`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import orjson
from psycopg import sql
from psycopg.types.json import Jsonb

from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["copy", "copy_links"]

_SQL = NamedQueries("memories/transfer")
_dumps = partial(orjson.dumps, default=str)


def copy(runtime: Runtime, conn: Connection, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Rows by table, in this order; columns that no row names have their defaults."""
    for table, rows in tables.items():
        if rows:
            _run(runtime, conn, "copy", table, rows)


def copy_links(runtime: Runtime, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
    """Links of memories that are both here, those that are missing; returns how many."""
    return _run(runtime, conn, "copy_links", "memory_links", rows) if rows else 0


def _run(runtime: Runtime, conn: Connection, name: str, table: str, rows: Sequence[Mapping[str, Any]]) -> int:
    columns = dict.fromkeys(column for row in rows for column in row)
    query = sql.SQL(_SQL[name]).format(
        table=sql.Identifier(table),
        columns=sql.SQL(", ").join(sql.Identifier(column) for column in ("account_id", *columns)),
    )
    owned = [{**row, **runtime.account} for row in rows]
    return conn.execute(query, {"rows": Jsonb(owned, dumps=_dumps)}).rowcount
