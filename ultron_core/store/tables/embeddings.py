"""Repository of embedding models and of vectors by model."""

from __future__ import annotations

import hashlib
from typing import LiteralString

from psycopg import sql

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = [
    "build_index",
    "drop_index",
    "drop_unused",
    "ensure_index",
    "fetch",
    "index_name",
    "run",
    "send",
    "unused_indexes",
]

_SQL = NamedQueries("search/embeddings")
run, fetch, send = _SQL.run, _SQL.fetch, _SQL.send


def index_name(model_id: str) -> str:
    """Name of the HNSW index of a model."""
    return f"memory_vectors_hnsw_{hashlib.sha256(model_id.encode()).hexdigest()[:12]}"


def ensure_index(conn: Connection, model_id: str, dimension: int) -> None:
    """The index of a model in the caller's transaction; made once, when its first memory is stored."""
    _build(conn, model_id, dimension, "")


def build_index(conn: Connection, model_id: str, dimension: int) -> None:
    """Make a model's index while others read and write; `conn` is in autocommit. Half-built ones are replaced."""
    state = fetch(conn, "index_state", {"name": f"ultron.{index_name(model_id)}"})
    if state and state[0]["valid"]:
        return
    if state:
        drop_index(conn, model_id, concurrently=True)
    _build(conn, model_id, dimension, "CONCURRENTLY")


def _build(conn: Connection, model_id: str, dimension: int, concurrently: LiteralString) -> None:
    values = {
        "concurrently": sql.SQL(concurrently),
        "name": sql.Identifier(index_name(model_id)),
        "model": sql.Literal(model_id),
        "dimension": sql.Literal(dimension),
    }
    conn.execute(sql.SQL(_SQL["build_index"]).format(**values))


def unused_indexes(conn: Connection, model_id: str) -> list[str]:
    """The indexes of models that hold nothing any more, whoever dropped the last row; `model_id` is the caller's own,
    which stays."""
    return [row["name"] for row in fetch(conn, "unused_indexes", {"model_id": model_id})]


def drop_unused(conn: Connection, name: str) -> None:
    """Drop one of these; waits a second at most for others to let go. Raises LockNotAvailable."""
    conn.execute("SET LOCAL lock_timeout = '1s'")
    _drop(conn, name, "")


def drop_index(conn: Connection, model_id: str, *, concurrently: bool = False) -> None:
    """Drop a model's index; `concurrently` needs a connection in autocommit, else searches of others wait."""
    _drop(conn, index_name(model_id), "CONCURRENTLY" if concurrently else "")


def _drop(conn: Connection, name: str, concurrently: LiteralString) -> None:
    names = {"name": sql.Identifier("ultron", name), "concurrently": sql.SQL(concurrently)}
    conn.execute(sql.SQL(_SQL["drop_index"]).format(**names))
