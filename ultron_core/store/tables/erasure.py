"""Repository of erasing: what a scope takes, by the rules of the registry. It runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg import sql

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.registry import ERASURE, FOUND_BY, OF_AGENT, Rule

__all__ = ["count_rows", "delete_rest", "delete_rows", "fetch", "fetch_one", "run"]

_SQL = NamedQueries("upkeep/erase")
run, fetch, fetch_one = _SQL.run, _SQL.fetch, _SQL.fetch_one

#: the condition by which rows of a rule are found
_FOUND: Mapping[Rule, str] = {
    "file": "by_file",
    "session": "by_session",
    "segment": "by_segment",
    "memory": "by_memory",
}
_ALL = sql.SQL("true")


def count_rows(conn: Connection, params: Mapping[str, Any]) -> dict[str, int]:
    """How many rows of each table a scope takes, of tables with any; of an agent or an account also what no session or
    memory leads to."""
    asked = [
        sql.SQL(_SQL["count_rows"]).format(
            name=sql.Literal(table), table=sql.Identifier(table), condition=condition
        )
        for table in ERASURE
        if (condition := _condition(table, params["kind"])) is not None
    ]
    rows = conn.execute(sql.SQL(" UNION ALL ").join(asked), dict(params)).fetchall()
    return {row["name"]: row["rows"] for row in rows if row["rows"]}


def delete_rows(conn: Connection, params: Mapping[str, Any]) -> None:
    """The rows that name the files and texts of a scope, and what goes whenever anything is erased; what belongs to
    them goes with them."""
    for table, rule in ERASURE.items():
        if rule in ("file", "answer"):
            _delete(conn, table, _condition(table) or _ALL, params)


def delete_rest(conn: Connection, params: Mapping[str, Any]) -> int:
    """What no session or memory leads to, of the agent `named` or of the whole account; returns how many rows."""
    tables = [table for table, rule in ERASURE.items() if rule not in ("blob", "mark")]
    if params["kind"] == "account":
        return sum(_delete(conn, table, _ALL, params) for table in tables)
    if params["kind"] == "agent":
        return sum(_delete(conn, table, sql.SQL(_SQL["by_agent"]), params) for table in OF_AGENT)
    return 0


def _delete(conn: Connection, table: str, condition: sql.Composable, params: Mapping[str, Any]) -> int:
    query = sql.SQL(_SQL["delete_rows"]).format(table=sql.Identifier(table), condition=condition)
    return conn.execute(query, dict(params)).rowcount


def _condition(table: str, kind: str = "") -> sql.Composable | None:
    """What rows of a table a scope takes; None: none of them are counted."""
    rule = ERASURE[table]
    if rule in ("blob", "mark"):
        return None
    if kind == "account" or rule == "answer":
        return _ALL
    names = [_FOUND[rule]] if rule in _FOUND else []
    names += ["by_id"] if table == "raw_uploads" else []
    names += ["by_agent"] if kind == "agent" and table in OF_AGENT else []
    column = sql.Identifier(FOUND_BY.get(table, "memory_id"))
    found = [sql.SQL(_SQL[name]).format(column=column) for name in names]
    return sql.SQL(" OR ").join(found) if found else None
