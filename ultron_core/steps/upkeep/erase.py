"""A whole session is erased: its log, its rows, what was made of it, and its part in what others gave too.

deleted    the copy of the log in the drop folder, archived bytes, messages, windows, segments, drafts, outcomes,
           memories that nothing else supports, and all cached answers of the model, which name no session
reworded   memories that others gave too: their first other part is the body again, their history is forgotten
listed     datasets that hold a row of it and adapters trained on one (deleted when asked for), and what is out of reach
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from uuid import UUID

from ultron_core.errors import NotFoundError
from ultron_core.memories import Body
from ultron_core.paths import is_below
from ultron_core.sessions import check_names
from ultron_core.steps.clusters.members import clusters_of
from ultron_core.steps.clusters.topics import forget_in_topic
from ultron_core.steps.rows import memories as memory_rows
from ultron_core.steps.rows import status
from ultron_core.steps.rows.body import backing_in
from ultron_core.steps.rows.embedded import Embedded, run_embedded
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.windows import recount_windows
from ultron_core.steps.taste import forget_in_taste
from ultron_core.steps.upkeep.here import adapter_here, dataset_here, log_here, read_from
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import memories as store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.training import runs

__all__ = ["Erased", "erase_session"]

_SQL = NamedQueries("upkeep/erase")


@dataclass(frozen=True, slots=True)
class Erased:
    """What is erased, or would be; `left` says in sentences what stays and where."""

    session: str
    dry_run: bool
    generations: int
    messages: int
    segments: int
    memories_deleted: int
    memories_reworded: int
    archived_files: int
    cached_answers: int
    outcomes: int
    #: the copy in the drop folder
    log: Path | None
    datasets: tuple[Path, ...]
    adapters: tuple[Path, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows that stand for one file."""

    rows: Sequence[dict[str, Any]]
    own: Sequence[UUID]
    shared: Sequence[UUID]
    counts: dict[str, Any]
    copies: Sequence[str]
    datasets: Sequence[Path]
    adapters: Sequence[Path]

    @property
    def params(self) -> dict[str, Any]:
        """What every statement asks for."""
        first = self.rows[0]
        names = {name: first[name] for name in ("agent_id", "session_file")}
        return {**names, "sessions": [row["id"] for row in self.rows], "memories": list(self.shared)}


def erase_session(
    runtime: Runtime, named: str, *, dry_run: bool = False, with_datasets: bool = False
) -> Erased:
    """Erase the session that a partition key, an id, or `<agent>/<file>` names, with all generations of its file.

    `with_datasets` also deletes the folders of datasets and adapters that hold it. Raises NotFoundError and InputError.
    """
    check_names(session=named)
    found = runtime.database.run(lambda conn: _find(runtime, conn, named))
    report = _report(runtime, found, dry_run, with_datasets)
    if dry_run:
        return report
    if report.log is not None:
        # before its rows: a file that stays would be read again, rows that stay can be erased again
        report.log.unlink(missing_ok=True)
    run_embedded(runtime, lambda embedded, conn: _erase(runtime, embedded, conn, named))
    recount_windows(runtime)
    if with_datasets:
        for folder in (*report.datasets, *report.adapters):
            if _is_ours(runtime, folder):
                shutil.rmtree(folder, ignore_errors=True)
    return report


def _find(runtime: Runtime, conn: Connection, named: str) -> _Found:
    rows = _SQL.fetch(conn, "sessions", {**runtime.account, "named": named})
    if not rows:
        raise NotFoundError(f"No session {named!r}: `ultron sessions` lists them.")
    ids = {"sessions": [row["id"] for row in rows], "sha256s": [row["content_sha256"] for row in rows]}
    params = {**runtime.account, **ids, **{name: rows[0][name] for name in ("agent_id", "session_file")}}
    memories = _SQL.fetch(conn, "memories", params)
    return _Found(
        rows,
        [row["id"] for row in memories if not row["shared"]],
        [row["id"] for row in memories if row["shared"]],
        _SQL.fetch(conn, "counts", params)[0],
        [row["partition_key"] for row in _SQL.fetch(conn, "copies", params)],
        [dataset_here(runtime.settings, Path(row["path"])) for row in _SQL.fetch(conn, "datasets", params)],
        [adapter_here(runtime.settings, Path(row["path"])) for row in _SQL.fetch(conn, "adapters", params)],
    )


def _report(runtime: Runtime, found: _Found, dry_run: bool, with_datasets: bool) -> Erased:
    log = log_here(runtime.settings, found.rows[0])
    return Erased(
        session=found.rows[0]["partition_key"],
        dry_run=dry_run,
        generations=len(found.rows),
        messages=sum(row["message_count"] for row in found.rows),
        segments=sum(row["segments"] for row in found.rows),
        memories_deleted=len(found.own),
        memories_reworded=len(found.shared),
        archived_files=found.counts["uploads"],
        cached_answers=found.counts["answers"],
        outcomes=found.counts["outcomes"],
        log=log,
        datasets=tuple(found.datasets),
        adapters=tuple(found.adapters),
        left=tuple(_left(runtime, found, log, with_datasets)),
    )


def _left(runtime: Runtime, found: _Found, log: Path | None, with_datasets: bool) -> list[str]:
    said = []
    origin = read_from(found.rows[0])
    if log is None and ("://" in origin or Path(origin).is_file()):
        said.append(f"The log itself lies at {origin}: delete it, or it is read again when it is ingested.")
    elif log is not None and Path(origin).is_file() and not log.samefile(origin):
        said.append(f"The log was read from {origin}, outside this home: that file is left alone.")
    said += [f"Another session holds the same bytes: {key}." for key in found.copies]
    folders = [*found.datasets, *found.adapters]
    kept = [f for f in folders if f.exists() and not (with_datasets and _is_ours(runtime, f))]
    said += [f"A dataset or adapter made with its rows: {folder}." for folder in kept]
    if runtime.settings.store.exports_url and found.datasets:
        said.append("Copies of these datasets at ULTRON_EXPORTS_URL.")
    said.append(
        f"Dagster's run history names the partition {found.rows[0]['partition_key']}, never its words. PostgreSQL's "
        "files and backups keep freed bytes until they are overwritten: VACUUM FULL rewrites the tables."
    )
    return said


def _is_ours(runtime: Runtime, folder: Path) -> bool:
    """Does the folder lie below the one where datasets or adapters are written?"""
    homes = (runtime.settings.exports_dir, runtime.settings.adapters_dir)
    return folder.is_dir() and not folder.is_symlink() and is_below(folder, homes)


def _erase(runtime: Runtime, embedded: Embedded, conn: Connection, named: str) -> None:
    lock_memories(runtime, conn)
    found = _find(runtime, conn, named)
    params = {**runtime.account, **found.params}
    session_store.lock_file(conn, runtime.account_id, params["agent_id"], params["session_file"])
    clusters = clusters_of(runtime, conn, [*found.own, *found.shared])
    bare = _retract(runtime, embedded, conn, found.shared, params)
    status.delete_memories(runtime, conn, [*found.own, *bare])
    forget_in_topic(runtime, conn, clusters)
    _SQL.run(conn, "files", params)
    _SQL.run(conn, "delete_sessions", params)
    forget_in_taste(runtime, conn)
    status.shelve(runtime, conn, found.shared)
    runs.taint(conn, runtime.account_id, runtime.clock())


def _retract(
    runtime: Runtime, embedded: Embedded, conn: Connection, shared: Sequence[UUID], params: dict[str, Any]
) -> list[UUID]:
    """Takes the sessions' part out of memories that others gave too; returns those of which nothing is left."""
    if not shared:
        return []
    _SQL.run(conn, "retract_parts", params)
    _SQL.run(conn, "forget_history", params)
    parts = _SQL.fetch(conn, "parts_left", params)
    first = {key: next(own) for key, own in groupby(parts, lambda part: part["memory_id"])}
    tags: dict[UUID, list[str]] = {}
    for part in parts:
        tags.setdefault(part["memory_id"], []).extend(part["tags"])
    for record in store.by_ids(conn, runtime.account_id, list(first)):
        part = first[record.id]
        body = Body(part["content"], part["context"], part["resolution"])
        own_tags = list(dict.fromkeys(tags[record.id]))
        memory_rows.reword(runtime, conn, embedded, record, body, own_tags, backing_in(part))
    _SQL.run(conn, "forget_verdicts", params)
    pending = {"first": [part["id"] for part in first.values()], "pending": runtime.llm is not None}
    _SQL.run(conn, "restart_parts", {**params, **pending})
    return [memory_id for memory_id in shared if memory_id not in first]
