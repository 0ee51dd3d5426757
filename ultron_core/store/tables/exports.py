"""Repository of published datasets. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["insert", "newest", "newest_of_all"]

_SQL = NamedQueries("upkeep/exports")


def newest(conn: Connection, account_id: str, name: str) -> dict[str, Any] | None:
    """The newest dataset of this name, or None."""
    return _SQL.fetch_one(conn, "newest", {"account_id": account_id, "name": name})


def newest_of_all(conn: Connection, account_id: str) -> dict[str, Any] | None:
    """The dataset that was written last, whatever its name."""
    return _SQL.fetch_one(conn, "newest_of_all", {"account_id": account_id})


def insert(conn: Connection, values: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """Record a dataset and the segments it holds; nothing when its path is recorded already."""
    export_id = uuid4()
    done = conn.execute(_SQL["insert"], {**values, "id": export_id, "manifest": Jsonb(values["manifest"])})
    if done.rowcount and rows:
        conn.cursor().executemany(_SQL["insert_row"], [{**row, "export_id": export_id} for row in rows])
