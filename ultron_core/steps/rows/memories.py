"""Memories and everything made of their words, written set by set: the number of statements is constant.

store   the memories with their counters, and vectors
index   words and clusters, under the lock of clusters and word counts
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from ultron_core.memories import Backing, Body
from ultron_core.steps.clusters.members import Joining, leave, place, refresh_members
from ultron_core.steps.rows.body import MemoryRow, body_digest, embedded_text, offline_summary
from ultron_core.steps.rows.embedded import Embedded
from ultron_core.steps.rows.lexical import write_words
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import memories as table
from ultron_core.store.tables.memories import MemoryRecord
from ultron_core.store.tables.uploads import Floats, as_vectors

__all__ = [
    "copy_types",
    "index",
    "note_refused",
    "reword",
    "store",
    "write",
    "write_backings",
    "write_tags",
    "write_vectors",
]

logger = logging.getLogger("ultron.embeddings")
_SQL = NamedQueries("search/lanes")
_NOT_CHANGED = dict.fromkeys(("trust", "proof", "lesson", "probability", "cure"))


def write(runtime: Runtime, conn: Connection, rows: Sequence[MemoryRow]) -> None:
    """Store and index memories; the caller holds the locks (see `lock_memories`)."""
    store(runtime, conn, rows)
    index(runtime, conn, rows)


def reword(
    runtime: Runtime,
    conn: Connection,
    embedded: Embedded,
    record: MemoryRecord,
    body: Body,
    tags: Sequence[str],
    backing: Backing,
) -> None:
    """Another body of a stored memory, and who stands behind it; summaries, both lanes and the cluster follow."""
    row = MemoryRow(
        record.id,
        record.memory_type,
        body,
        tuple(tags),
        offline_summary(runtime, body),
        needs_model=runtime.llm is not None,
        backing=backing,
        vector=embedded.vector(embedded_text(record.memory_type, body)),
        status=record.status,
    )
    write(runtime, conn, [row])


def store(runtime: Runtime, conn: Connection, rows: Sequence[MemoryRow]) -> None:
    """Memories and vectors; of changed words the database drops the old vectors by itself."""
    common = {**runtime.account, "now": runtime.clock()}
    new = [{**_columns(row), **asdict(row.new), "status": row.status} for row in rows if row.new is not None]
    if new:
        version = {"redaction_version": runtime.redactor.version}
        table.run(conn, "insert_memories", {**common, **version, "rows": Jsonb(new)})
    changed = [_columns(row) for row in rows if row.new is None]
    if changed:
        table.run(conn, "update_memories", {**common, "rows": Jsonb(changed)})
    write_vectors(runtime, conn, {row.id: row.vector for row in rows if row.vector is not None})


def _columns(row: MemoryRow) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "memory_type": row.memory_type,
        **asdict(row.body),
        "tags": list(row.tags),
        "summary_l0": row.summary.l0,
        "overview_l1": row.summary.l1,
        "body_sha256": body_digest(row.memory_type, row.body),
        "needs_model": row.needs_model,
        **(_NOT_CHANGED if row.backing is None else asdict(row.backing)),
    }


def write_vectors(runtime: Runtime, conn: Connection, vectors: dict[UUID, Floats]) -> None:
    """Vectors of stored memories by the present embedder."""
    if vectors:
        given = {"ids": list(vectors), "vectors": as_vectors(list(vectors.values()))}
        _SQL.run(conn, "upsert_vectors", {**runtime.model_key, **given})


def note_refused(runtime: Runtime, ids: Sequence[UUID], vectors: Sequence[Floats | None]) -> list[UUID]:
    """Those of these memories whose text the embedder has just refused, counted on their rows."""
    refused = [memory_id for memory_id, vector in zip(ids, vectors, strict=True) if vector is None]
    if refused:
        logger.warning("%s refuses the text of %d memories", runtime.embedder.model_id, len(refused))
        with runtime.database.transaction() as conn:
            table.run(conn, "vector_refused", {**runtime.model_key, "ids": refused})
    return refused


def index(runtime: Runtime, conn: Connection, rows: Sequence[MemoryRow], *, clusters: bool = True) -> None:
    """Words and clusters of stored memories whose words are new or changed. `clusters` False leaves new ones out
    of clusters: who loads much makes them at the end. What is only claimed joins none."""
    write_words(runtime, conn, rows)
    changed = [row for row in rows if row.new is None]
    leave(runtime, conn, [row.id for row in changed if row.vector is None])
    refresh_members(runtime, conn, [row.id for row in changed if row.vector is not None])
    if clusters:
        new = [row for row in rows if row.new is not None and row.status == "active"]
        place(
            runtime,
            conn,
            [Joining(r.id, r.vector, r.summary.l0, r.around) for r in new if r.vector is not None],
        )


def write_backings(runtime: Runtime, conn: Connection, backings: Mapping[UUID, Backing]) -> None:
    """Who stands behind memories whose bodies stay."""
    if backings:
        given = [{"id": str(memory_id), **asdict(own)} for memory_id, own in backings.items()]
        table.run(conn, "update_backings", {**runtime.account, "now": runtime.clock(), "rows": Jsonb(given)})


def write_tags(runtime: Runtime, conn: Connection, tags: dict[UUID, Sequence[str]]) -> None:
    """Other tags of memories whose bodies stay."""
    if tags:
        given = [{"id": str(memory_id), "tags": list(own)} for memory_id, own in tags.items()]
        table.run(conn, "update_tags", {**runtime.account, "now": runtime.clock(), "rows": Jsonb(given)})


def copy_types(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> None:
    """The types of memories, copied to both lanes after they changed."""
    table.run(conn, "retype", {**runtime.account, "ids": list(ids)})
