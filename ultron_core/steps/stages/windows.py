"""Sessions -> windows over their verbatim log, for the search over it; many sessions are embedded in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ultron_core.models import Message
from ultron_core.search.windows import LAYOUT
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.windows import index_windows
from ultron_core.steps.stages.table import WINDOWS
from ultron_core.steps.stages.waiting.loop import NEXT_TRY_AFTER, Item, StageResult, Step, groups_of
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SessionRow

__all__ = ["STEP"]

_DOWN = "the embedder is unavailable"


def _waiting(conn: Connection, query: str, params: Mapping[str, Any]) -> list[Item[SessionRow]]:
    rows = [SessionRow.from_row(row) for row in session_store.fetch(conn, query, params)]
    return [Item(row.id, row.partition_key, row) for row in rows]


def _messages(conn: Connection, row: SessionRow) -> list[Message]:
    return session_store.load_messages(conn, row.account_id, row.id)


def _index(runtime: Runtime, items: Sequence[Item[SessionRow]]) -> list[StageResult]:
    results: list[StageResult] = []
    for group in groups_of(items, lambda item: item.row.message_count):
        made = index_windows(runtime, [item.id for item in group])
        status, error = ("done", None) if made.embedded else ("pending", _DOWN)
        results += [StageResult(item.id, item.partition_key, status, error=error) for item in group]
        if not made.embedded:
            _wait(runtime, group)
            break
    return results


def _wait(runtime: Runtime, items: Sequence[Item[SessionRow]]) -> None:
    """Their words are found already; vectors come when the embedder is back."""
    later = {
        "transient": True,
        "error": _DOWN,
        "now": runtime.clock(),
        "next_try": runtime.clock() + NEXT_TRY_AFTER,
    }
    with runtime.database.transaction() as conn:
        for item in items:
            session_store.run(conn, WINDOWS.failed, {**later, "id": item.id})


STEP = Step(
    WINDOWS,
    f"windows:{LAYOUT}",
    lambda: "",
    waiting=_waiting,
    messages=_messages,
    work=lambda runtime, item: _index(runtime, [item])[0],
    run=session_store.run,
    together=_index,
)
