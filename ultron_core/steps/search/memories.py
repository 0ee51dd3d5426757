"""Search over memories: a vector lane and a BM25 lane over the union of their candidates.

How candidates are ranked is decided in `ultron_core/search/memories.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from ultron_core.embeddings.checked import embed_checked
from ultron_core.errors import EmbeddingError, InputError, ModelError
from ultron_core.search.expand import Expansion, expansion_messages, phrases_of
from ultron_core.search.here import named
from ultron_core.search.memories import Candidate, RankedMemory, Ranking, rank_memories
from ultron_core.search.shown import Shown, collapse, own_first
from ultron_core.search.terms import query_terms, term_id
from ultron_core.search.timewords import TimeRange, find_range
from ultron_core.sessions.text import check_names, clean_text
from ultron_core.steps.projects import EVERYTHING, Scope
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.rerank import model_order
from ultron_core.store.database import Connection
from ultron_core.store.tables import search as store
from ultron_core.store.tables.memories import MemoryRecord, add_hits, by_ids
from ultron_core.store.tables.uploads import Floats
from ultron_core.transcript.language import language

__all__ = ["SearchHit", "SearchResults", "search_memories"]

#: memories that each lane brings, or twice as many as are wanted
_CANDIDATES = 50
#: hits beyond the limit that are looked at, in place of those whose summary was listed already
_COLLAPSED = 20


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A memory with its cosine (`similarity_score`, 0 to 1) and its final rank score; `weak`: most likely not
    about the query (see `is_weak`)."""

    record: MemoryRecord
    similarity_score: float
    score: float
    explain: dict[str, float] = field(default_factory=dict)
    weak: bool = False
    #: memories of the same summary that are not listed, and what tells this one from others of its summary
    same: tuple[UUID, ...] = ()
    differs: str = ""


class SearchResults(list[SearchHit]):
    """Hits, best first; `notes` says what did not work (a model or embedder that was down)."""

    def __init__(self, hits: Iterable[SearchHit] = (), notes: Sequence[str] = ()) -> None:
        super().__init__(hits)
        self.notes = list(notes)


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
    claimed: bool = False,
    proof: Sequence[str] | None = None,
    agent_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    record_hits: bool = True,
    explain: bool = False,
    rerank: bool | None = None,
    scope: Scope = EVERYTHING,
) -> SearchResults:
    """Memories for a query; each result that is not weak counts ULTRON_SEARCH_HITS unless `record_hits` is False.

    `scope` says of which project. `claimed` adds up to as many from the second shelf, below what is active.

    l0 leaves only the one-line summary, l1 the overview as well; full text comes from `get_memory_details`.
    `rerank` (None: the configured value) lets a model order the best candidates; scores stay, `explain` shows the
    old place.
    Raises InputError for an empty query, an unknown detail level, and `claimed` with another status than active.
    """
    if detail_level not in {"l0", "l1"}:
        raise InputError(
            f"detail_level {detail_level!r} is not valid: use l0 or l1 (full text: get_memory_details)."
        )
    check_names(agent_id=agent_id, tags=tags, memory_types=memory_types)
    query = clean_text(query)
    if not query.strip():
        raise InputError("The query is empty: say what you are looking for.")
    if claimed and status != "active":
        raise InputError(f"claimed adds to what is active: leave it out with status {status!r}.")
    if limit < 1:
        raise InputError("limit must be at least 1.")
    asked_in = language(query)
    if project := scope.only or scope.first:
        query = named(query, project)
    notes: list[str] = []
    span = find_range(query, runtime.clock()) or TimeRange(None, None, 0, 0)
    vectors, phrases = _embedded(runtime, query, notes)
    plain = _term_ids([query])
    terms = plain if phrases == [query] else _term_ids(phrases)
    filters = {
        "types": _listed(memory_types),
        "tags": _listed(tags),
        "tiers": _listed([tier.upper() for tier in tiers] if tiers else None),
        "proof": _listed(proof),
        "agent_id": agent_id,
        "project": scope.only,
        "since": since,
        "until": until,
    }
    span_filters = {"since": since or span.since, "until": until or span.until}

    search = runtime.settings.search
    rerank = search.rerank if rerank is None else rerank
    depth = max(limit, search.rerank_candidates) if rerank else limit
    ranking = Ranking(
        runtime.clock(),
        runtime.embedder.thresholds.soft,
        search.decay_alpha,
        search.time_decay_weight,
        asked_in,
    )

    find = partial(
        store.candidates,
        account_id=runtime.account_id,
        model=(runtime.embedder.model_id, runtime.embedder.dimension),
        vectors=vectors,
        terms=terms,
        plain=plain,
        limit=max(_CANDIDATES, 2 * depth),
    )

    def on_shelf(shelf: str) -> list[SearchHit]:
        work = partial(_found, runtime, partial(find, status=shelf), ranking, scope, depth)
        hits = runtime.database.run(partial(work, {**filters, **span_filters}))
        if not hits and span_filters != {"since": since, "until": until}:
            # a date may be what a memory is about, and not when it was stored
            hits = runtime.database.run(partial(work, filters))
            if hits:
                notes.append("nothing was stored at the time that the query names: memories of all times")
        if rerank:
            hits = _reranked(runtime, query, hits, notes)
            if scope.first:
                hits = own_first(hits, lambda hit: scope.first in hit.record.projects, lambda hit: hit.weak)
        return [_shown(one, detail_level, explain) for one in collapse(hits, _summary, _detail)[:limit]]

    shown = on_shelf(status) + (on_shelf("claimed") if claimed else [])
    counted = {hit.record.id: search.hits for hit in shown if not hit.weak}
    if record_hits and search.hits and counted:
        runtime.database.run(lambda conn: add_hits(conn, runtime.account_id, counted, runtime.clock()))
    return SearchResults(shown, notes)


def _found(
    runtime: Runtime,
    find: Callable[..., list[Candidate]],
    ranking: Ranking,
    scope: Scope,
    depth: int,
    filters: dict[str, Any],
    conn: Connection,
) -> list[SearchHit]:
    """Hits of one shelf, those of the scope's first project before others."""
    own = find(conn, filters={**filters, "project": scope.first}) if scope.first else []
    every = find(conn, filters=filters)
    ours = {one.id for one in (every if scope.only else own)}
    found = {one.id: one for one in (*own, *every)}
    ranked = rank_memories(found.values(), ranking, ours)
    if scope.first:
        ranked = own_first(ranked, lambda one: one.id in ours, lambda one: one.weak)
    ranked = ranked[: depth + _COLLAPSED]
    records = by_ids(conn, runtime.account_id, [one.id for one in ranked])
    present = {record.id: record for record in records}
    return [_hit(present[one.id], one) for one in ranked if one.id in present]


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
    """Vectors of the query and of a model's rephrasings; failures leave a note."""
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
    return phrases_of(runtime.llm.complete(expansion_messages(query), Expansion, stage="search"))


def _term_ids(phrases: Sequence[str]) -> list[int]:
    return sorted({term_id(term) for phrase in phrases for term in query_terms(phrase)})


def _hit(record: MemoryRecord, ranked: RankedMemory) -> SearchHit:
    return SearchHit(record, round(ranked.cosine, 4), ranked.score, ranked.explain, ranked.weak)


def _summary(hit: SearchHit) -> tuple[object, ...]:
    record = hit.record
    return record.memory_type, " ".join(record.summary_l0.casefold().split()), *record.projects


def _detail(hit: SearchHit) -> str:
    return " ".join(hit.record.context.split())


def _shown(one: Shown[SearchHit], detail_level: str, explain: bool) -> SearchHit:
    """Body fields are cleared: fewer tokens for the agent that reads the results."""
    record = replace(one.hit.record, content="", resolution="")
    if detail_level == "l0":
        record = replace(record, context="", overview_l1="")
    return replace(
        one.hit,
        record=record,
        explain=one.hit.explain if explain else {},
        same=tuple(hit.record.id for hit in one.same),
        differs=one.differs,
    )
