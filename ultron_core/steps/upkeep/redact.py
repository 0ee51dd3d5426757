"""Stored rows redacted again after the rules changed, table by table, in chunks that each commit by themselves.

What is reached is written with each chunk, so that a run that was stopped resumes there. Rows are locked
while they are redacted; a memory whose words changed gets new lanes, and its vector from back-filling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from ultron_core.memories import Body, Summary
from ultron_core.steps.rows import memories as memory_rows
from ultron_core.steps.rows.body import MemoryRow, redact_tags
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.rows.status import shelve
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.taste import forget_in_taste
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables import redaction as store

__all__ = ["Replay", "replay"]

#: rows per transaction
_CHUNK = 200
_MEMORIES = "memories"
_BODY = ("content", "context", "resolution")
_TEXTS = (*_BODY, "summary_l0", "overview_l1")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Replay:
    """What one run did: rows read and changed by table, vectors rebuilt, datasets made with older rules."""

    version: str
    read: dict[str, int]
    changed: dict[str, int]
    filled: int
    exports: tuple[str, ...]


def replay(runtime: Runtime, *, again: bool = False, progress: Progress | None = None) -> Replay:
    """Redact every stored row that this version of the rules has not seen; `again` reads all tables once more."""
    base = {"account_id": runtime.account_id, "version": runtime.redactor.version}
    begun = runtime.clock()
    with runtime.database.transaction() as conn:
        if again:
            store.run(conn, "restart", base)
        state = {row["place"]: row for row in store.fetch(conn, "state", base)}
        total = sum(store.count(conn, runtime.account_id, table) for table in (_MEMORIES, *store.PLACES))
    read: dict[str, int] = {}
    changed: dict[str, int] = {}
    done = sum(row["rows_read"] for row in state.values())
    for place in (_MEMORIES, *store.PLACES):
        row = state.get(place)
        read[place] = changed[place] = 0
        if row and row["finished"] and place != _MEMORIES:
            continue
        after = row["reached"] if row and not row["finished"] else None
        finished = False
        while not finished:
            after, count, written, finished = runtime.database.run(partial(_chunk, runtime, place, after))
            read[place] += count
            changed[place] += written
            done += count
            if progress:
                progress(place, min(done, total), total)
    filled = backfill(runtime) if changed[_MEMORIES] else 0
    if any(changed.values()):
        runtime.database.run(partial(forget_in_taste, runtime))
    with runtime.database.transaction() as conn:
        exports = store.fetch(conn, "old_exports", {**base, "before": begun}) if any(changed.values()) else []
    return Replay(runtime.redactor.version, read, changed, filled, tuple(row["path"] for row in exports))


def _chunk(
    runtime: Runtime, place: str, after: str | None, conn: Connection
) -> tuple[str | None, int, int, bool]:
    """(last key, rows read, rows changed, was it the last chunk); in one transaction with what was reached."""
    params = {
        "account_id": runtime.account_id,
        "version": runtime.redactor.version,
        "after": after,
        "limit": _CHUNK,
        "now": runtime.clock(),
    }
    if place == _MEMORIES:
        lock_memories(runtime, conn)
        rows = store.fetch(conn, "read_memories", params)
        changed = _memories(runtime, conn, rows)
    else:
        rows = store.read(conn, store.PLACES[place], params)
        changed = _rows(runtime, conn, store.PLACES[place], rows, params)
    reached, finished = (rows[-1]["key"] if rows else after), len(rows) < _CHUNK
    facts = {"place": place, "reached": reached, "read": len(rows), "changed": changed, "finished": finished}
    if rows or finished:
        store.run(conn, "reach", {**params, **facts})
    return reached, len(rows), changed, finished


def _rows(
    runtime: Runtime, conn: Connection, place: store.Place, rows: list[dict[str, Any]], params: dict[str, Any]
) -> int:
    """Redact each row as one document; write the changed ones, and all of a table that names its version."""
    clean = [_clean(runtime, row) for row in rows]
    differing = [new for old, new in zip(rows, clean, strict=True) if new != old]
    written = clean if place.versioned else differing
    if written:
        store.write(conn, place, written, params)
    return len(differing)


def _clean(runtime: Runtime, row: dict[str, Any]) -> dict[str, Any]:
    body = {name: value for name, value in row.items() if name not in ("key", "tags")}
    clean, _ = runtime.redactor.redact_json(body)
    tags = {"tags": list(redact_tags(runtime, row["tags"]))} if "tags" in row else {}
    return {"key": row["key"], **clean, **tags}


def _memories(runtime: Runtime, conn: Connection, rows: list[dict[str, Any]]) -> int:
    """Rows of memories; those whose words changed get new lanes, and from back-filling a vector and a cluster."""
    changed: list[MemoryRow] = []
    reworded: list[MemoryRow] = []
    for row in rows:
        texts = {name: row[name] for name in ("key", "tags", *_TEXTS)}
        clean = _clean(runtime, texts)
        if clean != texts:
            changed.append(_row(row, clean))
            if any(clean[name] != row[name] for name in _BODY):
                reworded.append(changed[-1])
    memory_rows.store(runtime, conn, changed)
    memory_rows.index(runtime, conn, reworded)
    shelve(runtime, conn, [row.id for row in reworded])
    seen = {"ids": [row["key"] for row in rows], "version": runtime.redactor.version}
    memory_store.run(conn, "mark_redacted", {**runtime.account, **seen})
    return len(changed)


def _row(old: dict[str, Any], clean: dict[str, Any]) -> MemoryRow:
    return MemoryRow(
        UUID(old["key"]),
        old["memory_type"],
        Body(*(clean[name] for name in _BODY)),
        tuple(clean["tags"]),
        Summary(clean["summary_l0"], clean["overview_l1"]),
        needs_model=old["needs_model"],
        status=old["status"],
    )
