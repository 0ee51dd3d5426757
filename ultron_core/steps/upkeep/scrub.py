"""Down to the disk: no file of the embedded server keeps bytes of rows that are gone.

Indexes and overflow tables keep them until the table is rewritten, planner statistics until they are made anew, the
write-ahead log until its files are deleted, and the server's log what failing statements said.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from ultron_core.errors import ConflictError
from ultron_core.steps.runtime import Runtime
from ultron_core.store.queries import NamedQueries

__all__ = ["scrub"]

_SQL = NamedQueries("upkeep/scrub")
_Connection = psycopg.Connection[dict[str, Any]]


def scrub(runtime: Runtime, log: Path) -> None:
    """Rewrite all tables of the embedded server, its write-ahead log and its own log, which lies at `log`. Others wait
    for their tables meanwhile. Raises ConflictError while somebody holds a table for minutes."""
    url = runtime.database.url
    with _connect(url) as conn:
        names = [row["name"] for row in _SQL.fetch(conn, "databases", {})]
    for name in names:
        with _connect(make_conninfo(url, dbname=name)) as conn:
            _rewrite(conn)
    with _connect(url) as conn:
        _renew_wal(conn)
    log.with_suffix(".log.1").unlink(missing_ok=True)
    with log.open("r+b") as file:  # the server appends to this very file
        file.truncate()


def _connect(url: str) -> _Connection:
    conn = psycopg.Connection[dict[str, Any]].connect(url, autocommit=True, row_factory=dict_row)
    conn.execute("SET statement_timeout = 0")
    conn.execute("SET lock_timeout = '5min'")
    return conn


def _rewrite(conn: _Connection) -> None:
    _SQL.run(conn, "forget_statistics", {})
    try:
        for row in _SQL.fetch(conn, "tables", {}):
            table = sql.Identifier(*_parts(row["name"]))
            conn.execute(sql.SQL(_SQL["rewrite"]).format(table=table))
    except psycopg.errors.LockNotAvailable as error:
        raise ConflictError(
            "A table has been in use for minutes: end `ultron dev`, `ultron serve` and other work on this home, then "
            "give the command again."
        ) from error
    _SQL.run(conn, "sample", {})


def _parts(name: str) -> list[str]:
    return [part.strip('"') for part in name.split(".")]


def _renew_wal(conn: _Connection) -> None:
    """Write past every file that is there, and have the old ones deleted."""
    for query in ("no_recycling", "reload", "checkpoint"):
        _SQL.send(conn, query, {})
    try:
        (row,) = _SQL.fetch(conn, "wal_files", {})
        for _ in range(row["count"] + 1):
            _SQL.send(conn, "next_wal_file", {})
        for _ in range(2):  # the first keeps what the one before it still needs
            _SQL.send(conn, "checkpoint", {})
    finally:
        for query in ("recycling", "reload"):
            _SQL.send(conn, query, {})
