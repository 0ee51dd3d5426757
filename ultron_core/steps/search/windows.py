"""Windows over the verbatim log: the documents of `search_sessions`."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any
from uuid import UUID

from psycopg import sql

from ultron_core.embeddings.checked import embed_taken
from ultron_core.errors import EmbeddingError
from ultron_core.search import LAYOUT, Window, bm25_weights, lexical_terms, make_windows
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables import sessions as session_store

__all__ = ["Indexed", "fill_windows", "index_windows", "recount_windows"]

logger = logging.getLogger("ultron.embeddings")
_SQL = NamedQueries("log/windows")

#: session, thread, place
_Key = tuple[UUID, str, int]
#: bytes and parser that the messages of a session came from
_Content = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Stored:
    """Where the messages of some sessions come from, and their windows as (digest, model)."""

    contents: Mapping[UUID, _Content]
    windows: Mapping[_Key, tuple[str, str | None]]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the sessions should have: all windows, and vectors of those that are new; None: the embedder is down."""

    windows: Mapping[_Key, Window]
    vectors: Mapping[_Key, str] | None


@dataclass(frozen=True, slots=True)
class Indexed:
    """Windows that were written, and whether all of them were embedded: not while the embedder is down."""

    written: int
    embedded: bool


def index_windows(runtime: Runtime, ids: Sequence[UUID]) -> Indexed:
    """Bring the windows of some sessions up to date; those that did not change are kept.

    All that is new is embedded in one batch: windows overlap, and logs repeat themselves. A window that the embedder
    refuses is stored without a vector, found by its words, and tried again when its session or the model changes.
    """
    written, embedded = 0, True
    while ids:
        made, ids = _index(runtime, ids)
        written, embedded = written + made.written, embedded and made.embedded
    return Indexed(written, embedded)


def fill_windows(runtime: Runtime) -> int:
    """The windows of all sessions that lack them, or have those of another embedder or of an older layout; returns how
    many were written. Stops quietly while the embedder is down."""
    params = runtime.waiting()
    written = 0
    while True:
        with runtime.database.transaction() as conn:
            waiting = [row["id"] for row in session_store.fetch(conn, "to_window", params)]
        made = index_windows(runtime, waiting)
        written += made.written
        if not (waiting and made.embedded):
            return written


def recount_windows(runtime: Runtime) -> None:
    """Windows that were deleted together with their session are still in the counts."""

    def recount(conn: Connection) -> None:
        if _SQL.fetch(conn, "miscounted", runtime.account)[0]["miscounted"]:
            _SQL.run(conn, "lock", runtime.account)
            _SQL.run(conn, "recount", runtime.account)

    runtime.database.run(recount)


def _index(runtime: Runtime, ids: Sequence[UUID]) -> tuple[Indexed, list[UUID]]:
    """(what was written, sessions whose log changed meanwhile)."""
    with runtime.database.transaction() as conn:
        before = _stored(runtime, conn, ids)
        messages = session_store.load_sessions(conn, runtime.account_id, list(before.contents))
    windows = {
        (session_id, window.thread, window.place): window
        for session_id, own in messages.items()
        for window in make_windows(own)
    }
    fresh, _ = _differences(windows, before.windows, runtime.embedder.model_id)
    wanted = _Wanted(windows, _vectors(runtime, {key: windows[key].text for key in fresh}))
    return runtime.database.run(partial(_write, runtime, before.contents, wanted))


def _write(
    runtime: Runtime, before: Mapping[UUID, _Content], wanted: _Wanted, conn: Connection
) -> tuple[Indexed, list[UUID]]:
    _SQL.run(conn, "lock", runtime.account)
    now = _stored(runtime, conn, list(before))
    same = {
        session_id: content for session_id, content in now.contents.items() if content == before[session_id]
    }
    model = None if wanted.vectors is None else runtime.embedder.model_id
    windows = {key: window for key, window in wanted.windows.items() if key[0] in same}
    stored = {key: made for key, made in now.windows.items() if key[0] in same}
    fresh, gone = _differences(windows, stored, model)  # another process may have indexed the same log
    _delete(runtime, conn, gone)
    _insert(runtime, conn, {key: windows[key] for key in fresh}, wanted.vectors or {})
    done = {
        "windows": f"{LAYOUT}:{model or ''}",
        "ids": list(same),
        "contents": [c for c, _ in same.values()],
    }
    session_store.run(conn, "mark_windowed", done)
    changed = [session_id for session_id in now.contents if session_id not in same]
    return Indexed(len(fresh), wanted.vectors is not None), changed


def _ensure_index(runtime: Runtime, conn: Connection) -> None:
    """The HNSW index of the embedder's model, made with its first vectors."""
    name = f"message_windows_hnsw_{hashlib.sha256(runtime.embedder.model_id.encode()).hexdigest()[:12]}"
    if _SQL.fetch(conn, "has_index", {"index": f"ultron.{name}"})[0]["there"]:
        return
    names = {"name": sql.Identifier(name), "model": sql.Literal(runtime.embedder.model_id)}
    dimension = sql.Literal(runtime.embedder.dimension)
    conn.execute(sql.SQL(_SQL["create_index"]).format(dimension=dimension, **names))


def _stored(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> _Stored:
    params = {"ids": list(ids), "account_id": runtime.account_id}
    contents = {
        row["id"]: (row["content_sha256"], row["parser_version"])
        for row in _SQL.fetch(conn, "contents", params)
    }
    rows = _SQL.fetch(conn, "existing", params)
    windows = {
        (row["session_id"], row["thread"], row["place"]): (row["digest"], row["model_id"]) for row in rows
    }
    return _Stored(contents, windows)


def _differences(
    wanted: Mapping[_Key, Window], stored: Mapping[_Key, tuple[str, str | None]], model: str | None
) -> tuple[list[_Key], list[_Key]]:
    """Windows to write and windows to delete, replaced ones in both; without a model any vector will do."""

    def kept(key: _Key) -> bool:
        digest, made_by = stored[key]
        return key in wanted and wanted[key].digest == digest and model in (None, made_by)

    keys = {key for key in stored if kept(key)}
    return [key for key in wanted if key not in keys], [key for key in stored if key not in keys]


def _vectors(runtime: Runtime, texts: Mapping[_Key, str]) -> dict[_Key, str] | None:
    """None when the embedder is down; without those that it refuses."""
    try:
        rows = embed_taken(runtime.embedder, list(texts.values()))
    except EmbeddingError:
        return None
    taken = {key: row for key, row in zip(texts, rows, strict=True) if row is not None}
    if len(taken) < len(texts):
        refused = len(texts) - len(taken)
        logger.warning("%s refuses %d of %d windows", runtime.embedder.model_id, refused, len(texts))
    return {key: memory_store.vector_text(row) for key, row in taken.items()}


def _delete(runtime: Runtime, conn: Connection, gone: Sequence[_Key]) -> None:
    if gone:
        _SQL.run(conn, "delete", {"account_id": runtime.account_id, **_columns_of(gone)})


def _columns_of(keys: Iterable[_Key]) -> dict[str, list[Any]]:
    return dict(zip(("session_id", "thread", "place"), map(list, zip(*keys, strict=True)), strict=True))


def _insert(
    runtime: Runtime, conn: Connection, fresh: Mapping[_Key, Window], vectors: Mapping[_Key, str]
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
