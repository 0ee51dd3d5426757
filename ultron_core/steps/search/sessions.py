"""Search over the verbatim log: which session speaks of it, and on which lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import sql

from ultron_core.embeddings.checked import embed_checked
from ultron_core.errors import EmbeddingError, InputError
from ultron_core.models import Trust
from ultron_core.search import (
    TIME_TERM,
    LaneWeights,
    RankedSession,
    WindowMatch,
    analyze_query,
    idf,
    lift_literal,
    make_units,
    rank_sessions,
    rarest,
    term_id,
)
from ultron_core.search.shown import own_first
from ultron_core.sessions.text import check_names, clean_text
from ultron_core.steps.projects import EVERYTHING, Scope
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables.records import message_from_row
from ultron_core.transcript.own import own_words

__all__ = ["Matches", "SessionHit", "match_windows", "search_sessions", "searched_agent"]

_SQL = NamedQueries("log/windows")
#: the rest (harness, recalled memories) is trusted no more than a tool's output
_TRUST: dict[str, Trust] = {"human": "human", "model": "agent"}
_LEAST_LAST: tuple[Trust, ...] = ("human", "agent", "tool")
#: windows that each lane brings, or twenty times the limit
_CANDIDATES = 200
#: from this many windows of an account or agent on the vector lane uses the index; below every one is compared
_EXACT_BELOW = 5000
#: words found in more windows than this together only add to scores; see `rarest`
_BUDGET = 5000
#: sessions beyond the limit that are looked at for the query's very words
_LITERAL = 10


@dataclass(frozen=True, slots=True)
class SessionHit:
    """A session with the lines that speak about it; `text` is verbatim and not redacted.

    `score` is 0 to 1 and means the same in every query. `weak` says that it is most likely not about the query.
    `similarity_score` is the cosine of the window; `words` and `around` are the shares of the query's weight that
    the window and its surroundings hold.
    """

    session_id: UUID
    session_file: str
    partition_key: str
    agent_id: str
    project: str | None
    score: float
    weak: bool
    similarity_score: float
    words: float
    around: float
    thread: str
    start_line: int
    end_line: int
    text: str
    sent_at: datetime | None
    #: always `log`: the words of a log, not a memory
    origin: str
    #: the least trusted of those who speak in `text`
    trust: Trust
    #: what a person wrote there as their own
    own_words: str


@dataclass(frozen=True, slots=True)
class _Words:
    """Where a window stands, its words, and whom of their speakers one should trust least."""

    row: Mapping[str, Any]
    text: str
    trust: Trust
    own: str


@dataclass(frozen=True, slots=True)
class Matches:
    """Candidate windows of a query, and the weight of each of its terms."""

    windows: tuple[WindowMatch[UUID], ...]
    idf: Mapping[int, float]


def searched_agent(runtime: Runtime, agent_id: str | None, all_agents: bool) -> str | None:
    """Whose logs are searched; None: everyone's. Raises InputError where that would be a surprise."""
    if all_agents:
        if agent_id is not None:
            raise InputError("Give agent_id or all_agents=True, not both.")
        return None
    agent_id = agent_id or runtime.settings.store.agent_id
    if agent_id is None:
        (found,) = runtime.database.run(lambda conn: _SQL.fetch(conn, "several_agents", runtime.account))
        if found["several"]:
            raise InputError(
                "Several agents have logs here: give agent_id, set ULTRON_AGENT_ID, or ask for all with "
                "all_agents=True (`--all-agents`)."
            )
    return agent_id


def search_sessions(
    runtime: Runtime,
    query: str,
    limit: int = 10,
    *,
    agent_id: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    weights: LaneWeights | None = None,
    scope: Scope = EVERYTHING,
) -> list[SessionHit]:
    """Sessions by their best window, best first; `agent_id` None: of every agent. Raises InputError for an empty query.

    `scope` says of which project. `since` and `until` are limits; a time that the query names only lifts what was said
    in it. `weights` is for measurements.
    """

    asked = {**_ask(runtime, query, agent_id, since, until), "project": scope.only}
    # of one's own project even what others say better
    looked_at = limit + _LITERAL if scope.first is None else 2 * limit + _LITERAL

    def work(conn: Connection) -> list[SessionHit]:
        found = _match(runtime, conn, asked, limit)
        soft = runtime.embedder.thresholds.soft
        ranked = [r for r in rank_sessions(found.windows, found.idf, weights) if not r.noise(soft)]
        shown = _shown(runtime, conn, ranked[:looked_at])
        texts = {session: words.text for session, words in shown.items()}
        lifted = lift_literal(ranked[:looked_at], texts, asked["literals"], weights)
        hits = [_hit(hit, shown[hit.session], soft) for hit in lifted]
        if scope.first is not None:
            hits = own_first(hits, lambda hit: hit.project == scope.first)
        return hits[:limit]

    return runtime.database.run(work)


def match_windows(runtime: Runtime, query: str, limit: int = 10, *, agent_id: str | None = None) -> Matches:
    """What `search_sessions` ranks; for measurements that rank it with other weights."""
    asked = _ask(runtime, query, agent_id, None, None)
    return runtime.database.run(lambda conn: _match(runtime, conn, asked, limit))


def _ask(
    runtime: Runtime, query: str, agent_id: str | None, since: datetime | None, until: datetime | None
) -> dict[str, Any]:
    check_names(agent_id=agent_id)
    query = clean_text(query)
    if not query.strip():
        raise InputError("The query is empty: say what you are looking for.")
    analysis = analyze_query(query, runtime.clock())
    return {
        "account_id": runtime.account_id,
        "agent_id": agent_id,
        "project": None,
        "since": since,
        "until": until,
        "from": analysis.since,
        "to": analysis.until,
        "timed": analysis.since is not None or analysis.until is not None,
        "literals": analysis.literals,
        "terms": sorted({term_id(term) for term in analysis.terms}),
        "vector": _vector(runtime, query),
        "exact_below": _EXACT_BELOW,
    }


def _vector(runtime: Runtime, query: str) -> str | None:
    try:
        return memory_store.vector_text(embed_checked(runtime.embedder, [query])[0])
    except EmbeddingError:
        return None


def _match(runtime: Runtime, conn: Connection, asked: Mapping[str, Any], limit: int) -> Matches:
    counted = conn.execute(_SQL["frequencies"], asked, prepare=False).fetchone()
    assert counted is not None
    documents = counted["documents"]
    frequencies = {int(term): df for term, df in counted["df"].items()}
    weights = {term: idf(frequencies.get(term, 0), documents) for term in asked["terms"]}
    if asked["timed"]:
        weights[TIME_TERM] = idf(counted["in_time"], documents)
    params = {
        **asked,
        "rare": rarest(frequencies, _BUDGET),
        "query": memory_store.sparse({term: weights[term] for term in frequencies}),
        "candidates": max(_CANDIDATES, 20 * limit),
    }
    # a plan for any parameters takes 120 ms where one for these takes 15
    rows = conn.execute(_search(runtime, counted["many"]), params, prepare=False).fetchall()
    return Matches(tuple(_window(row) for row in rows), weights)


def _search(runtime: Runtime, many: bool) -> sql.Composed:
    """The search, through the index of the embedder's model when there is much to compare."""
    dimension = sql.Literal(runtime.embedder.dimension)
    near = sql.SQL("embedding::halfvec({0}) <=> %(vector)s::halfvec({0})").format(dimension)
    every = sql.SQL("(embedding <=> %(vector)s::halfvec) + 0, session_id, thread, place")
    model = sql.Literal(runtime.embedder.model_id)
    return sql.SQL(_SQL["search"]).format(model=model, nearness=near if many else every)


def _window(row: Mapping[str, Any]) -> WindowMatch[UUID]:
    matched = frozenset(row["matched"]) | ({TIME_TERM} if row["in_time"] else frozenset())
    return WindowMatch(
        row["session_id"], row["thread"], row["place"], float(row["cosine"]), float(row["bm25"]), matched
    )


def _shown(runtime: Runtime, conn: Connection, ranked: Sequence[RankedSession[UUID]]) -> dict[UUID, _Words]:
    params = {
        "account_id": runtime.account_id,
        "sessions": [hit.session for hit in ranked],
        "threads": [hit.window.thread for hit in ranked],
        "places": [hit.window.place for hit in ranked],
    }
    messages: dict[UUID, list[dict[str, Any]]] = {}
    for row in conn.execute(_SQL["messages"], params, prepare=False):
        messages.setdefault(row["session_id"], []).append(row)
    rows = conn.execute(_SQL["shown"], params, prepare=False)
    return {row["session_id"]: _words(row, messages.get(row["session_id"], [])) for row in rows}


def _words(row: Mapping[str, Any], messages: Sequence[dict[str, Any]]) -> _Words:
    units = make_units([(message["seq"], message_from_row(message)) for message in messages])
    first, last = (row["start_seq"], row["start_char"]), (row["end_seq"], row["end_char"])
    text = "\n".join(unit.text for unit in units if first <= (unit.start_seq, unit.start_char) <= last)
    voices = {_TRUST.get(message["origin"], "tool") for message in messages}
    own = (own_words(message["content"]).strip() for message in messages if message["origin"] == "human")
    return _Words(row, text, max(voices, key=_LEAST_LAST.index, default="tool"), "\n".join(filter(None, own)))


def _hit(ranked: RankedSession[UUID], words: _Words, soft: float) -> SessionHit:
    row = words.row
    return SessionHit(
        session_id=ranked.session,
        session_file=row["session_file"],
        partition_key=row["partition_key"],
        agent_id=row["agent_id"],
        project=row["project"],
        score=round(ranked.score, 4),
        weak=not ranked.speaks(soft),
        similarity_score=round(ranked.vector, 4),
        words=round(ranked.words, 4),
        around=round(ranked.around, 4),
        thread=row["thread"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        text=words.text,
        sent_at=row["sent_at"],
        origin="log",
        trust=words.trust,
        own_words=words.own,
    )
