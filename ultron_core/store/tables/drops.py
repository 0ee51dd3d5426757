"""Repository of what was refused. Payloads are redacted by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from ultron_core.models import Drop
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["DropPlace", "counts", "listing", "replace_of_segment", "replace_of_session", "replace_of_text"]

_SQL = NamedQueries("log/drops")

#: a drop with the lines it is about, if any
DropPlace = tuple[Drop, int | None, int | None]


def replace_of_session(
    conn: Connection,
    owner: tuple[str, str],
    session_id: UUID,
    stage: str,
    rows: Sequence[DropPlace],
    now: datetime,
) -> None:
    """What `stage` refused of a session now, in place of what it refused before; owner = (account, agent)."""
    conn.execute(_SQL["clear_session"], {"session_id": session_id, "stage": stage})
    _insert(conn, owner, stage, rows, now, session_id=session_id)


def replace_of_segment(
    conn: Connection,
    owner: tuple[str, str],
    ids: tuple[UUID, UUID],
    stage: str,
    rows: Sequence[DropPlace],
    now: datetime,
) -> None:
    """The same for a segment; ids = (session, segment)."""
    session_id, segment_id = ids
    conn.execute(_SQL["clear_segment"], {"segment_id": segment_id, "stage": stage})
    _insert(conn, owner, stage, rows, now, session_id=session_id, segment_id=segment_id)


def replace_of_text(
    conn: Connection,
    owner: tuple[str, str],
    raw_upload_id: UUID,
    stage: str,
    rows: Sequence[DropPlace],
    now: datetime,
) -> None:
    """The same for a plain text, by its raw upload."""
    conn.execute(_SQL["clear_text"], {"raw_upload_id": raw_upload_id, "stage": stage})
    _insert(conn, owner, stage, rows, now, raw_upload_id=raw_upload_id)


def _insert(
    conn: Connection,
    owner: tuple[str, str],
    stage: str,
    rows: Sequence[DropPlace],
    now: datetime,
    *,
    session_id: UUID | None = None,
    segment_id: UUID | None = None,
    raw_upload_id: UUID | None = None,
) -> None:
    if not rows:
        return
    account_id, agent_id = owner
    conn.cursor().executemany(
        _SQL["insert"],
        [
            {
                "account_id": account_id,
                "agent_id": agent_id,
                "stage": stage,
                "reason": drop.reason,
                "detail": drop.detail,
                "payload": Jsonb(dict(drop.payload)),
                "session_id": session_id,
                "segment_id": segment_id,
                "raw_upload_id": raw_upload_id,
                "start_line": start_line,
                "end_line": end_line,
                "now": now,
            }
            for drop, start_line, end_line in rows
        ],
    )


def listing(
    conn: Connection,
    account_id: str,
    *,
    stage: str | None = None,
    reason: str | None = None,
    limit: int = 100,
) -> list[dict[str, Any]]:
    """What was refused, newest first."""
    params = {"account_id": account_id, "stage": stage, "reason": reason, "limit": limit}
    return _SQL.fetch(conn, "listing", params)


def counts(conn: Connection, account_id: str, keys: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Rows of stage, reason, count; only of these partitions when `keys` is given."""
    params = {"account_id": account_id, "keys": None if keys is None else list(keys)}
    return _SQL.fetch(conn, "counts", params)
