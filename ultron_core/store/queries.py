"""SQL by name: `NamedQueries("log/sessions").run(conn, "insert", params)` runs one of `queries/log/sessions.sql`.

A file holds statements, each under `-- name: insert` and one comment line that says what it answers.
Parameters are written `%(name)s`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, LiteralString

from psycopg import Cursor

from ultron_core.errors import StoreError
from ultron_core.store.database import Connection

__all__ = ["NamedQueries", "families", "load_queries", "parse_queries"]

FOLDER = Path(__file__).parent / "queries"
#: the line above each query of a file, e.g. `-- name: find_memory`
_HEADER = re.compile(r"^-- name: *(.*?) *$", re.MULTILINE)


class NamedQueries:
    """The statements of one file, run by name in the caller's transaction."""

    def __init__(self, family: str, *, binary: bool = False) -> None:
        """`binary`: results come in binary, which is how vectors are read fast and exactly."""
        self._sql = load_queries(family)
        self._binary = binary

    def __getitem__(self, name: str) -> LiteralString:
        return self._sql[name]

    def run(self, conn: Connection, name: str, params: Mapping[str, Any]) -> int:
        """Execute a statement; returns the number of rows it touched."""
        return conn.execute(self._sql[name], params).rowcount

    def run_many(self, conn: Connection, name: str, params: Iterable[Mapping[str, Any]]) -> None:
        """Execute a statement once for each of these, without waiting for one before the next is sent."""
        with conn.cursor() as cursor:
            cursor.executemany(self._sql[name], params)

    def fetch(self, conn: Connection, name: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """All rows of a statement."""
        return self.send(conn, name, params).fetchall()

    def fetch_one(self, conn: Connection, name: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        """The first row of a statement, or None."""
        return self.send(conn, name, params).fetchone()

    def send(self, conn: Connection, name: str, params: Mapping[str, Any]) -> Cursor[dict[str, Any]]:
        """Execute without waiting when inside a pipeline: rows are fetched from the cursor after it."""
        return conn.execute(self._sql[name], params, binary=self._binary)


def families() -> list[str]:
    """The names of all files of queries, such as `log/sessions`."""
    return sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.sql"))


@cache
def load_queries(name: str) -> Mapping[str, LiteralString]:
    """The statements of `store/queries/<name>.sql` by name; read once per process.

    Raises StoreError when the file is missing or malformed (see `parse_queries`).
    """
    path = FOLDER / f"{name}.sql"
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise StoreError(f"No file {path.name} among the queries; the installation is incomplete.") from error
    return parse_queries(text, path.name)


def parse_queries(text: str, source: str) -> Mapping[str, LiteralString]:
    """The statements of one file's text by name; `source` names it in messages.

    Raises StoreError for text before the first header, a bad or repeated name, a statement without a
    description line and a header without a statement.
    """
    before, *parts = _HEADER.split(text)
    if any(line.strip() and not line.startswith("--") for line in before.splitlines()):
        raise StoreError(f"{source}: SQL before the first `-- name:` line.")
    queries: dict[str, LiteralString] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        if not name.isidentifier():
            raise StoreError(f"{source}: {name!r} is not a valid query name.")
        if name in queries:
            raise StoreError(f"{source}: two queries are named {name}.")
        queries[name] = _statement(name, body, source)
    return MappingProxyType(queries)


def _statement(name: str, body: str, source: str) -> LiteralString:
    lines = body.strip().splitlines()
    if not lines or not lines[0].startswith("-- "):
        raise StoreError(f"{source}: {name} has no line under its header that says what it answers.")
    if all(not line.strip() or line.lstrip().startswith("--") for line in lines):
        raise StoreError(f"{source}: {name} has no statement.")
    # the text comes from a file of this package, never from a caller
    return "\n".join(lines[1:]).strip().rstrip(";")
