"""Repository of task segments and their labels. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables.records import SegmentRow

__all__ = ["fetch", "memories_of", "of_sessions", "pending", "run", "run_many"]

_SQL = NamedQueries("log/segments")
run, run_many, fetch = _SQL.run, _SQL.run_many, _SQL.fetch


def of_sessions(conn: Connection, ids: Sequence[UUID]) -> dict[UUID, list[SegmentRow]]:
    """The segments of some sessions, each in order."""
    found: dict[UUID, list[SegmentRow]] = {session_id: [] for session_id in ids}
    for row in conn.execute(_SQL["of_sessions"], {"ids": list(ids)}):
        found[row["session_id"]].append(SegmentRow.from_row(row))
    return found


def pending(conn: Connection, query: str, params: Mapping[str, Any]) -> list[tuple[SegmentRow, str]]:
    """(segment, partition key) of what waits; `query` is `to_label` or `to_extract`."""
    rows = conn.execute(_SQL[query], dict(params))
    return [(SegmentRow.from_row(row), row["partition_key"]) for row in rows]


def memories_of(conn: Connection, segment_ids: Sequence[UUID]) -> list[UUID]:
    """Memories that rest on any of these segments."""
    rows = conn.execute(_SQL["memories_of"], {"ids": list(segment_ids)})
    return [row["memory_id"] for row in rows]
