"""Windows over the verbatim log, written beside its segments: the documents of `search_sessions`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from psycopg import sql

from ultron_core.embeddings.checked import embed_checked
from ultron_core.errors import EmbeddingError
from ultron_core.search import LAYOUT, Window, bm25_weights, lexical_terms, make_windows
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables import sessions as session_store

__all__ = ["fill_windows", "index_windows"]

_SQL = NamedQueries("log/windows")

_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Stored:
    """What a session has: a digest of its messages, and its windows as (digest, model)."""

    content: str
    windows: Mapping[_Key, tuple[str, str | None]]


def index_windows(runtime: Runtime, session_id: UUID) -> int:
    """Bring a session's windows up to date; returns how many were written. Unchanged ones are kept."""
    while True:
        written = _index(runtime, session_id)
        if written is not None:
            return written


def fill_windows(runtime: Runtime, limit: int = 100) -> int:
    """Rebuild windows that lack a vector of the present embedder or are of an older layout; returns how many."""
    params = {"account_id": runtime.account_id, "model_id": runtime.embedder.model_id, "layout": LAYOUT}
    runtime.database.run(lambda conn: _recount(runtime, conn))
    with runtime.database.transaction() as conn:
        waiting = [row["session_id"] for row in _SQL.fetch(conn, "to_index", {**params, "limit": limit})]
    return sum(index_windows(runtime, session_id) for session_id in waiting)


def _recount(runtime: Runtime, conn: Connection) -> None:
    """Windows that were deleted together with their session are still in the counts."""
    account = runtime.account
    if _SQL.fetch(conn, "miscounted", account)[0]["miscounted"]:
        _SQL.run(conn, "lock", account)
        _SQL.run(conn, "recount", account)


def _index(runtime: Runtime, session_id: UUID) -> int | None:
    """None when the log changed meanwhile."""
    with runtime.database.transaction() as conn:
        before = _stored(runtime, conn, session_id)
        messages = session_store.load_messages(conn, runtime.account_id, session_id)
    wanted = {(window.thread, window.place): window for window in make_windows(messages)}
    model: str | None = runtime.embedder.model_id
    fresh, gone = _differences(wanted, before.windows, model)
    vectors = _vectors(runtime, fresh)
    if vectors is None:
        model = None
        fresh, gone = _differences(wanted, before.windows, model)
    if not (fresh or gone):
        return 0

    def write(conn: Connection) -> int | None:
        _SQL.run(conn, "lock", runtime.account)
        now = _stored(runtime, conn, session_id)
        if now.content != before.content:
            return None
        _ensure_index(runtime, conn)
        # another process may have indexed the same log
        fresh_now, gone_now = _differences(wanted, now.windows, model)
        _delete(runtime, conn, session_id, gone_now)
        _insert(runtime, conn, session_id, fresh_now, vectors or {})
        return len(fresh_now)

    return runtime.database.run(write)


def _ensure_index(runtime: Runtime, conn: Connection) -> None:
    """The HNSW index of the embedder's model, made with its first windows."""
    name = f"message_windows_hnsw_{hashlib.sha256(runtime.embedder.model_id.encode()).hexdigest()[:12]}"
    if _SQL.fetch(conn, "has_index", {"index": f"ultron.{name}"})[0]["there"]:
        return
    names = {"name": sql.Identifier(name), "model": sql.Literal(runtime.embedder.model_id)}
    dimension = sql.Literal(runtime.embedder.dimension)
    conn.execute(sql.SQL(_SQL["create_index"]).format(dimension=dimension, **names))


def _stored(runtime: Runtime, conn: Connection, session_id: UUID) -> _Stored:
    params = {"session_id": session_id, "account_id": runtime.account_id}
    content = _SQL.fetch(conn, "content", params)
    rows = _SQL.fetch(conn, "existing", params)
    windows = {(row["thread"], row["place"]): (row["digest"], row["model_id"]) for row in rows}
    return _Stored(content[0]["digest"] if content else "", windows)


def _differences(
    wanted: Mapping[_Key, Window], stored: Mapping[_Key, tuple[str, str | None]], model: str | None
) -> tuple[list[Window], list[_Key]]:
    """Windows to write and windows to delete, replaced ones in both; without a model any vector will do."""

    def kept(key: _Key) -> bool:
        digest, made_by = stored[key]
        return key in wanted and wanted[key].digest == digest and model in (None, made_by)

    keys = {key for key in stored if kept(key)}
    return [w for key, w in wanted.items() if key not in keys], [key for key in stored if key not in keys]


def _vectors(runtime: Runtime, windows: Sequence[Window]) -> dict[_Key, str] | None:
    """None when the embedder is down."""
    try:
        rows = embed_checked(runtime.embedder, [window.text for window in windows])
    except EmbeddingError:
        return None
    return {(w.thread, w.place): memory_store.vector_text(row) for w, row in zip(windows, rows, strict=True)}


def _delete(runtime: Runtime, conn: Connection, session_id: UUID, gone: Sequence[_Key]) -> None:
    if gone:
        params: dict[str, Any] = {"session_id": session_id, "account_id": runtime.account_id}
        params |= {"threads": [thread for thread, _ in gone], "places": [place for _, place in gone]}
        _SQL.run(conn, "delete", params)


def _insert(
    runtime: Runtime,
    conn: Connection,
    session_id: UUID,
    windows: Sequence[Window],
    vectors: Mapping[_Key, str],
) -> None:
    if not windows:
        return
    counts = [lexical_terms(window.text) for window in windows]
    lengths = [sum(count.values()) for count in counts]
    average = _average(runtime, conn, lengths)
    weights = [_weights(count, n, average) for count, n in zip(counts, lengths, strict=True)]
    firsts, lasts = [w.units[0] for w in windows], [w.units[-1] for w in windows]
    columns: dict[str, list[Any]] = {
        "thread": [w.thread for w in windows],
        "place": [w.place for w in windows],
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
        "embedding": [vectors.get((w.thread, w.place)) for w in windows],
    }
    owner = {"account_id": runtime.account_id, "session_id": session_id}
    model = {"model_id": runtime.embedder.model_id, "layout": LAYOUT}
    _SQL.run(conn, "insert", {**owner, **model, **columns})


def _weights(counts: Counter[str], length: int, average: float) -> dict[int, float]:
    return dict(islice(bm25_weights(counts, length, average).items(), memory_store.MOST_TERMS))


def _average(runtime: Runtime, conn: Connection, lengths: Sequence[int]) -> float:
    """Terms of a window, these ones included: the first session is not weighed against a guess."""
    rows = _SQL.fetch(conn, "statistics", runtime.account)
    documents, total = (rows[0]["documents"], rows[0]["total_length"]) if rows else (0, 0)
    return float((total + sum(lengths)) / (documents + len(lengths)))
