"""Repository of imported outcomes. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["put", "sessions_named"]

_SQL = NamedQueries("upkeep/outcomes")


def sessions_named(
    conn: Connection, account_id: str, names: Sequence[str]
) -> Mapping[str, list[tuple[str, str]]]:
    """(agent, session file) of the sessions that each name may mean."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in _SQL.fetch(conn, "sessions_named", {"account_id": account_id, "names": list(names)}):
        found.setdefault(row["name"], []).append((row["agent_id"], row["session_file"]))
    return found


def put(conn: Connection, account_id: str, outcomes: Sequence[Mapping[str, Any]], now: Any) -> None:
    """Write outcomes; each has agent_id, session_file, reward, success, task_id and source."""
    columns = {
        "agents": "agent_id",
        "files": "session_file",
        "rewards": "reward",
        "successes": "success",
        "tasks": "task_id",
        "sources": "source",
    }
    values = {name: [outcome[key] for outcome in outcomes] for name, key in columns.items()}
    conn.execute(_SQL["put_outcomes"], {"account_id": account_id, "now": now, **values})
