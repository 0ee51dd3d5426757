"""Repository of published datasets. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from ultron_core.models import Message
from ultron_core.store.database import Connection, Database
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables.records import message_from_row

__all__ = [
    "Spoken",
    "finished_segments",
    "holding",
    "insert",
    "messages_of",
    "newest",
    "newest_of_all",
    "projects_of",
    "recall_cleaned",
    "recall_drafted",
    "remember_cleaned",
    "remember_drafted",
    "segment",
]

_SQL = NamedQueries("upkeep/exports")


def newest(conn: Connection, account_id: str, name: str) -> dict[str, Any] | None:
    """The newest dataset of this name, or None."""
    return _SQL.fetch_one(conn, "newest", {"account_id": account_id, "name": name})


def segment(conn: Connection, account_id: str, segment_id: UUID) -> dict[str, Any] | None:
    """One segment, finished or not."""
    return _SQL.fetch_one(conn, "segment", {"account_id": account_id, "segment_id": segment_id})


def holding(conn: Connection, account_id: str, segment_id: UUID) -> list[dict[str, Any]]:
    """The datasets that hold a segment, newest first."""
    return _SQL.fetch(conn, "holding", {"account_id": account_id, "segment_id": segment_id})


def newest_of_all(conn: Connection, account_id: str) -> dict[str, Any] | None:
    """The dataset that was written last, whatever its name."""
    return _SQL.fetch_one(conn, "newest_of_all", {"account_id": account_id})


def insert(conn: Connection, values: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """Record a dataset and the segments it holds, which may come in a stream; nothing when its path is recorded
    already."""
    export_id = uuid4()
    done = conn.execute(_SQL["insert"], {**values, "id": export_id, "manifest": Jsonb(values["manifest"])})
    if done.rowcount:
        conn.cursor().executemany(_SQL["insert_row"], ({**row, "export_id": export_id} for row in rows))


@dataclass
class Spoken:
    """The messages of one segment, the system prompt that its thread began with, and its session's tool schemas."""

    messages: list[Message] = field(default_factory=list)
    system: str = ""
    tools: Sequence[Mapping[str, Any]] = ()


def finished_segments(
    database: Database,
    account_id: str,
    *,
    task_type: str | None = None,
    project: str | None = None,
    segments: Sequence[UUID] | None = None,
    batch: int = 64,
) -> Iterator[list[dict[str, Any]]]:
    """Every finished segment with what its session says of it, in batches; each batch is a transaction of its own."""
    after: dict[str, Any] = {"after_session": UUID(int=0), "after_index": -1}
    fixed = {
        "account_id": account_id,
        "task_type": task_type,
        "project": project,
        "segments": None if segments is None else list(segments),
        "limit": batch,
    }
    while True:
        with database.transaction() as conn:
            rows = _SQL.fetch(conn, "finished_segments", {**fixed, **after})
        if not rows:
            return
        yield rows
        after = {"after_session": rows[-1]["session_id"], "after_index": rows[-1]["segment_index"]}


def messages_of(
    conn: Connection, account_id: str, segments: Sequence[Mapping[str, Any]]
) -> Mapping[UUID, Spoken]:
    """The messages of many segments in one query, and the tools of their sessions in another."""
    params = {
        "account_id": account_id,
        "ids": [s["id"] for s in segments],
        "sessions": [s["session_id"] for s in segments],
        "threads": [s["thread"] for s in segments],
        "seqs": [s["start_seq"] for s in segments],
        "positions": [s["start_message"] for s in segments],
        "sizes": [s["end_message"] - s["start_message"] for s in segments],
    }
    tools = {row["id"]: row["tools"] for row in _SQL.fetch(conn, "tools_of_sessions", params)}
    found = {s["id"]: Spoken(tools=tools[s["session_id"]] or ()) for s in segments}
    for row in conn.execute(_SQL["messages_of_segments"], params):
        spoken = found[row["segment_id"]]
        if row["opening"]:
            spoken.system = row["content"]
        else:
            spoken.messages.append(message_from_row(row))
    return found


def recall_cleaned(conn: Connection, account_id: str, digests: Mapping[str, bytes]) -> dict[str, bytes]:
    """By segment what was cleaned of it, where its digest is this one."""
    params = {"account_id": account_id, "ids": list(digests), "digests": list(digests.values())}
    return {str(row["segment_id"]): row["cleaned"] for row in _SQL.fetch(conn, "recall_cleaned", params)}


def remember_cleaned(conn: Connection, account_id: str, entries: Sequence[tuple[str, bytes, bytes]]) -> None:
    """(segment, digest, cleaned): replaces what was remembered of the segment."""
    ids, digests, cleaned = (list(column) for column in zip(*sorted(entries), strict=True))
    params = {"account_id": account_id, "ids": ids, "digests": digests, "cleaned": cleaned}
    conn.execute(_SQL["remember_cleaned"], params)


def recall_drafted(conn: Connection, account_id: str, digests: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """What was drafted of the segments whose digest is this one."""
    params = {"account_id": account_id, "ids": list(digests), "digests": list(digests.values())}
    return _SQL.fetch(conn, "recall_drafted", params)


def remember_drafted(
    conn: Connection, account_id: str, entries: Sequence[tuple[str, bytes, bytes, bytes, bytes]]
) -> None:
    """(segment, digest, drafted, keys, shingles): replaces what was remembered of the segment."""
    ids, digests, drafted, keys, shingles = (list(column) for column in zip(*sorted(entries), strict=True))
    named = {"ids": ids, "digests": digests, "drafted": drafted, "keys": keys, "shingles": shingles}
    conn.execute(_SQL["remember_drafted"], {"account_id": account_id, **named})


def projects_of(conn: Connection, account_id: str, content_hash: str) -> dict[str, str]:
    """Project, or else agent, of each segment in the datasets with this content."""
    params = {"account_id": account_id, "content_hash": content_hash}
    return {str(row["segment_id"]): row["project"] for row in _SQL.fetch(conn, "projects_of", params)}
