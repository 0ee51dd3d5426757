"""Repository of upload batches: what they are compared with, and their rows. Runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
from pgvector import Vector
from psycopg import sql

from ultron_core.models import Status
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["Floats", "Neighbours", "as_vectors", "fetch", "nearest", "run", "send"]

Floats = npt.NDArray[np.float32]
_SQL = NamedQueries("memories/uploads", binary=True)
run, fetch, send = _SQL.run, _SQL.fetch, _SQL.send
#: below this many memories all of a type are compared; above it the index is faster than that
EXACT_BELOW = 2000
#: how many of the own type are compared in full, and how many of any type say which clusters are near
_SAME, _AROUND = 5, 20
#: a cosine in half precision is off by less
_HALF_ERROR = 0.002


def as_vectors(vectors: Sequence[Floats]) -> list[Vector]:
    """An array parameter of float32 vectors."""
    return [Vector(vector) for vector in vectors]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """`same` are the nearest of a vector's own type with cosines in float32, `around` the nearest of any type;
    both best first. `around` is None when not looked for: in a small store all clusters are compared."""

    same: tuple[tuple[UUID, float], ...] = ()
    around: tuple[UUID, ...] | None = None


Wanted = Sequence[tuple[int, str, Floats]]


def nearest(
    conn: Connection, account_id: str, model: tuple[str, int], wanted: Wanted, documents: int, lowest: float
) -> dict[int, Neighbours]:
    """By position, what is near; `wanted` holds (position, type, vector), `model` is (id, dimension).

    Up to EXACT_BELOW `documents` every row of the type is compared. Of more, one walk through the index serves
    duplicates and clusters; only where it ended among near ones (from the cosine `lowest` on) there may be
    more of its own type, and those are looked up separately.
    """
    if documents < EXACT_BELOW:
        same = _same_type(conn, account_id, model, wanted, sql.SQL(_SQL["nearest_exact"]))
        return {position: Neighbours(same[position]) for position in same}
    found: dict[int, list[dict[str, Any]]] = {position: [] for position, _, _ in wanted}
    for row in _near(conn, account_id, model, wanted, _indexed("neighbours", model, "active"), _AROUND):
        found[row["position"]].append(row)
    unsure = [one for one in wanted if _ended_near(found[one[0]], lowest)]
    more = _same_type(conn, account_id, model, unsure, _indexed("nearest_indexed", model, "active"))
    claimed = _same_type(conn, account_id, model, wanted, _indexed("nearest_indexed", model, "claimed"))
    return {
        position: Neighbours(
            _nearest([*(more.get(position) or _best(rows, memory_type)), *claimed[position]]),
            tuple(row["memory_id"] for row in rows),
        )
        for (position, memory_type, _), rows in zip(wanted, found.values(), strict=True)
    }


def _ended_near(rows: Sequence[dict[str, Any]], lowest: float) -> bool:
    return len(rows) == _AROUND and min(row["cosine"] for row in rows) >= lowest - _HALF_ERROR


def _best(rows: Sequence[dict[str, Any]], memory_type: str) -> tuple[tuple[UUID, float], ...]:
    return _nearest(
        (row["memory_id"], float(row["cosine"])) for row in rows if row["memory_type"] == memory_type
    )


def _nearest(found: Iterable[tuple[UUID, float]]) -> tuple[tuple[UUID, float], ...]:
    return tuple(sorted(found, key=lambda pair: (-pair[1], str(pair[0])))[:_SAME])


def _same_type(
    conn: Connection, account_id: str, model: tuple[str, int], wanted: Wanted, query: sql.SQL | sql.Composed
) -> dict[int, tuple[tuple[UUID, float], ...]]:
    types = {position: memory_type for position, memory_type, _ in wanted}
    found: dict[int, list[dict[str, Any]]] = {position: [] for position in types}
    for row in _near(conn, account_id, model, wanted, query, _SAME) if wanted else ():
        found[row["position"]].append({**row, "memory_type": types[row["position"]]})
    return {position: _best(rows, types[position]) for position, rows in found.items()}


def _indexed(name: str, model: tuple[str, int], shelf: Status) -> sql.Composed:
    literals = {"model": model[0], "dimension": model[1], "status": shelf}
    return sql.SQL(_SQL[name]).format(**{key: sql.Literal(value) for key, value in literals.items()})


def _near(
    conn: Connection,
    account_id: str,
    model: tuple[str, int],
    wanted: Wanted,
    query: sql.SQL | sql.Composed,
    limit: int,
) -> list[dict[str, Any]]:
    params = {
        "account_id": account_id,
        "model_id": model[0],
        "positions": [position for position, _, _ in wanted],
        "types": [memory_type for _, memory_type, _ in wanted],
        "vectors": as_vectors([vector for _, _, vector in wanted]),
        "limit": limit,
    }
    return conn.execute(query, params, binary=True).fetchall()
