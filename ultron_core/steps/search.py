"""Search over memories: a vector lane and a BM25 lane over the union of their candidates.

relevance = w_v x min-max(cosine) + w_l x min-max(BM25) over the union, then x tier boost x time decay. A
candidate counts only if its cosine is above the embedder's noise, or its words carry a fair share of the
query's weight: a query about nothing that is stored finds little or nothing, not the least bad rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import sql
from pydantic import BaseModel, Field

from ultron_core.errors import EmbeddingError, InputError, ModelError
from ultron_core.search import analyze_query, minmax_fuse, score
from ultron_core.sessions import clean_text
from ultron_core.steps.context import Context
from ultron_core.steps.lexical import MEMORY, query_weights
from ultron_core.store import memories as memory_store
from ultron_core.store.database import Connection
from ultron_core.store.memories import MemoryRecord
from ultron_core.store.queries import load_queries

__all__ = ["SearchHit", "SearchResults", "search_memories"]

_SQL = load_queries("search")
_CANDIDATES = 50
#: weights of the lanes, chosen on LoCoMo, where words carry most (docs/memory-store.md)
_VECTOR_WEIGHT, _LEXICAL_WEIGHT = 0.4, 0.6
#: a candidate must reach this share of the soft threshold in cosine, or of the query's weight in words
_COSINE_FLOOR, _WORD_FLOOR = 0.28, 0.35
#: BM25 saturates at k1 + 1 a term
_BM25_MOST = 2.2
_MOST_PHRASES = 4


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A memory with its cosine (`similarity_score`, 0 to 1) and its final rank score."""

    record: MemoryRecord
    similarity_score: float
    score: float
    explain: dict[str, float] = field(default_factory=dict)


class SearchResults(list[SearchHit]):
    """Hits, best first; `notes` says what did not work (a model or embedder that was down)."""

    def __init__(self, hits: Iterable[SearchHit] = (), notes: Sequence[str] = ()) -> None:
        super().__init__(hits)
        self.notes = list(notes)


class _Expansion(BaseModel):
    """Other ways to say the query."""

    phrases: list[str] = Field(max_length=_MOST_PHRASES)


@dataclass(frozen=True, slots=True)
class _Query:
    text: str
    vector: str | None
    weights: dict[int, float]


def search_memories(
    context: Context,
    query: str,
    *,
    detail_level: str = "l1",
    limit: int = 10,
    memory_types: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    tiers: Sequence[str] | None = None,
    status: str = "active",
    agent_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    record_hits: bool = True,
    explain: bool = False,
) -> SearchResults:
    """Memories for a query; each result counts one hit unless `record_hits` is False.

    l0 leaves only the one-line summary, l1 the overview as well; full text comes from `get_memory_details`.
    Raises InputError for an empty query or an unknown detail level.
    """
    if detail_level not in {"l0", "l1"}:
        raise InputError(
            f"detail_level {detail_level!r} does not work: l0 or l1 (full text: get_memory_details)."
        )
    query = clean_text(query)
    if not query.strip():
        raise InputError("The query is empty: say what you look for.")
    if limit < 1:
        raise InputError("limit must be at least 1.")
    notes: list[str] = []
    analysis = analyze_query(query, context.clock())
    vectors, phrases = _embedded(context, query, notes)
    filters = {
        "account_id": context.account_id,
        "model_id": context.embedder.model_id,
        "status": status,
        "types": _listed(memory_types),
        "tags": _listed(tags),
        "tiers": _listed([tier.upper() for tier in tiers] if tiers else None),
        "agent_id": agent_id,
        "since": since or analysis.since,
        "until": until or analysis.until,
        "candidates": max(_CANDIDATES, 2 * limit),
    }

    def work(conn: Connection) -> list[SearchHit]:
        weights = query_weights(context, conn, " ".join(phrases), MEMORY)
        plain = query_weights(context, conn, query, MEMORY)
        rows = _candidates(context, conn, vectors, weights, filters)
        hits = _rank(context, rows, plain, limit)
        if record_hits and hits:
            ids = sorted(hit.record.id for hit in hits)
            count = {"account_id": context.account_id, "ids": ids, "hits": 1, "now": context.clock()}
            conn.execute("SET LOCAL synchronous_commit = off")
            memory_store.run(conn, "hit", count)
        return hits

    hits = context.database.run(work)
    return SearchResults([_shown(hit, detail_level, explain) for hit in hits], notes)


def _listed(values: Sequence[str] | None) -> list[str] | None:
    return list(values) if values else None


def _embedded(context: Context, query: str, notes: list[str]) -> tuple[list[str], list[str]]:
    """Vectors of the query and of a model's other ways to say it; failures leave a note."""
    phrases = [query]
    if context.llm is not None and context.settings.search.intent_analysis:
        try:
            phrases += _expand(context, query)
        except ModelError as error:
            notes.append(f"plain query, the model did not widen it: {error}")
    try:
        return [memory_store.vector_text(v) for v in context.embedder.embed(phrases)], phrases
    except EmbeddingError as error:
        notes.append(f"words only, the embedder failed: {error}")
        return [], phrases


def _expand(context: Context, query: str) -> list[str]:
    assert context.llm is not None
    asked = (
        "Give up to 4 short other ways (at most 40 characters each) to search a memory of past errors, fixes and "
        "preferences for the same thing, in the language of the query. The query:\n"
    )
    answer = context.llm.complete([{"role": "user", "content": asked + query}], _Expansion, stage="search")
    return [phrase.strip()[:40] for phrase in answer.phrases if phrase.strip()]


def _candidates(
    context: Context,
    conn: Connection,
    vectors: Sequence[str],
    weights: dict[int, float],
    filters: dict[str, Any],
) -> list[dict[str, Any]]:
    """Rows of the union of both lanes, each with both scores."""
    ids: set[UUID] = set()
    for vector in vectors:
        ids |= {row["memory_id"] for row in _vector_lane(context, conn, vector, filters)}
    query = memory_store.sparse(weights)
    if weights:
        params = {**filters, "terms": sorted(weights), "query": query}
        ids |= {row["memory_id"] for row in conn.execute(_SQL["candidates_lexical"], params)}
    rows: dict[UUID, dict[str, Any]] = {}
    for vector in vectors or [memory_store.vector_text([1.0] * context.embedder.dimension)]:
        params = {
            "ids": sorted(ids),
            "account_id": context.account_id,
            "model_id": context.embedder.model_id,
            "vector": vector,
            "query": query,
            "terms": sorted(weights),
        }
        for row in conn.execute(_SQL["score"], params):
            cosine = float(row["cosine"] or 0.0) if vectors else 0.0
            known = rows.get(row["id"])
            rows[row["id"]] = {**row, "cosine": max(cosine, known["cosine"] if known else -1.0)}
    return list(rows.values())


def _vector_lane(
    context: Context, conn: Connection, vector: str, filters: dict[str, Any]
) -> list[dict[str, Any]]:
    params = {**filters, "vector": vector}
    if filters["status"] == "active" and memory_store.many_rows(conn):
        query = sql.SQL(_SQL["candidates_vector_indexed"]).format(
            model=sql.Literal(context.embedder.model_id), dimension=sql.Literal(context.embedder.dimension)
        )
        conn.execute("SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = 100")
        return conn.execute(query, params).fetchall()
    return conn.execute(_SQL["candidates_vector"], params).fetchall()


def _rank(
    context: Context, rows: Sequence[dict[str, Any]], plain: dict[int, float], limit: int
) -> list[SearchHit]:
    cosine_floor = context.embedder.thresholds.soft * _COSINE_FLOOR
    word_floor = sum(plain.values()) * _BM25_MOST * _WORD_FLOOR

    def speaks_of_it(row: dict[str, Any]) -> bool:
        if row["cosine"] >= cosine_floor:
            return True
        # long documents weigh each word less: what they hold counts, not how dense it is
        held = sum(plain.get(term, 0.0) for term in row["matched"])
        return bool(plain) and max(float(row["bm25"]), held) >= word_floor

    kept = [row for row in rows if speaks_of_it(row)]
    cosines = {r["id"]: max(r["cosine"], 0.0) for r in kept}
    words = {r["id"]: float(r["bm25"]) for r in kept}
    relevance = minmax_fuse([cosines, words], [_VECTOR_WEIGHT, _LEXICAL_WEIGHT])
    hits = [_hit(context, row, relevance[row["id"]]) for row in kept]
    return sorted(hits, key=lambda h: (-h.score, -h.similarity_score, str(h.record.id)))[:limit]


def _hit(context: Context, row: dict[str, Any], relevance: float) -> SearchHit:
    record = MemoryRecord.from_row(row)
    now = context.clock()
    days = (now - (record.last_hit_at or record.created_at)).total_seconds() / 86_400
    search = context.settings.search
    final = score(relevance, record.tier, days, search.decay_alpha, search.time_decay_weight)
    cosine = round(max(row["cosine"], 0.0), 4)
    parts = {
        "cosine": cosine,
        "bm25": round(float(row["bm25"]), 4),
        "relevance": round(relevance, 4),
        "days": round(days, 2),
    }
    return SearchHit(record, cosine, round(final, 4), parts)


def _shown(hit: SearchHit, detail_level: str, explain: bool) -> SearchHit:
    """Body fields are cleared: fewer tokens for the agent that reads the results."""
    record = replace(hit.record, content="", resolution="")
    if detail_level == "l0":
        record = replace(record, context="", overview_l1="")
    return replace(hit, record=record, explain=hit.explain if explain else {})
