"""Repository of embedding models and of vectors by model."""

from __future__ import annotations

import hashlib
from typing import LiteralString

from psycopg import sql

from ultron_core.models import Status
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = [
    "build_indexes",
    "drop_indexes",
    "drop_unused",
    "ensure_indexes",
    "fetch",
    "index_name",
    "index_names",
    "run",
    "send",
    "unused_indexes",
]

_SQL = NamedQueries("search/embeddings")
run, fetch, send = _SQL.run, _SQL.fetch, _SQL.send


def index_name(model_id: str) -> str:
    """Name of the HNSW index of a model."""
    return f"memory_vectors_hnsw_{hashlib.sha256(model_id.encode()).hexdigest()[:12]}"


def index_names(model_id: str) -> dict[Status, str]:
    """The HNSW index of each shelf that is searched."""
    return {"active": index_name(model_id), "claimed": f"{index_name(model_id)}_claimed"}


def ensure_indexes(conn: Connection, model_id: str, dimension: int) -> None:
    """The indexes of a model in the caller's transaction; made once, when its first memory is stored."""
    for status in index_names(model_id):
        _build(conn, model_id, dimension, status, "")


def build_indexes(conn: Connection, model_id: str, dimension: int) -> None:
    """Make a model's indexes while others read and write; `conn` is in autocommit. Half-built ones are replaced."""
    for status, name in index_names(model_id).items():
        state = fetch(conn, "index_state", {"name": f"ultron.{name}"})
        if state and state[0]["valid"]:
            continue
        if state:
            _drop(conn, name, "CONCURRENTLY")
        _build(conn, model_id, dimension, status, "CONCURRENTLY")


def _build(
    conn: Connection, model_id: str, dimension: int, status: Status, concurrently: LiteralString
) -> None:
    values = {
        "concurrently": sql.SQL(concurrently),
        "name": sql.Identifier(index_names(model_id)[status]),
        "status": sql.Literal(status),
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


def drop_indexes(conn: Connection, model_id: str, *, concurrently: bool = False) -> None:
    """Drop a model's indexes; `concurrently` needs a connection in autocommit, else searches of others wait."""
    for name in index_names(model_id).values():
        _drop(conn, name, "CONCURRENTLY" if concurrently else "")


def _drop(conn: Connection, name: str, concurrently: LiteralString) -> None:
    names = {"name": sql.Identifier("ultron", name), "concurrently": sql.SQL(concurrently)}
    conn.execute(sql.SQL(_SQL["drop_index"]).format(**names))
