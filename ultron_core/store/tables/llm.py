"""The answer cache and the cost ledger in Postgres: what the model client writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ultron_core.llm.ledger import LLMCall
from ultron_core.store.database import Connection, Database
from ultron_core.store.queries import NamedQueries

__all__ = [
    "PostgresAnswerCache",
    "PostgresCallLedger",
    "call_totals",
    "forget_answers",
    "kept_notes",
    "spent",
]

_SQL = NamedQueries("upkeep/llm")
_Clock = Callable[[], datetime]


class PostgresAnswerCache:
    """Answers by key; private to the account."""

    def __init__(self, database: Database, account_id: str, clock: _Clock) -> None:
        self._database, self._account_id, self._clock = database, account_id, clock

    def get(self, key: str) -> str | None:
        with self._database.transaction() as conn:
            row = _SQL.fetch_one(conn, "cached", {"account_id": self._account_id, "key": key})
        return row["answer"] if row else None

    def put(self, key: str, stage: str, model: str, answer: str) -> None:
        values = {
            "account_id": self._account_id,
            "key": key,
            "stage": stage,
            "model": model,
            "answer": answer.replace("\x00", ""),
            "now": self._clock(),
        }
        with self._database.transaction() as conn:
            conn.execute(_SQL["cache"], values)


class PostgresCallLedger:
    """One row per call; the day's tokens are counted in UTC."""

    def __init__(self, database: Database, account_id: str, clock: _Clock) -> None:
        self._database, self._account_id, self._clock = database, account_id, clock

    def record(self, call: LLMCall) -> None:
        with self._database.transaction() as conn:
            conn.execute(_SQL["record"], {**asdict(call), "account_id": self._account_id})

    def tokens_today(self) -> int:
        midnight = self._clock().replace(hour=0, minute=0, second=0, microsecond=0)
        with self._database.transaction() as conn:
            row = _SQL.fetch_one(conn, "tokens_since", {"account_id": self._account_id, "since": midnight})
        return int(row["tokens"]) if row else 0


def call_totals(conn: Connection, account_id: str, since: datetime | None = None) -> list[dict[str, Any]]:
    """Calls, tokens and cost by stage and model."""
    return _SQL.fetch(conn, "totals", {"account_id": account_id, "since": since})


def spent(conn: Connection, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Calls, tokens and cost since a moment in all, by stage, by day and by model."""
    return _SQL.fetch(conn, "spent", params)


def kept_notes(conn: Connection, params: Mapping[str, Any]) -> int:
    """How many memories that models made since a moment are kept."""
    row = _SQL.fetch_one(conn, "kept_notes", params)
    return int(row["count"]) if row else 0


def forget_answers(conn: Connection, account_id: str, stage: str, made_by: str | None) -> None:
    """Forget the cached answers of a stage; with `made_by` (`model:...`) of the models whose versions begin so."""
    params = {"account_id": account_id, "stage": stage, "made_by": made_by}
    conn.execute(_SQL["forget_answers"], params)
