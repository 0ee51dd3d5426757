"""Search over memories: a vector lane and a BM25 lane over the union of their candidates.

relevance (ranking.py) puts both on one scale, the same in every query; then x tier boost x time decay. A
candidate counts only if its cosine is above the embedder's noise, or its words carry a fair share of the
query's weight: a query about nothing that is stored finds little or nothing, not the least bad rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from ultron_core.embeddings.checked import embed_checked
from ultron_core.errors import EmbeddingError, InputError, ModelError
from ultron_core.search import TimeRange, find_range, idf, is_weak, query_terms, relevance, score, term_id
from ultron_core.sessions import check_names, clean_text
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.rerank import model_order
from ultron_core.store.database import Connection
from ultron_core.store.tables import search as store
from ultron_core.store.tables.memories import MemoryRecord
from ultron_core.store.tables.uploads import Floats

__all__ = ["SearchHit", "SearchResults", "search_memories"]

_CANDIDATES = 50
#: a candidate must reach this share of the soft threshold in cosine, or of the query's weight in words
_COSINE_FLOOR, _WORD_FLOOR = 0.28, 0.35
#: BM25 saturates at k1 + 1 a term
_BM25_MOST = 2.2
_MOST_PHRASES = 4
#: a memory that a later one supersedes comes after it, but can still be found
_SUPERSEDED = 0.5


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A memory with its cosine (`similarity_score`, 0 to 1) and its final rank score; `weak`: most likely not
    about the query (see `is_weak`)."""

    record: MemoryRecord
    similarity_score: float
    score: float
    explain: dict[str, float] = field(default_factory=dict)
    weak: bool = False


class SearchResults(list[SearchHit]):
    """Hits, best first; `notes` says what did not work (a model or embedder that was down)."""

    def __init__(self, hits: Iterable[SearchHit] = (), notes: Sequence[str] = ()) -> None:
        super().__init__(hits)
        self.notes = list(notes)


class _Expansion(BaseModel):
    """Other ways to say the query."""

    phrases: list[str] = Field(max_length=_MOST_PHRASES)


def search_memories(
    runtime: Runtime,
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
    rerank: bool | None = None,
) -> SearchResults:
    """Memories for a query; each result counts one hit unless `record_hits` is False.

    l0 leaves only the one-line summary, l1 the overview as well; full text comes from `get_memory_details`.
    `rerank` (None: as set) lets a model order the best candidates; scores stay, explain shows the old place.
    Raises InputError for an empty query or an unknown detail level.
    """
    if detail_level not in {"l0", "l1"}:
        raise InputError(
            f"detail_level {detail_level!r} does not work: l0 or l1 (full text: get_memory_details)."
        )
    check_names(agent_id=agent_id, tags=tags, memory_types=memory_types)
    query = clean_text(query)
    if not query.strip():
        raise InputError("The query is empty: say what you look for.")
    if limit < 1:
        raise InputError("limit must be at least 1.")
    notes: list[str] = []
    span = find_range(query, runtime.clock()) or TimeRange(None, None, 0, 0)
    vectors, phrases = _embedded(runtime, query, notes)
    plain = _term_ids([query])
    terms = plain if phrases == [query] else _term_ids(phrases)
    filters = {
        "types": _listed(memory_types),
        "tags": _listed(tags),
        "tiers": _listed([tier.upper() for tier in tiers] if tiers else None),
        "agent_id": agent_id,
        "since": since,
        "until": until,
    }
    named = {"since": since or span.since, "until": until or span.until}
    rerank = runtime.settings.search.rerank if rerank is None else rerank
    depth = max(limit, runtime.settings.search.rerank_candidates) if rerank else limit

    def work(filters: dict[str, Any], conn: Connection) -> list[SearchHit]:
        rows = store.candidates(
            conn,
            runtime.account_id,
            (runtime.embedder.model_id, runtime.embedder.dimension),
            vectors,
            terms,
            plain,
            filters=filters,
            status=status,
            limit=max(_CANDIDATES, 2 * depth),
        )
        ranked = _rank(runtime, rows, depth)
        hit_at = runtime.clock() if record_hits and ranked and not rerank else None
        records = store.fetch(conn, runtime.account_id, [one.id for one in ranked], hit_at=hit_at)
        found = {record.id: record for record in records}
        soft = runtime.embedder.thresholds.soft
        return [_hit(found[one.id], one, soft) for one in ranked if one.id in found]

    hits = runtime.database.run(partial(work, {**filters, **named}))
    if not hits and named != {"since": since, "until": until}:
        # a date may be what a memory is about, and not when it was stored
        hits = runtime.database.run(partial(work, filters))
        if hits:
            notes.append("nothing was stored at the time that the query names: memories of all times")
    if rerank:
        hits = _reranked(runtime, query, hits, notes)[:limit]
        if record_hits and hits:
            ids = [hit.record.id for hit in hits]
            runtime.database.run(
                lambda conn: store.fetch(conn, runtime.account_id, ids, hit_at=runtime.clock())
            )
    return SearchResults([_shown(hit, detail_level, explain) for hit in hits], notes)


def _reranked(runtime: Runtime, query: str, hits: list[SearchHit], notes: list[str]) -> list[SearchHit]:
    """The best hits in a model's order, each with its place before (from 1); the others follow."""
    most = runtime.settings.search.rerank_candidates
    order, note = model_order(runtime, query, [hit.record for hit in hits[:most]])
    if note is not None:
        notes.append(note)
        return hits
    placed = [
        replace(hit, explain={**hit.explain, "place_before": place})
        for place, hit in enumerate(hits, start=1)
    ]
    return [placed[position] for position in order] + placed[most:]


def _listed(values: Sequence[str] | None) -> list[str] | None:
    return list(values) if values else None


def _embedded(runtime: Runtime, query: str, notes: list[str]) -> tuple[list[Floats], list[str]]:
    """Vectors of the query and of a model's other ways to say it; failures leave a note."""
    phrases = [query]
    if runtime.llm is not None and runtime.settings.search.intent_analysis:
        try:
            phrases += _expand(runtime, query)
        except ModelError as error:
            notes.append(f"plain query, the model did not widen it: {error}")
    try:
        return list(embed_checked(runtime.embedder, phrases)), phrases
    except EmbeddingError as error:
        notes.append(f"words only, the embedder failed: {error}")
        return [], phrases


def _expand(runtime: Runtime, query: str) -> list[str]:
    assert runtime.llm is not None
    asked = (
        "Give up to 4 short other ways (at most 40 characters each) to search a memory of past errors, fixes and "
        "preferences for the same thing, in the language of the query. The query:\n"
    )
    answer = runtime.llm.complete([{"role": "user", "content": asked + query}], _Expansion, stage="search")
    return [phrase.strip()[:40] for phrase in answer.phrases if phrase.strip()]


def _term_ids(phrases: Sequence[str]) -> list[int]:
    return sorted({term_id(term) for phrase in phrases for term in query_terms(phrase)})


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A candidate with its scores; `held` and `asked` are weights of the query's words."""

    id: UUID
    cosine: float
    bm25: float
    held: float
    asked: float
    relevance: float
    days: float
    superseded: bool
    score: float

    @property
    def explain(self) -> dict[str, float]:
        return {
            "cosine": round(self.cosine, 4),
            "bm25": round(self.bm25, 4),
            "relevance": round(self.relevance, 4),
            "days": round(self.days, 2),
            "superseded": float(self.superseded),
        }


def _rank(runtime: Runtime, rows: Sequence[dict[str, Any]], limit: int) -> list[_Ranked]:
    now = runtime.clock()
    noise = runtime.embedder.thresholds.soft * _COSINE_FLOOR
    scored = [one for row in rows if _speaks_of_it(one := _scored(runtime, row, now, noise), noise)]
    scored.sort(key=lambda one: (-one.score, -one.cosine, str(one.id)))
    return scored[:limit]


def _scored(runtime: Runtime, row: dict[str, Any], now: datetime, noise: float) -> _Ranked:
    search = runtime.settings.search
    cosine, bm25, asked = max(row["cosine"] or 0.0, 0.0), row["bm25"] or 0.0, row["asked"] or 0.0
    # words that no memory holds count as asked for: a query that is half unknown is answered half
    wanted = asked + row["unknown"] * idf(0, row["documents"])
    close = relevance(cosine, bm25, wanted, noise=noise)
    days = (now - (row["last_hit_at"] or now)).total_seconds() / 86_400
    final = score(close, row["tier"], days, search.decay_alpha, search.time_decay_weight)
    final *= _SUPERSEDED if row["superseded"] else 1.0
    return _Ranked(
        row["id"],
        cosine,
        bm25,
        row["held"] or 0.0,
        asked,
        close,
        days,
        row["superseded"],
        round(final, 4),
    )


def _speaks_of_it(one: _Ranked, noise: float) -> bool:
    """Near enough, or it holds words that carry a fair share of the query's weight."""
    # long documents weigh each word less: what they hold counts, not how dense it is
    return one.cosine >= noise or (
        one.asked > 0 and max(one.bm25, one.held) >= one.asked * _BM25_MOST * _WORD_FLOOR
    )


def _hit(record: MemoryRecord, ranked: _Ranked, soft: float) -> SearchHit:
    weak = is_weak(ranked.relevance, ranked.cosine, soft)
    return SearchHit(record, round(ranked.cosine, 4), ranked.score, ranked.explain, weak)


def _shown(hit: SearchHit, detail_level: str, explain: bool) -> SearchHit:
    """Body fields are cleared: fewer tokens for the agent that reads the results."""
    record = replace(hit.record, content="", resolution="")
    if detail_level == "l0":
        record = replace(record, context="", overview_l1="")
    return replace(hit, record=record, explain=hit.explain if explain else {})
