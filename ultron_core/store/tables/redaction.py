"""Repository of the replay of redaction. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg import sql
from psycopg.types.json import Jsonb

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["PLACES", "Place", "count", "fetch", "read", "run", "write"]

_SQL = NamedQueries("upkeep/redaction")
run, fetch = _SQL.run, _SQL.fetch


@dataclass(frozen=True, slots=True)
class Place:
    """A table that holds redacted text: its columns with their types, and what orders its rows.

    `versioned`: its rows name the version they were redacted with.
    """

    table: LiteralString
    columns: Mapping[LiteralString, LiteralString]
    key: LiteralString = "id"
    key_type: LiteralString = "uuid"
    versioned: bool = False

    def query(self, name: str) -> sql.Composed:
        """A query of the family for this table."""
        changes: list[LiteralString] = [f"{column} = v.{column}" for column in self.columns]
        if self.versioned:
            changes.append("redaction_version = %(version)s")
        return sql.SQL(_SQL[name]).format(
            table=sql.SQL(self.table),
            key=sql.SQL(self.key),
            key_type=sql.SQL(self.key_type),
            columns=sql.SQL(", ").join(map(sql.SQL, self.columns)),
            types=sql.SQL(", ").join([sql.SQL(f"{name} {kind}") for name, kind in self.columns.items()]),
            changes=sql.SQL(", ").join(map(sql.SQL, changes)),
            unread=sql.SQL(_SQL["unread"] if self.versioned else ""),
        )


_BODY: Mapping[LiteralString, LiteralString] = {"content": "text", "context": "text", "resolution": "text"}
_OUTCOMES: Mapping[LiteralString, LiteralString] = {
    "topic": "text",
    "quality_metrics": "jsonb",
    "label_error": "text",
    "extract_error": "text",
    "repair": "text",
    "model_notes": "jsonb",
}
#: tables other than memories (whose words also change vectors and counts) that hold redacted text, by name
PLACES: Mapping[str, Place] = {
    place.table: place
    for place in (
        Place("memory_sources", {"quote": "text", "cited": "jsonb"}),
        Place("memory_contributions", {**_BODY, "tags": "text[]"}),
        Place(
            "memory_versions",
            {**_BODY, "tags": "text[]"},
            key="(memory_id::text || '/' || lpad(version::text, 10, '0'))",
            key_type="text",
        ),
        Place("merge_decisions", {"reason": "text", "body_before": "jsonb"}),
        Place("task_segments", _OUTCOMES, versioned=True),
        Place("drops", {"detail": "text", "payload": "jsonb"}, key_type="bigint"),
        Place("clusters", {"topic": "text"}, key="cluster_id"),
        Place("cluster_changes", {"reason": "text"}),
        Place("sessions", {"cwd": "text", "tools": "jsonb", "error": "text"}),
        Place(
            "memory_links",
            {"reason": "text"},
            key="(from_id::text || '/' || to_id || '/' || kind)",
            key_type="text",
        ),
        Place(
            "source_files",
            {"path": "text", "error": "text"},
            key="(agent_id || '/' || session_file) COLLATE \"C\"",
            key_type="text",
        ),
        Place("llm_calls", {"error": "text"}, key_type="bigint"),
    )
}


def count(conn: Connection, account_id: str, table: LiteralString) -> int:
    """Rows of a table that an account has."""
    query = sql.SQL(_SQL["count"]).format(table=sql.SQL(table))
    row = conn.execute(query, {"account_id": account_id}).fetchone()
    return int(row["rows"]) if row else 0


def read(conn: Connection, place: Place, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The next rows, by `key`, after `after`, at most `limit`; locked."""
    return conn.execute(place.query("read"), dict(params)).fetchall()


def write(conn: Connection, place: Place, rows: list[dict[str, Any]], params: Mapping[str, Any]) -> None:
    """Other values of rows by `key`."""
    conn.execute(place.query("write"), {**params, "rows": Jsonb(rows)})
