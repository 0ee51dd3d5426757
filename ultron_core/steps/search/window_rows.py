"""The rows of windows, and their words in the counts: what is stored of some sessions, and what replaces it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import sql

from ultron_core.search import LAYOUT, Window, bm25_weights, lexical_terms
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import memories as memory_store

__all__ = ["Content", "Key", "Part", "Stored", "differences", "replace_windows", "stored_windows"]

_SQL = NamedQueries("log/windows")

#: session, thread, place
Key = tuple[UUID, str, int]
#: bytes and parser that the messages of a session came from
Content = tuple[str, str]


class Part(NamedTuple):
    """Windows of one thread, from one place up to another."""

    thread: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Stored:
    """Where the messages of some sessions come from, and their windows as (digest, model)."""

    contents: Mapping[UUID, Content]
    windows: Mapping[Key, tuple[str, str | None]]


def stored_windows(
    runtime: Runtime, conn: Connection, ids: Sequence[UUID], part: Part | None = None
) -> Stored:
    """What is stored of some sessions, locked against another writer; of their windows only the `part`, if given."""
    params = {"ids": list(ids), "account_id": runtime.account_id}
    contents = {
        row["id"]: (row["content_sha256"], row["parser_version"])
        for row in _SQL.fetch(conn, "contents", params)
    }
    thread, first, last = part or (None, 0, 0)
    rows = _SQL.fetch(conn, "existing", {**params, "thread": thread, "first": first, "last": last})
    windows = {
        (row["session_id"], row["thread"], row["place"]): (row["digest"], row["model_id"]) for row in rows
    }
    return Stored(contents, windows)


def differences(
    wanted: Mapping[Key, Window], stored: Mapping[Key, tuple[str, str | None]], model: str | None
) -> tuple[list[Key], list[Key]]:
    """Windows to write and windows to delete, replaced ones in both; without a model any vector will do."""

    def kept(key: Key) -> bool:
        digest, made_by = stored[key]
        return key in wanted and wanted[key].digest == digest and model in (None, made_by)

    keys = {key for key in stored if kept(key)}
    return [key for key in wanted if key not in keys], [key for key in stored if key not in keys]


def replace_windows(
    runtime: Runtime,
    conn: Connection,
    gone: Sequence[Key],
    fresh: Mapping[Key, Window],
    vectors: Mapping[Key, str],
) -> None:
    """Delete windows and write others; the caller holds the lock of the account's windows."""
    _delete(runtime, conn, gone)
    _insert(runtime, conn, fresh, vectors)


def _delete(runtime: Runtime, conn: Connection, gone: Sequence[Key]) -> None:
    if gone:
        _SQL.run(conn, "delete", {"account_id": runtime.account_id, **_columns_of(gone)})


def _ensure_index(runtime: Runtime, conn: Connection) -> None:
    """The HNSW index of the embedder's model, made with its first vectors."""
    name = f"message_windows_hnsw_{hashlib.sha256(runtime.embedder.model_id.encode()).hexdigest()[:12]}"
    if _SQL.fetch(conn, "has_index", {"index": f"ultron.{name}"})[0]["there"]:
        return
    names = {"name": sql.Identifier(name), "model": sql.Literal(runtime.embedder.model_id)}
    dimension = sql.Literal(runtime.embedder.dimension)
    conn.execute(sql.SQL(_SQL["create_index"]).format(dimension=dimension, **names))


def _columns_of(keys: Iterable[Key]) -> dict[str, list[Any]]:
    return dict(zip(("session_id", "thread", "place"), map(list, zip(*keys, strict=True)), strict=True))


def _insert(
    runtime: Runtime, conn: Connection, fresh: Mapping[Key, Window], vectors: Mapping[Key, str]
) -> None:
    if not fresh:
        return
    if vectors:
        _ensure_index(runtime, conn)
    windows = list(fresh.values())
    counts = _counts(windows)
    lengths = [sum(count.values()) for count in counts]
    average = _average(runtime, conn, lengths)
    weights = [_weights(count, n, average) for count, n in zip(counts, lengths, strict=True)]
    firsts, lasts = [w.units[0] for w in windows], [w.units[-1] for w in windows]
    columns: dict[str, list[Any]] = {
        **_columns_of(fresh),
        "start_seq": [unit.start_seq for unit in firsts],
        "start_char": [unit.start_char for unit in firsts],
        "end_seq": [unit.end_seq for unit in lasts],
        "end_char": [unit.start_char for unit in lasts],
        "start_line": [min(unit.start_line for unit in w.units) for w in windows],
        "end_line": [max(unit.end_line for unit in w.units) for w in windows],
        "sent_at": [w.sent_at for w in windows],
        "digest": [w.digest for w in windows],
        "terms": ["{" + ",".join(str(term) for term in sorted(weight)) + "}" for weight in weights],
        "weights": [memory_store.sparse(weight).to_text() for weight in weights],
        "length": lengths,
        "embedding": [vectors.get(key) for key in fresh],
    }
    model = {"model_id": runtime.embedder.model_id, "layout": LAYOUT}
    _SQL.run(conn, "insert", {"account_id": runtime.account_id, **model, **columns})


def _counts(windows: Sequence[Window]) -> list[Counter[str]]:
    """The terms of each window. A unit stands in two windows, and no term spans two units."""
    units = {unit.text: lexical_terms(unit.text) for window in windows for unit in window.units}
    counts = []
    for window in windows:
        total = Counter[str]()
        for unit in window.units:
            total.update(units[unit.text])
        counts.append(total)
    return counts


def _weights(counts: Counter[str], length: int, average: float) -> dict[int, float]:
    return dict(islice(bm25_weights(counts, length, average).items(), memory_store.MOST_TERMS))


def _average(runtime: Runtime, conn: Connection, lengths: Sequence[int]) -> float:
    """Terms of a window, these ones included: the first session is not weighed against a guess."""
    rows = _SQL.fetch(conn, "statistics", runtime.account)
    documents, total = (rows[0]["documents"], rows[0]["total_length"]) if rows else (0, 0)
    return float((total + sum(lengths)) / (documents + len(lengths)))
