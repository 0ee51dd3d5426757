"""Where memories come from: sources, contributions, decisions, links and idempotency keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from ultron_core.memories import Body, Relation
from ultron_core.models import Cure, Proof, Trust
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = [
    "AgainRow",
    "ContributionRow",
    "DecisionRow",
    "KeyRow",
    "LinkRow",
    "Origins",
    "SourceRow",
    "fetch",
    "give_again",
    "hand_over",
    "mark_merged",
    "mark_undone",
    "run",
    "seal_bodies",
    "split_off",
    "write",
]

_SQL = NamedQueries("memories/origins")
run, fetch = _SQL.run, _SQL.fetch
_dumps = partial(json.dumps, default=str)


@dataclass(frozen=True, slots=True)
class SourceRow:
    """Where a contribution comes from; kind is segment, upload or ingest_text."""

    id: UUID
    agent_id: str
    memory_id: UUID
    kind: str
    segment_id: UUID | None
    session_id: UUID | None
    raw_upload_id: UUID | None
    start_line: int | None
    end_line: int | None
    segment_start_line: int | None
    quote: str
    trust: Trust
    project: str | None = None


@dataclass(frozen=True, slots=True)
class ContributionRow:
    """What was given, redacted; `pending`: a model has yet to word its merge."""

    id: UUID
    agent_id: str
    memory_id: UUID
    source_id: UUID | None
    content: str
    context: str
    resolution: str
    tags: tuple[str, ...]
    merged: bool
    pending: bool
    trust: Trust
    proof: Proof
    lesson: str
    probability: float | None
    cure: Cure


@dataclass(frozen=True, slots=True)
class AgainRow:
    """Words that a segment had given to a memory before, with who stands behind them now."""

    memory_id: UUID
    given_by: UUID
    trust: Trust
    proof: Proof
    lesson: str
    probability: float | None
    cure: Cure


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """What was decided about a contribution, and why; a merge keeps the body from before, so that it can be undone."""

    id: UUID
    memory_id: UUID
    other_id: UUID | None
    contribution_id: UUID | None
    decision: str
    reason: str
    score: float | None
    body_before: Body | None = None
    decided_by: str = "rules"


@dataclass(frozen=True, slots=True)
class LinkRow:
    """Two memories that are near but not the same; the newer one comes first."""

    from_id: UUID
    to_id: UUID
    kind: Relation
    score: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What an idempotency key made."""

    agent_id: str
    key: str
    request_hash: str
    memory_id: UUID


@dataclass(slots=True)
class Origins:
    """What a transaction records about where memories come from, in order of decision."""

    sources: list[SourceRow] = field(default_factory=list)
    contributions: list[ContributionRow] = field(default_factory=list)
    decisions: list[DecisionRow] = field(default_factory=list)
    links: list[LinkRow] = field(default_factory=list)
    keys: list[KeyRow] = field(default_factory=list)


def write(runtime: Runtime, conn: Connection, origins: Origins) -> None:
    """Store them all in one statement; nothing when there is nothing to store."""
    given: dict[str, Sequence[Any]] = {
        "sources": origins.sources,
        "contributions": origins.contributions,
        "decisions": origins.decisions,
        "links": origins.links,
        "keys": origins.keys,
    }
    if any(given.values()):
        rows = {name: Jsonb([asdict(row) for row in part], dumps=_dumps) for name, part in given.items()}
        common = {**runtime.model_key, "threshold": runtime.thresholds.merge, "now": runtime.clock()}
        _SQL.run(conn, "insert_origins", {**common, **rows})


def give_again(runtime: Runtime, conn: Connection, rows: Sequence[AgainRow]) -> None:
    """What the rules say now of words that they found before; nothing of words that others gave or edited too."""
    if rows:
        given = Jsonb([asdict(row) for row in rows], dumps=_dumps)
        _SQL.run(conn, "given_again", {**runtime.account, "rows": given})


def hand_over(runtime: Runtime, conn: Connection, from_id: UUID, to_id: UUID, *, pending: bool) -> None:
    """Everything that came to one memory goes to another; `pending`: a model has yet to word the merge."""
    _SQL.run(conn, "hand_over", {**runtime.account, "from_id": from_id, "to_id": to_id, "pending": pending})


def split_off(runtime: Runtime, conn: Connection, contribution_id: UUID, memory_id: UUID) -> None:
    """A contribution goes to a memory that is made of it alone, and its source with it."""
    _SQL.run(conn, "split_off", {**runtime.account, "id": contribution_id, "memory_id": memory_id})


def mark_merged(runtime: Runtime, conn: Connection, contribution_id: UUID, memory_id: UUID) -> bool:
    """The facts of a contribution are in the body now; False when its merge was undone meanwhile."""
    params = {**runtime.account, "id": contribution_id, "memory_id": memory_id}
    return bool(_SQL.run(conn, "contribution_merged", params))


def mark_undone(runtime: Runtime, conn: Connection, decision_id: UUID) -> None:
    """A decision does not hold any more."""
    _SQL.run(conn, "undone", {**runtime.account, "id": decision_id, "now": runtime.clock()})


def seal_bodies(runtime: Runtime, conn: Connection, memory_id: UUID) -> None:
    """Undoing a merge from before must not bring back what a person changed or took out."""
    _SQL.run(conn, "forget_bodies", {**runtime.account, "memory_id": memory_id})
