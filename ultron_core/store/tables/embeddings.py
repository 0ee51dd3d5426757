"""Repository of embedding models and of vectors by model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from psycopg import sql

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["build_index", "drop_index", "fetch", "index_name", "run"]

_SQL = NamedQueries("embeddings")
run, fetch = _SQL.run, _SQL.fetch


def index_name(model_id: str) -> str:
    """Name of the HNSW index of a model."""
    return f"memory_vectors_hnsw_{hashlib.sha256(model_id.encode()).hexdigest()[:12]}"


def build_index(conn: Connection, model_id: str, dimension: int) -> None:
    """Make a model's index while others read and write; `conn` is in autocommit. Half-built ones are replaced."""
    name = index_name(model_id)
    state = fetch(conn, "index_state", {"name": f"ultron.{name}"})
    if state and state[0]["valid"]:
        return
    if state:
        drop_index(conn, model_id)
    values = {
        "name": sql.Identifier(name),
        "model": sql.Literal(model_id),
        "dimension": sql.Literal(dimension),
    }
    conn.execute(sql.SQL(_SQL["build_index"]).format(**values))


def drop_index(conn: Connection, model_id: str) -> None:
    """Drop a model's index; `conn` is in autocommit."""
    name = sql.Identifier("ultron", index_name(model_id))
    conn.execute(sql.SQL(_SQL["drop_index"]).format(name=name))
