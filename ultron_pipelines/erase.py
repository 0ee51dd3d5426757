"""What Dagster keeps of sessions that are erased: partitions, events, texts of runs and ticks, logs of runs.

Found by the core under the entry point `ultron.erased`; needs PostgreSQL alone, so that it works while Dagster is not
running. Runs of several partitions stay, without the names of those that are erased.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ultron_core.errors import DatabaseUnreachableError
from ultron_core.settings import Settings
from ultron_core.steps.upkeep.outside import remove_lines
from ultron_core.store.database import describe_url
from ultron_core.store.queries import parse_queries

__all__ = ["forget_sessions"]

_FILE = Path(__file__).with_suffix(".sql")
_SQL = parse_queries(_FILE.read_text("utf-8"), _FILE.name)
#: names that one statement looks for
_AT_ONCE = 50
#: columns in which Dagster keeps the cursors of sensors, compressed
_PACKED = {
    ("instigators", "instigator_body"),
    ("jobs", "job_body"),
    ("job_ticks", "tick_body"),
    ("kvs", "value"),
}
#: compressed text in base64, e.g. `eJyrVkrLz1eyUkpKLFKqBQAbfQQq`
_COMPRESSED = re.compile(r"eJ[A-Za-z0-9+/]{20,}={0,2}")
#: what a partition's name or a path may go on with on either side; a line end is written `\n` in JSON
_BEFORE, _AFTER = r"(?:(?<![A-Za-z0-9._@=%/-])|(?<=\\[nrt]))", r"(?!\.?[A-Za-z0-9_@=%/-])"

_NONE = sql.SQL("false")

Connection = psycopg.Connection[tuple[Any, ...]]


def forget_sessions(settings: Settings, url: str, words: Sequence[str], change: bool) -> Mapping[str, int]:
    """Take what names these partitions and paths out of Dagster's tables and logs; without `change` only say how many
    rows there are, by table. `url` is the core's database, beside which Dagster's lies unless a setting says where."""
    counts: Counter[str] = Counter()
    own = _address(settings, url)
    if own is not None:
        with _connect(own) as conn:
            columns = _columns(conn)
            for begin in range(0, len(words), _AT_ONCE):
                counts += _forget(conn, columns, list(words[begin : begin + _AT_ONCE]), change)
    if change:
        for path in (settings.store.home / "dagster").rglob("*"):
            if path.is_file() and path.suffix in (".log", ".out", ".err"):
                remove_lines(path, words)
    return {f"dagster.{table}": count for table, count in counts.items() if count}


def _address(settings: Settings, url: str) -> str | None:
    """Dagster's database; None where there is none."""
    if given := settings.store.dagster_database_url:
        return re.sub(r"^(postgres(?:ql)?)\+\w+://", r"\1://", given)
    with _connect(url) as conn:
        found = conn.execute(_SQL["has_database"], {"name": "dagster"}).fetchone()
    return make_conninfo(url, dbname="dagster") if found else None


def _connect(url: str) -> Connection:
    try:
        return psycopg.connect(url)
    except psycopg.OperationalError as error:
        raise DatabaseUnreachableError(
            f"What Dagster keeps in {describe_url(url)} cannot be erased, since it does not answer: nothing of this "
            "part was erased. Start it, then give the same command again."
        ) from error


def _columns(conn: Connection) -> dict[str, list[str]]:
    """Text columns by table."""
    columns: dict[str, list[str]] = {}
    for table, column in conn.execute(_SQL["tables"]):
        columns.setdefault(table, []).append(column)
    return columns


def _forget(
    conn: Connection, columns: Mapping[str, Sequence[str]], words: list[str], change: bool
) -> Counter[str]:
    """How many rows of each table were of one of these, or name one."""
    counts: Counter[str] = Counter()
    written = sorted(
        {form for word in words for form in (word, json.dumps(word)[1:-1])}, key=len, reverse=True
    )
    pattern = f"{_BEFORE}(?:{'|'.join(map(re.escape, written))}){_AFTER}"
    params = {"words": words, "pattern": pattern}
    if change and "cached_status_data" in columns.get("asset_keys", ()):
        conn.execute(_SQL["forget_status"], params)
    for table, names in columns.items():
        for name in names if change else ():
            if (table, name) in _PACKED:
                _repack(conn, table, name, pattern)
        named = sql.SQL(" OR ").join(_of("names", table, name) for name in names)
        (count,) = conn.execute(_of("count_rows", table, named=named), params).fetchone() or (0,)
        counts[table] += count
        if not (count and change):
            continue
        if "partition" in names:
            conn.execute(_of("delete_partitions", table), params)
        for name in names:
            conn.execute(_of("replace_words", table, name), params)
    return counts


def _of(name: str, table: str, column: str = "id", named: sql.Composable = _NONE) -> sql.Composed:
    """A query for one table, or for one column of it."""
    names = {"table": sql.Identifier(table), "column": sql.Identifier(column), "named": named}
    return sql.SQL(_SQL[name]).format(**names)


def _repack(conn: Connection, table: str, column: str, pattern: str) -> None:
    """The same within texts that Dagster has packed."""
    for row_id, text in conn.execute(_of("packed", table, column)).fetchall():
        clean = _COMPRESSED.sub(partial(_without, pattern), text)
        if clean != text:
            conn.execute(_of("repack", table, column), {"id": row_id, "text": clean})


def _without(pattern: str, found: re.Match[str]) -> str:
    try:
        text = zlib.decompress(base64.b64decode(found.group())).decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        return found.group()  # only looks like it
    clean = re.sub(pattern, "erased", text)
    return found.group() if clean == text else base64.b64encode(zlib.compress(clean.encode())).decode()
