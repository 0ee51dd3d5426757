"""Repository of upload batches: what they are compared with, and their rows. Runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
from pgvector import Vector
from psycopg import sql

from ultron_core.store.database import Connection
from ultron_core.store.queries import load_queries

__all__ = ["Floats", "as_vectors", "fetch", "nearest", "run"]

Floats = npt.NDArray[np.float32]
_SQL = load_queries("uploads")
#: below this many rows of a type every row is compared; above it the index is faster than that, one query or many
EXACT_BELOW = 256


def run(conn: Connection, query: str, params: Mapping[str, Any]) -> int:
    """Execute a named query of this family; returns the number of rows it touched."""
    return conn.execute(_SQL[query], dict(params)).rowcount


def fetch(conn: Connection, query: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All rows of a named query of this family."""
    return conn.execute(_SQL[query], dict(params), binary=True).fetchall()


def as_vectors(vectors: Sequence[Floats]) -> list[Vector]:
    """An array parameter of float32 vectors."""
    return [Vector(vector) for vector in vectors]


def nearest(
    conn: Connection,
    account_id: str,
    model: tuple[str, int],
    wanted: Sequence[tuple[int, str, Floats]],
    sizes: Mapping[str, int],
    limit: int = 5,
) -> dict[int, list[tuple[UUID, float]]]:
    """By position: (id, cosine in float32) of the nearest active memories of a type, best first.

    `wanted` holds (position, type, vector); `sizes` the active rows of each type, counted up to EXACT_BELOW;
    `model` is (id, dimension).
    """
    found: dict[int, list[tuple[UUID, float]]] = {position: [] for position, _, _ in wanted}
    small = [row for row in wanted if sizes[row[1]] < EXACT_BELOW]
    large = [row for row in wanted if sizes[row[1]] >= EXACT_BELOW]
    indexed = sql.SQL(_SQL["nearest_indexed"]).format(
        model=sql.Literal(model[0]), dimension=sql.Literal(model[1])
    )
    for rows, query in ((small, sql.SQL(_SQL["nearest_exact"])), (large, indexed)):
        if not rows:
            continue
        params = {
            "account_id": account_id,
            "model_id": model[0],
            "positions": [position for position, _, _ in rows],
            "types": [memory_type for _, memory_type, _ in rows],
            "vectors": as_vectors([vector for _, _, vector in rows]),
            "limit": limit,
        }
        for row in conn.execute(query, params, binary=True):
            found[row["position"]].append((row["memory_id"], float(row["cosine"])))
    return {key: sorted(near, key=lambda pair: (-pair[1], str(pair[0]))) for key, near in found.items()}
