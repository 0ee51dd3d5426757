"""Repository of memories. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Self
from uuid import UUID

import numpy as np
import orjson
from pgvector import SparseVector
from psycopg import Cursor

from ultron_core.models import Cure, Proof, Status, Trust
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.transcript.hazards import hazards
from ultron_core.transcript.language import language

__all__ = [
    "MOST_TERMS",
    "Lexical",
    "MemoryRecord",
    "MemorySource",
    "add_hits",
    "by_ids",
    "fetch",
    "run",
    "send",
    "send_by_ids",
    "sources",
    "sparse",
    "vector_text",
]

_SQL = NamedQueries("memories/memories")
run, fetch, send = _SQL.run, _SQL.fetch, _SQL.send
#: behind a cure that nobody has seen work
_DOUBT = {"en": " (cure not verified)", "zh": "（解决办法未经验证）"}
#: the most that pgvector's sparsevec takes
_DIMENSIONS = 1_000_000_000
#: what pgvector's sparse vector holds; of longer texts the words that occur most count
MOST_TERMS = 16_000


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One memory with its counters. Search at l0 and l1 leaves body fields empty."""

    id: UUID
    memory_type: str
    content: str
    context: str
    resolution: str
    tags: list[str]
    summary_l0: str
    overview_l1: str
    status: Status
    #: why it is archived; `judged_junk`: its owner said so
    archive_reason: str | None
    tier: str
    hit_count: int
    last_hit_at: datetime | None
    confidence: float
    agent_id: str
    extractor: str
    needs_model: bool
    created_at: datetime
    updated_at: datetime
    #: of its most trusted source: segment, upload or ingest_text
    origin: str
    #: who said the words that stand; a rule that no person said is data, not an instruction
    trust: Trust
    #: what bears them out, but for what their owner said of them
    proof: Proof
    #: the kind of lesson that the rules found; empty when a caller or a model gave it
    lesson: str
    #: how likely it is worth keeping, by the ranker that chose it; None where nothing judged it
    probability: float | None
    #: how far its resolution is borne out
    cure: Cure
    #: who confirmed these words; empty when it was done in the home itself, None when nobody did
    confirmed_by: str | None
    #: the last verdict on these words: confirmed, useful or junk
    judged: str | None
    #: what its words would make an agent do that its owner must confirm before they are handed on
    held: tuple[str, ...]
    #: where it was seen; one that was seen in several belongs to none alone
    projects: list[str]
    #: 1 when it was made; raised by every other body or other tags
    version: int

    @property
    def project(self) -> str | None:
        """The one project that it belongs to."""
        return self.projects[0] if len(self.projects) == 1 else None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        confirmed = row["confirmed_by"] is not None
        held = () if confirmed else hazards(row["content"], row["context"], row["resolution"])
        known = {**row, "held": held}
        return cls(*[known[name] for name in cls.__slots__])

    @property
    def claimant(self) -> str:
        """What stands before words that only an agent said, wherever they are shown; empty before any others."""
        return "The agent said: " if self.status == "claimed" else ""

    @property
    def doubt(self) -> str:
        """What stands behind a cure that nothing bears out, in the language of its words, wherever it is shown; empty
        behind any other, and behind what its owner confirmed or found useful."""
        if self.cure != "claimed" or self.confirmed_by is not None or self.judged == "useful":
            return ""
        return _DOUBT[language(self.resolution or self.summary_l0)]

    @property
    def proven(self) -> Proof:
        """What bears its words out; those that their owner confirmed, or found useful, are a person's."""
        return "person" if self.confirmed_by is not None or self.judged == "useful" else self.proof


@dataclass(frozen=True, slots=True)
class MemorySource:
    """Where a memory comes from: a segment's lines, a text, or a direct upload."""

    id: UUID
    kind: str
    agent_id: str
    segment_id: UUID | None
    session_id: UUID | None
    raw_upload_id: UUID | None
    session_file: str | None
    partition_key: str | None
    generation: int | None
    topic: str | None
    start_line: int | None
    end_line: int | None
    quote: str
    trust: Trust
    created_at: datetime

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        return cls(**{f.name: row[f.name] for f in fields(cls)})


@dataclass(frozen=True, slots=True)
class Lexical:
    """A document for the BM25 lane: weights by term id, its length, the average they were made with."""

    weights: Mapping[int, float]
    length: int
    average_length: float

    @property
    def terms(self) -> list[int]:
        return sorted(self.weights)


def sparse(weights: Mapping[int, float]) -> SparseVector:
    """Weights by term id (from 1) as pgvector's sparse vector."""
    return SparseVector({term - 1: float(w) for term, w in weights.items()}, _DIMENSIONS)


def vector_text(vector: Any) -> str:
    """A vector in pgvector's text form, read back exactly as float32."""
    return orjson.dumps(np.ascontiguousarray(vector), option=orjson.OPT_SERIALIZE_NUMPY).decode("ascii")


def by_ids(conn: Connection, account_id: str, ids: Sequence[UUID]) -> list[MemoryRecord]:
    """Full memories in the order of `ids`; unknown ones are left out."""
    return [MemoryRecord.from_row(row) for row in send_by_ids(conn, account_id, ids)]


def send_by_ids(conn: Connection, account_id: str, ids: Sequence[UUID]) -> Cursor[dict[str, Any]]:
    """The rows of `by_ids` without waiting, inside a pipeline."""
    return conn.execute(_SQL["by_ids"], {"account_id": account_id, "ids": list(ids)}, binary=True)


def add_hits(conn: Connection, account_id: str, hits: Mapping[UUID, int], at: datetime | None) -> None:
    """Count so many hits of each memory; the later of `at` and its last hit is kept."""
    counts = {"ids": list(hits), "hits": list(hits.values()), "hit_at": at}
    _SQL.run(conn, "add_hits", {"account_id": account_id, **counts})


def sources(conn: Connection, account_id: str, memory_id: UUID) -> list[MemorySource]:
    """Sources of one memory, in order of place."""
    rows = conn.execute(_SQL["sources"], {"account_id": account_id, "id": memory_id})
    return [MemorySource.from_row(row) for row in rows]
