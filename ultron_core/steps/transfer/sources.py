"""Sources of imported memories: tied to the task of a log that is here too, else kept as words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from ultron_core.steps.runtime import Runtime
from ultron_core.steps.transfer.lines import Line
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["resolve_sources"]

_SQL = NamedQueries("memories/transfer")
#: what makes a task the same one: its log, and what is said in it
_TASK = ("agent_id", "session_file", "generation", "thread", "fingerprint", "occurrence")


def resolve_sources(
    runtime: Runtime, conn: Connection, lines: Sequence[Line]
) -> tuple[list[dict[str, Any]], int]:
    """Rows of `memory_sources`, and how many of them only name their log."""
    sources = [{**row, "memory_id": str(line.id)} for line in lines for row in line.parts["memory_sources"]]
    tasks, texts = _tasks(runtime, conn, sources), _texts(runtime, conn, sources)
    rows, cited = [], 0
    for place, source in enumerate(sources):
        log, text = source.pop("log", None), source.get("raw_upload_id")
        tied: Mapping[str, Any] = tasks.get(place, {})
        cited += bool(log) and not tied
        rows.append(
            {
                **source,
                "raw_upload_id": text if text in texts else None,
                "session_id": tied.get("session_id"),
                "segment_id": tied.get("segment_id"),
                "cited": None if tied else log,
            }
        )
    return rows, cited


def _tasks(
    runtime: Runtime, conn: Connection, sources: Sequence[Mapping[str, Any]]
) -> dict[int, dict[str, Any]]:
    logs = [
        {"place": place, **{name: source["log"].get(name) for name in _TASK}}
        for place, source in enumerate(sources)
        if source.get("log")
    ]
    if not logs:
        return {}
    rows = _SQL.fetch(conn, "logs", {**runtime.account, "logs": Jsonb(logs)})
    return {row["place"]: row for row in rows}


def _texts(runtime: Runtime, conn: Connection, sources: Sequence[Mapping[str, Any]]) -> set[str]:
    ids = [UUID(source["raw_upload_id"]) for source in sources if source.get("raw_upload_id")]
    return {str(row["id"]) for row in _SQL.fetch(conn, "texts", {**runtime.account, "ids": ids})}
