"""Memories of an export into the store: checked whole before anything is written, then a chunk a transaction.

known      the memory is here as it was exported: nothing is written
conflict   it is here otherwise, or its words or parts are another memory's: listed, nothing is written
new        its rows as they stood; words, vectors, index and clusters are made of them here

After a kill the same import finds what came as known and brings the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg import errors

from ultron_core.errors import ConflictError, InputError, StoreError
from ultron_core.memories import Summary
from ultron_core.steps.clusters.bulk import run_initial_clustering
from ultron_core.steps.clusters.members import assign_missing, lock_clusters
from ultron_core.steps.rows import copied, memories
from ultron_core.steps.rows.body import MemoryRow, NewMemory
from ultron_core.steps.rows.embedded import embed_bodies
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.transfer.compare import Conflict, compare
from ultron_core.steps.transfer.lines import Line, Shape, read_shape, vector_of
from ultron_core.steps.transfer.manifest import Manifest, checked_lines, read_manifest
from ultron_core.steps.transfer.sources import resolve_sources
from ultron_core.steps.upload.bulk import begin_load, chunks, end_load
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.registry import CARRIED
from ultron_core.store.tables import clusters as cluster_store
from ultron_core.store.tables.uploads import Floats

__all__ = ["Imported", "import_memories"]

_SQL = NamedQueries("memories/transfer")
_LINKS = "memory_links"
_PARTS = "memory_contributions"
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import: memories that are new, those that were here just so, and those that were left alone."""

    new: int
    known: int
    conflicts: tuple[Conflict, ...]
    #: of the new ones: vectors taken over, made here, and sources whose log is not here
    vectors: int
    embedded: int
    cited: int
    links: int


@dataclass(slots=True)
class _Done:
    """Counts so far; links wait until all memories are here."""

    counts: Counter[str] = field(default_factory=Counter)
    conflicts: list[Conflict] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)


def import_memories(
    runtime: Runtime, folder: Path, *, progress: Progress = lambda done, total: None
) -> Imported:
    """Bring the memories of an export into the account; may be killed at any point and called again.

    Raises InputError before anything is written for an export that is damaged, foreign or newer, ConflictError while
    another import of the account runs, StoreError when the database cannot take more.
    """
    manifest = read_manifest(folder)
    with _alone(runtime):
        shape = read_shape(runtime, manifest.account)
        exported, expected = _look(runtime, folder, manifest, shape)
        if expected:
            begin_load(runtime, expected)
        done = _Done()
        for chunk in chunks(_lines(folder, manifest, shape, check=False)):
            _bring(runtime, chunk, exported, done)
            progress(done.counts["new"] + done.counts["known"] + len(done.conflicts), manifest.memories)
        for links in chunks(done.links):
            done.counts["links"] += runtime.database.run(partial(_link, runtime, links))
        with ThreadPoolExecutor(1) as beside:  # the server makes the index while we compare with clusters
            index = beside.submit(end_load, runtime)
            _cluster(runtime)
            index.result()
    counts = {name: done.counts[name] for name in ("new", "known", "vectors", "embedded", "cited", "links")}
    return Imported(**counts, conflicts=tuple(done.conflicts))


@contextmanager
def _alone(runtime: Runtime) -> Iterator[None]:
    with runtime.database.direct() as conn:
        if not _SQL.fetch(conn, "try_lock", runtime.account)[0]["got"]:
            raise ConflictError("Another import into this account is running: wait for it.")
        yield


def _look(runtime: Runtime, folder: Path, manifest: Manifest, shape: Shape) -> tuple[set[UUID], int]:
    """Read everything once: all ids, and how many of them are new. Raises InputError for the first thing that is wrong,
    with file and line."""
    ids: set[UUID] = set()
    known = lines = 0
    for chunk in chunks(_lines(folder, manifest, shape, check=True)):
        ids.update(line.id for line in chunk)
        lines += len(chunk)
        known += len(_present(runtime, [line.id for line in chunk]))
        for line in chunk:
            _check_vector(runtime, folder, line)
    if not len(ids) == lines == manifest.memories:
        raise InputError(
            f"{folder} has {len(ids)} memories on {lines} lines, its manifest tells of {manifest.memories}: it is no "
            "export of Ultron's, or damaged. Nothing was written."
        )
    return ids, lines - known


def _check_vector(runtime: Runtime, folder: Path, line: Line) -> None:
    try:
        vector_of(runtime, line)
    except InputError as error:
        raise InputError(f"{folder}, memory {line.id} {error}: nothing was written.") from error


def _lines(folder: Path, manifest: Manifest, shape: Shape, *, check: bool) -> Iterator[Line]:
    for part in manifest.parts:
        for number, text in checked_lines(folder, part):
            try:
                yield shape.read(text, check=check)
            except InputError as error:
                raise InputError(
                    f"{folder / part.file}, line {number} {error}: nothing was written."
                ) from error


def _present(runtime: Runtime, ids: Sequence[UUID]) -> set[UUID]:
    params = {**runtime.account, "ids": list(ids)}
    return {row["id"] for row in runtime.database.run(lambda conn: _SQL.fetch(conn, "present_ids", params))}


def _bring(runtime: Runtime, chunk: Sequence[Line], exported: set[UUID], done: _Done) -> None:
    given = _given(runtime, chunk)
    vectors = _vectors(runtime, chunk, given)
    try:
        new, known, conflicts, cited = runtime.database.run(
            partial(_write, runtime, chunk, exported, vectors)
        )
    except errors.DiskFull as error:
        raise StoreError(
            f"The disk of the database is full after {done.counts['new']} memories. What was there before is as it "
            "was; make room and import again: the rest comes."
        ) from error
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        raise InputError(
            f"Memories {chunk[0].id} to {chunk[-1].id} cannot be stored: {error.diag.message_primary}. They were not "
            "written by this version of Ultron; what came before them is stored."
        ) from error
    taken = sum(given.get(line.id) is not None for line in new)
    made = sum(vectors.get(line.id) is not None for line in new) - taken
    done.counts.update(new=len(new), known=len(known), cited=cited, vectors=taken, embedded=made)
    done.conflicts += conflicts
    done.links += [{**row, "from_id": str(line.id)} for line in (*new, *known) for row in line.parts[_LINKS]]


def _given(runtime: Runtime, chunk: Sequence[Line]) -> dict[UUID, Floats | None]:
    """The vectors that came with what is not here yet."""
    present = _present(runtime, [line.id for line in chunk])
    return {line.id: vector_of(runtime, line) for line in chunk if line.id not in present}


def _vectors(
    runtime: Runtime, chunk: Sequence[Line], given: Mapping[UUID, Floats | None]
) -> dict[UUID, Floats | None]:
    """The same with those that are missing, made before any lock is taken."""
    bare = [line for line in chunk if line.id in given and given[line.id] is None]
    texts = [(line.memory["memory_type"], line.body) for line in bare]
    made = embed_bodies(runtime, texts) if texts else []
    return {**given, **dict(zip((line.id for line in bare), made, strict=True))}


def _write(
    runtime: Runtime,
    chunk: Sequence[Line],
    exported: set[UUID],
    vectors: Mapping[UUID, Floats | None],
    conn: Connection,
) -> tuple[list[Line], list[Line], list[Conflict], int]:
    """New, known and conflicting memories, and how many sources of the new ones name a log that is not here."""
    lock_memories(runtime, conn)
    new, known, conflicts = compare(runtime, conn, chunk, exported)
    cited = _copy(runtime, conn, new)
    rows = [_row(line, vectors.get(line.id)) for line in new]
    memories.write_vectors(runtime, conn, {row.id: row.vector for row in rows if row.vector is not None})
    memories.index(runtime, conn, rows, clusters=False)
    return new, known, conflicts, cited


def _copy(runtime: Runtime, conn: Connection, new: Sequence[Line]) -> int:
    """The rows of new memories; returns how many sources name a log that is not here."""
    sources, cited = resolve_sources(runtime, conn, new)
    tables: dict[str, Sequence[Mapping[str, Any]]] = {"memories": [line.memory for line in new]}
    for table in CARRIED:
        if table != _LINKS:
            tables[table] = [{**row, "memory_id": str(line.id)} for line in new for row in line.parts[table]]
    given_by = {source["id"]: source["session_id"] for source in sources}
    tables[_PARTS] = [{**part, "session_id": given_by.get(part["source_id"])} for part in tables[_PARTS]]
    copied.copy(runtime, conn, {**tables, "memory_sources": sources})
    return cited


def _row(line: Line, vector: Floats | None) -> MemoryRow:
    told = line.memory
    return MemoryRow(
        line.id,
        told["memory_type"],
        line.body,
        tuple(told["tags"]),
        Summary(told["summary_l0"], told["overview_l1"]),
        needs_model=told["needs_model"],
        vector=vector,
        new=NewMemory(told["agent_id"], told["confidence"], told["extractor"]),
        status=told["status"],
    )


def _link(runtime: Runtime, links: Sequence[Mapping[str, Any]], conn: Connection) -> int:
    return copied.copy_links(runtime, conn, links)


def _cluster(runtime: Runtime) -> None:
    """An account without clusters gets them at once; in others newcomers join."""
    if not runtime.database.run(lambda conn: cluster_store.fetch(conn, "centroids", runtime.model_key)):
        run_initial_clustering(runtime)
        return

    def late(conn: Connection) -> int:
        lock_clusters(runtime, conn)
        return assign_missing(runtime, conn)

    while runtime.database.run(late):
        pass
