"""Search over the verbatim log: overlapping windows of a few turns, both lanes, a session by its best windows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from ultron_core.errors import EmbeddingError, InputError
from ultron_core.models import Message
from ultron_core.search import analyze_query, minmax_fuse
from ultron_core.sessions import clean_text
from ultron_core.steps.context import Context
from ultron_core.steps.lexical import WINDOW, count_document, make_lexical, query_weights
from ultron_core.store import memories as memory_store
from ultron_core.store import sessions as session_store
from ultron_core.store.database import Connection
from ultron_core.store.queries import load_queries

__all__ = ["SessionHit", "fill_windows", "index_windows", "search_sessions"]

_SQL = load_queries("windows")
_TURNS, _STRIDE = 4, 2
#: an averaging embedder says nothing about long text, and one huge turn must not drown its neighbours
_TURN_CHARS = 1200
_CANDIDATES = 200
#: chosen on LoCoMo, where words carry most (docs/memory-store.md)
_VECTOR_WEIGHT, _LEXICAL_WEIGHT = 0.25, 0.75


@dataclass(frozen=True, slots=True)
class SessionHit:
    """A session with the lines that speak about it; `text` is verbatim and not redacted."""

    session_id: UUID
    session_file: str
    partition_key: str
    agent_id: str
    score: float
    similarity_score: float
    thread: str
    start_line: int
    end_line: int
    text: str
    sent_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Window:
    thread: str
    start_seq: int
    end_seq: int
    start_line: int
    end_line: int
    sent_at: datetime | None
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self.end_seq}:{self.start_line}:{self.text}".encode()).hexdigest()[:32]


def index_windows(context: Context, session_id: UUID) -> int:
    """Bring a session's windows up to date; returns how many were written. Unchanged ones are kept."""
    with context.database.transaction() as conn:
        messages = session_store.load_messages(conn, context.account_id, session_id)
        existing = {
            (row["thread"], row["start_seq"]): row
            for row in conn.execute(_SQL["existing"], {"session_id": session_id})
        }
        rows = session_store.fetch(
            conn, "by_id", {"session_id": session_id, "account_id": context.account_id}
        )
    wanted = {(w.thread, w.start_seq): w for w in _windows(messages)}
    model = context.embedder.model_id
    kept = {
        key
        for key, row in existing.items()
        if key in wanted and wanted[key].digest == row["digest"] and row["model_id"] == model
    }
    fresh = [w for key, w in wanted.items() if key not in kept]
    gone = [key for key in existing if key not in kept]
    if not rows or not (fresh or gone):
        return 0
    vectors = _embed(context, [w.text for w in fresh])
    if None in vectors and all(
        existing.get((w.thread, w.start_seq), {}).get("digest") == w.digest for w in fresh
    ):
        return 0  # only vectors are missing, and the embedder is still down

    def write(conn: Connection) -> int:
        memory_store.run(conn, "lock_clusters", {"account_id": context.account_id})
        if gone:
            params = {
                "session_id": session_id,
                "threads": [thread for thread, _ in gone],
                "starts": [start for _, start in gone],
            }
            conn.execute(_SQL["delete"], params)
            for key in gone:
                row = existing[key]
                count_document(context, conn, WINDOW, row["terms"], row["length"], -1)
        for window, vector in zip(fresh, vectors, strict=True):
            _insert(context, conn, (session_id, rows[0]["agent_id"]), window, vector)
        return len(fresh)

    return context.database.run(write)


def fill_windows(context: Context, limit: int = 100) -> int:
    """Give windows their vectors that were indexed while the embedder was down; returns how many."""
    params = {"account_id": context.account_id, "model_id": context.embedder.model_id, "limit": limit}
    with context.database.transaction() as conn:
        waiting = [row["session_id"] for row in conn.execute(_SQL["sessions_without_vectors"], params)]
    return sum(index_windows(context, session_id) for session_id in waiting)


def _windows(messages: Sequence[Message]) -> list[_Window]:
    """Four turns of human and model text, each two further; a thread's rest makes a shorter last one."""
    threads: dict[str, list[tuple[int, Message]]] = {}
    for seq, message in enumerate(messages):
        if message.origin in {"human", "model"} and message.content.strip():
            threads.setdefault(message.thread, []).append((seq, message))
    made = []
    for thread, turns in threads.items():
        for begin in range(0, max(len(turns) - _TURNS + _STRIDE, 1), _STRIDE):
            made.append(_window(thread, turns[begin : begin + _TURNS]))
    return made


def _window(thread: str, turns: Sequence[tuple[int, Message]]) -> _Window:
    own = [message for _, message in turns]
    return _Window(
        thread=thread,
        start_seq=turns[0][0],
        end_seq=turns[-1][0],
        start_line=min(m.start_line for m in own),
        end_line=max(m.end_line for m in own),
        sent_at=next((m.timestamp for m in own if m.timestamp), None),
        text="\n".join(f"{m.name or m.role}: {m.content[:_TURN_CHARS]}" for m in own),
    )


def _embed(context: Context, texts: Sequence[str]) -> list[str | None]:
    try:
        return [memory_store.vector_text(vector) for vector in context.embedder.embed(list(texts))]
    except EmbeddingError:
        return [None] * len(texts)


def _insert(
    context: Context, conn: Connection, owner: tuple[UUID, str], window: _Window, vector: str | None
) -> None:
    lexical = make_lexical(context, conn, window.text, WINDOW)
    conn.execute(
        _SQL["insert"],
        {
            "session_id": owner[0],
            "agent_id": owner[1],
            "account_id": context.account_id,
            "thread": window.thread,
            "start_seq": window.start_seq,
            "end_seq": window.end_seq,
            "start_line": window.start_line,
            "end_line": window.end_line,
            "sent_at": window.sent_at,
            "digest": window.digest,
            "terms": lexical.terms,
            "weights": memory_store.sparse(lexical.weights),
            "length": lexical.length,
            "model_id": context.embedder.model_id if vector else None,
            "vector": vector,
        },
    )
    count_document(context, conn, WINDOW, lexical.terms, lexical.length)


def search_sessions(
    context: Context,
    query: str,
    limit: int = 10,
    *,
    agent_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[SessionHit]:
    """Sessions by their best window, best first. Raises InputError for an empty query."""
    query = clean_text(query)
    if not query.strip():
        raise InputError("The query is empty: say what you look for.")
    analysis = analyze_query(query, context.clock())
    vector = _embed(context, [query])[0]

    def work(conn: Connection) -> list[SessionHit]:
        weights = query_weights(context, conn, query, WINDOW)
        params = {
            "account_id": context.account_id,
            "agent_id": agent_id,
            "since": since or analysis.since,
            "until": until or analysis.until,
            "terms": sorted(weights),
            "query": memory_store.sparse(weights),
            "vector": vector,
            "model_id": context.embedder.model_id,
            "candidates": max(_CANDIDATES, 20 * limit),
        }
        rows = conn.execute(_SQL["search"], params).fetchall()
        best = _best_by_session(rows)[:limit]
        return [_hit(context, conn, row, score) for row, score in best]

    return context.database.run(work)


def _best_by_session(rows: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], float]]:
    keys = range(len(rows))
    cosines = {k: max(float(rows[k]["cosine"]), 0.0) for k in keys}
    words = {k: float(rows[k]["bm25"]) for k in keys}
    fused = minmax_fuse([cosines, words], [_VECTOR_WEIGHT, _LEXICAL_WEIGHT])
    best: dict[UUID, tuple[dict[str, Any], float]] = {}
    for k in sorted(keys, key=lambda k: (-fused[k], str(rows[k]["session_id"]), rows[k]["start_seq"])):
        best.setdefault(rows[k]["session_id"], (rows[k], fused[k]))
    return list(best.values())


def _hit(context: Context, conn: Connection, row: dict[str, Any], score: float) -> SessionHit:
    params = {**row, "account_id": context.account_id}
    lines = [f"{m['role']}: {m['content']}" for m in conn.execute(_SQL["text"], params)]
    return SessionHit(
        session_id=row["session_id"],
        session_file=row["session_file"],
        partition_key=row["partition_key"],
        agent_id=row["agent_id"],
        score=round(score, 4),
        similarity_score=round(max(float(row["cosine"]), 0.0), 4),
        thread=row["thread"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        text="\n".join(lines),
        sent_at=row["sent_at"],
    )
