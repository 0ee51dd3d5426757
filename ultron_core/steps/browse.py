"""Lists to leaf through: memories and sessions page by page, the lines of a session. Read-only, counts no hits."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any
from uuid import UUID

from ultron_core.errors import InputError, NotFoundError
from ultron_core.models import QualityLabel
from ultron_core.steps import given
from ultron_core.steps.ids import as_id
from ultron_core.steps.names import agent_named, cluster_named, sessions_named
from ultron_core.steps.projects import checked_project
from ultron_core.steps.runtime import Runtime
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables.memories import MemoryRecord

__all__ = [
    "MOST_LINES",
    "SORTS",
    "Page",
    "Task",
    "agents",
    "known_of_project",
    "list_memories",
    "list_sessions",
    "projects",
    "read_lines",
    "remedy",
    "segments",
    "session",
    "task",
]

_SQL = NamedQueries("access/browse")
#: rows of one page
MOST_ROWS = 200
#: orders of a list of memories, each the highest first, with the column of each
SORTS: Mapping[str, str] = MappingProxyType(
    {"time": "created_at", "hits": "hit_count", "last_hit": "last_hit_at"}
)
#: the order of a list of sessions
_CHANGED = "changed"
#: messages of one answer: a log may have a hundred thousand
MOST_LINES = 500


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows, and what asks for the next ones; None at the end."""

    rows: Sequence[Any]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a session: its row, its label once it has one, and the memories that rest on it."""

    row: dict[str, Any]
    label: QualityLabel | None
    memories: Sequence[MemoryRecord]


def list_memories(
    runtime: Runtime,
    *,
    limit: int = 50,
    cursor: str | None = None,
    sort: str = "time",
    memory_type: str | None = None,
    tier: str | None = None,
    status: str = "active",
    proof: str | None = None,
    tag: str | None = None,
    agent_id: str | None = None,
    project: str | None = None,
    cluster_id: str | UUID | None = None,
    session: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Page:
    """Memories by `sort`, highest first: `time` (when they were stored), `hits` or `last_hit`. `session` is a key, an
    id or at least eight characters of one, `<agent>/<file>` or the file; `cluster_id` may be the beginning of one.

    Raises InputError for a filter that nothing can match and for a cursor of another list, UnknownNameError with the
    nearest names for an agent, project or session that is not there, NotFoundError for a cluster.
    """
    given.check_count("limit", limit, most=MOST_ROWS)
    given.check_one_of("sort", sort, SORTS)
    given.check_names_of("memory_type", None if memory_type is None else [memory_type], given.MEMORY_TYPES)
    given.check_names_of("tier", None if tier is None else [tier], given.TIERS)
    given.check_one_of("status", status, given.STATUSES)
    given.check_names_of("proof", None if proof is None else [proof], given.PROOFS)
    given.check_name("tag", tag, optional=True)
    given.check_times(since=since, until=until)
    filters = {
        "memory_type": memory_type,
        "tier": tier and tier.upper(),
        "status": status,
        "proof": proof,
        "tag": tag,
        "project": project and checked_project(runtime, project),
        "since": since,
        "until": until,
        **_after(cursor, sort),
    }
    with runtime.database.transaction() as conn:
        named = {
            "agent_id": agent_id if agent_id is None else agent_named(runtime, conn, agent_id),
            "cluster_id": cluster_id if cluster_id is None else cluster_named(runtime, conn, cluster_id),
            "sessions": session if session is None else sessions_named(runtime, conn, session),
        }
        params = {**runtime.account, **filters, **named, "sort": sort, "limit": limit + 1}
        # a statement that is prepared would be planned for whatever may be asked
        found = conn.execute(_SQL["memories"], params, prepare=False).fetchall()
        ids = [row["id"] for row in found[:limit]]
        records: list[MemoryRecord] = memory_store.by_ids(conn, runtime.account_id, ids)
    return Page(records, _cursor(found, limit, sort, SORTS[sort]))


def list_sessions(
    runtime: Runtime,
    *,
    limit: int = 50,
    cursor: str | None = None,
    agent_id: str | None = None,
    project: str | None = None,
) -> Page:
    """Sessions as dicts, the one that grew last first; of the project "" are those that name none."""
    given.check_count("limit", limit, most=MOST_ROWS)
    given.check_agent("agent_id", agent_id, optional=True)
    named = {
        "agent_id": agent_id,
        "project": project and checked_project(runtime, project),
        "session_id": None,
    }
    params = {**runtime.account, **named, **_after(cursor, _CHANGED), "limit": limit + 1}
    with runtime.database.transaction() as conn:
        found = _SQL.fetch(conn, "sessions", params)
    return Page(found[:limit], _cursor(found, limit, _CHANGED, "changed_at"))


def session(runtime: Runtime, session_id: str | UUID, *, agent_id: str | None = None) -> dict[str, Any]:
    """One session, by its id or at least the first eight characters of it; with `agent_id` only that agent's.
    Raises NotFoundError."""
    given.check_agent("agent_id", agent_id, optional=True)
    params = {**runtime.account, "agent_id": agent_id, **_after(None, _CHANGED), "project": None, "limit": 1}
    with runtime.database.transaction() as conn:
        params["session_id"] = _session_id(session_id)
        if params["session_id"] is None:
            prefix = {"prefix": str(session_id), **runtime.account, "agent_id": agent_id}
            alike = _SQL.fetch(conn, "session_by_prefix", prefix)
            if len(alike) != 1:
                raise NotFoundError(f"No session {session_id}, or more than one: give the whole id.")
            params["session_id"] = alike[0]["id"]
        found = _SQL.fetch(conn, "sessions", params)
    if not found:
        raise NotFoundError(f"No session {session_id}.")
    return found[0]


def remedy(row: Mapping[str, Any]) -> str:
    """What to do about a session with an error, as one sentence; empty for one without."""
    if not row["error"]:
        return ""
    if row["status"] == "failed":
        return (
            "What was read of the log before stays, and it is not cut into tasks until it can be read: mend what the "
            "reason names, then read it again with `ultron ingest`."
        )
    return "`ultron process` tries it again; if it has used up its attempts, `ultron retry` frees it."


def read_lines(
    runtime: Runtime,
    session_id: str | UUID,
    start: int = 1,
    end: int | None = None,
    *,
    agent_id: str | None = None,
) -> list[dict[str, Any]]:
    """The messages on lines `start` to `end` (inclusive) as they were said, at most MOST_LINES; private, not redacted.

    With `agent_id` only of that agent's session. Raises NotFoundError.
    """
    given.check_count("start", start)
    last = given.MOST_COUNT if end is None else end
    given.check_count("end", last)
    if last < start:
        raise InputError(f"end ({last}) comes before start ({start}).")
    found = session(runtime, session_id, agent_id=agent_id)
    params = {**runtime.account, "session_id": found["id"], "start": start, "end": last, "limit": MOST_LINES}
    with runtime.database.transaction() as conn:
        return _SQL.fetch(conn, "lines", params)


def segments(runtime: Runtime, session_id: UUID) -> list[dict[str, Any]]:
    """The tasks of a session, in order."""
    with runtime.database.transaction() as conn:
        return _SQL.fetch(conn, "segments", {**runtime.account, "session_id": session_id})


def task(runtime: Runtime, segment_id: str | UUID, *, agent_id: str | None = None) -> Task:
    """One task; with `agent_id` only of that agent's logs. Raises NotFoundError."""
    given.check_agent("agent_id", agent_id, optional=True)
    wanted = as_id(segment_id)
    params = {**runtime.account, "segment_id": wanted, "agent_id": agent_id}
    with runtime.database.transaction() as conn:
        row = _SQL.fetch_one(conn, "segment", params)
        if row is None:
            raise NotFoundError(f"No task {wanted}.")
        ids = [found["id"] for found in _SQL.fetch(conn, "learned", params)]
        records = memory_store.by_ids(conn, runtime.account_id, ids)
    raw = row.pop("quality_metrics")
    return Task(row, QualityLabel.from_json(raw) if raw and "summary" in raw else None, records)


def projects(runtime: Runtime, agent_id: str | None = None) -> list[dict[str, Any]]:
    """Projects with their numbers of sessions, of one agent's logs or of all."""
    given.check_agent("agent_id", agent_id, optional=True)
    with runtime.database.transaction() as conn:
        return _SQL.fetch(conn, "projects", {**runtime.account, "agent_id": agent_id})


def agents(runtime: Runtime) -> list[dict[str, Any]]:
    """Agents with their numbers of sessions and memories."""
    with runtime.database.transaction() as conn:
        return _SQL.fetch(conn, "agents", runtime.account)


def known_of_project(runtime: Runtime, project: str, limit: int) -> list[MemoryRecord]:
    """Memories of a project, the ones an agent needs most first."""
    with runtime.database.transaction() as conn:
        rows = _SQL.fetch(conn, "known", {**runtime.account, "project": project, "limit": limit})
        return memory_store.by_ids(conn, runtime.account_id, [row["id"] for row in rows])


def _session_id(value: str | UUID) -> UUID | None:
    """The whole id; None for the beginning of one. Raises InputError for anything else."""
    text = str(value).lower()
    if 8 <= len(text) < 32 and not set(text) - set("0123456789abcdef-"):
        return None
    return as_id(value)


def _cursor(found: Sequence[dict[str, Any]], limit: int, order: str, column: str) -> str | None:
    """What asks for the rows behind these: the order, and where in it the last one stands."""
    if len(found) <= limit:
        return None
    last = found[limit - 1]
    value = last[column]
    place = json.dumps([order, value.isoformat() if isinstance(value, datetime) else value, str(last["id"])])
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def _after(cursor: str | None, order: str) -> dict[str, Any]:
    """Where a page begins, as parameters of its query. Raises InputError for what is no cursor of this order."""
    nowhere: dict[str, Any] = {"after_time": None, "after_hits": None, "after_id": None}
    if cursor is None:
        return nowhere
    try:
        found, value, row_id = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if found != order:
            raise ValueError("of another order")
        column, place = ("after_hits", value) if order == "hits" else ("after_time", _moment(value, order))
        if order == "hits":
            given.check_count("cursor", value, least=0, most=2**63 - 1)
        return {**nowhere, column: place, "after_id": UUID(row_id)}
    except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error, InputError) as error:
        raise InputError(
            "cursor is not one that a page of this list in this order gave: leave it out to begin again."
        ) from error


def _moment(value: Any, order: str) -> datetime | None:
    """A time with its zone; None for a memory that was never hit."""
    if value is None and order == "last_hit":
        return None
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError("a time without its zone")
    return moment
