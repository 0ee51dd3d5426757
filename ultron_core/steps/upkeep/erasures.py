"""One erasure: what it reports, how far it is, and that no other runs beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from ultron_core.errors import ConflictError
from ultron_core.steps.erased.marks import Marks, find_marks, make_marks
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upkeep.erase_walk import Found, Scope
from ultron_core.steps.upkeep.outside import Outside
from ultron_core.store.database import Connection
from ultron_core.store.tables import erasure

__all__ = ["REST", "WALK", "Erased", "advance", "alone", "begun_of", "report_of"]

#: cursors of an erasure: rows are being taken out, or all are and the rest is left to do
WALK, REST = "walk", "rest"


@dataclass(frozen=True, slots=True)
class Erased:
    """What is erased, or would be; `left` says in sentences what stays and where."""

    scope: str
    named: str
    dry_run: bool
    #: rows by table; of other programs by place
    counts: Mapping[str, int]
    #: memories that others gave, too
    reworded: int
    #: in the drop folder
    logs: tuple[Path, ...]
    datasets: tuple[Path, ...]
    adapters: tuple[Path, ...]
    left: tuple[str, ...]


def report_of(
    runtime: Runtime,
    found: Found,
    outside: Outside,
    counts: Mapping[str, int],
    dry_run: bool,
    with_datasets: bool,
    with_file: bool,
) -> Erased:
    gone = set(outside.made(runtime.settings)) if with_datasets else set()
    return Erased(
        found.scope.kind,
        found.keys[0] if found.scope.kind == "session" and found.keys else found.scope.name,
        dry_run,
        counts,
        len(found.shared),
        outside.logs,
        outside.datasets,
        outside.adapters,
        tuple(_left(runtime, outside, gone, with_file)),
    )


def _left(runtime: Runtime, outside: Outside, gone: set[Path], with_file: bool) -> Iterator[str]:
    """What stays, in sentences."""
    if not with_file:
        for path in outside.origins:
            yield (
                f"The log was read from {path}, outside this home: that file is left alone, and not read again. "
                "--with-file deletes it."
            )
    for address in outside.addresses:
        yield f"The log itself lies at {address}: delete it there. It is not read again."
    for key in outside.copies:
        yield f"Another session holds the same bytes: {key}."
    for folder in (*outside.datasets, *outside.adapters):
        if folder.exists() and folder not in gone:
            yield f"A dataset or adapter made with its rows: {folder}."
    if runtime.settings.store.exports_url and outside.datasets:
        yield "Copies of these datasets at ULTRON_EXPORTS_URL."
    yield (
        "PostgreSQL's files and backups keep freed bytes until they are overwritten: --scrub rewrites those of the "
        "embedded server, for another VACUUM FULL does (docs/erasure.md)."
    )


@contextmanager
def alone(runtime: Runtime) -> Iterator[None]:
    """Raises ConflictError while another erasure of this account runs."""
    with runtime.database.direct() as conn:
        row = erasure.fetch_one(conn, "alone", runtime.account)
        if not row or not row["mine"]:
            raise ConflictError("Another erasure of this account is running: wait for its end.")
        yield


def begun_of(runtime: Runtime, conn: Connection, scope: Scope) -> dict[str, Any] | None:
    """The erasure of this scope that was begun and is not done."""
    marks = find_marks(runtime, conn)
    if marks is None:
        return None
    return erasure.fetch_one(conn, "erasure", {**runtime.account, "scope": _scope_name(marks, scope)})


def _scope_name(marks: Marks, scope: Scope) -> str:
    """What the scope is known by without its words."""
    return f"{scope.kind}:{marks.of(('scope', scope.kind, scope.name)).hex()}"


def advance(
    runtime: Runtime,
    conn: Connection,
    scope: Scope,
    counts: Mapping[str, int],
    cursor: str,
    *,
    done: bool = False,
) -> None:
    begun, now = begun_of(runtime, conn, scope), runtime.clock()
    total = Counter(begun["counts"] if begun else {})
    total.update(counts)
    values = {
        "id": begun["id"] if begun else uuid4(),
        "scope": _scope_name(make_marks(runtime, conn), scope),
        "cursor": cursor,
        "counts": Jsonb(dict(total)),
        "now": now,
        "done_at": now if done else None,
    }
    erasure.run(conn, "advance", {**runtime.account, **values})
