"""Repository of the replay of redaction. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ultron_core.store.database import Connection
from ultron_core.store.queries import load_queries

__all__ = ["PLACES", "fetch", "run"]

_SQL = load_queries("redaction")
#: tables other than memories that hold redacted text
PLACES = tuple(
    name.removeprefix("read_") for name in _SQL if name.startswith("read_") and name != "read_memories"
)


def fetch(conn: Connection, query: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All rows of a named query of this family."""
    return conn.execute(_SQL[query], dict(params)).fetchall()


def run(conn: Connection, query: str, params: Mapping[str, Any]) -> int:
    """Execute a named query of this family; returns the number of rows it touched."""
    return conn.execute(_SQL[query], dict(params)).rowcount
