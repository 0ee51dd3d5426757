"""Trainings, their adapters and rows. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["erased", "finish", "insert", "known", "listing", "parent", "stop", "taint", "unended"]

_SQL = NamedQueries("upkeep/training")


def insert(conn: Connection, values: Mapping[str, Any]) -> None:
    """Record a run that begins."""
    conn.execute(_SQL["insert"], {**values, "settings": Jsonb(values["settings"])})


def finish(
    conn: Connection,
    account_id: str,
    run_id: UUID,
    now: datetime,
    *,
    report: Mapping[str, Any],
    promoted: bool,
    rows: Sequence[Mapping[str, str]],
) -> None:
    """Record that it ended with an adapter, and what became of its `rows`: content, group, fate, id. Once."""
    values = {"account_id": account_id, "id": run_id, "now": now, "promoted": promoted}
    if _SQL.run(conn, "finish", {**values, "report": Jsonb(report)}):
        columns = {
            "contents": [row["content"] for row in rows],
            "groups": [row["group"] for row in rows],
            "fates": [row["fate"] for row in rows],
            "segments": [_as_uuid(row["id"]) for row in rows],
        }
        conn.execute(_SQL["insert_fates"], {**values, **columns})


def stop(conn: Connection, account_id: str, run_id: UUID, now: datetime, error: str) -> None:
    """Record that it ended without an adapter."""
    conn.execute(_SQL["stop"], {"account_id": account_id, "id": run_id, "now": now, "error": error})


def listing(conn: Connection, account_id: str, name: str | None = None) -> list[dict[str, Any]]:
    """All runs, newest first, or the one of this name."""
    return _SQL.fetch(conn, "listing", {"account_id": account_id, "name": name})


def unended(conn: Connection, account_id: str) -> list[dict[str, Any]]:
    """Runs that nobody ended."""
    return _SQL.fetch(conn, "unended", {"account_id": account_id})


def parent(conn: Connection, account_id: str, base_hash: str) -> dict[str, Any] | None:
    """The run whose adapter the next one goes on from."""
    return _SQL.fetch_one(conn, "parent", {"account_id": account_id, "base_hash": base_hash})


def known(
    conn: Connection, account_id: str, base_hash: str, parent_id: UUID | None, max_length: int
) -> list[dict[str, Any]]:
    """What finished runs did with each content."""
    about = {"base_hash": base_hash, "parent_id": parent_id, "max_length": max_length}
    return _SQL.fetch(conn, "known", {"account_id": account_id, **about})


def erased(conn: Connection, account_id: str, contents: Sequence[str]) -> frozenset[str]:
    """Of these contents those whose sessions are all gone."""
    found = _SQL.fetch(conn, "erased", {"account_id": account_id, "contents": list(contents)})
    return frozenset(row["content_sha256"] for row in found)


def taint(conn: Connection, account_id: str, now: datetime) -> list[str]:
    """Mark the adapters that were trained on erased rows; returns the names of those that were not marked before."""
    return [row["name"] for row in _SQL.fetch(conn, "taint", {"account_id": account_id, "now": now})]


def _as_uuid(text: str) -> UUID | None:
    """A row's id; datasets of elsewhere may have others than ours."""
    try:
        return UUID(text)
    except ValueError:
        return None
