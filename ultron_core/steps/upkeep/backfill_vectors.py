"""Vectors of memories that were stored while the embedder was down, then their duplicates and clusters.

A batch is embedded while nothing is locked, then written in one transaction with a constant number of statements. A
memory that is near to another may have to be merged, which changes bodies and may ask the embedder again: it ends
the batch, is done by itself, and the rest follows, so that every decision is the one of memories done one by one.
Each transaction is complete: killed at any time, the next call goes on with the rows that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ultron_core.embeddings.checked import embed_checked
from ultron_core.errors import EmbeddingError
from ultron_core.memories import Body, diverges, embedding_text
from ultron_core.steps.clusters.members import Joining, model_of, place
from ultron_core.steps.rows.embedded import Embedded, run_embedded
from ultron_core.steps.rows.memories import lock_memories, register_model
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upkeep.late_merge import merge_backfilled
from ultron_core.steps.upload.records import Floats, body_of, thresholds
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables import uploads as upload_rows
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["Progress", "fill_vectors"]

#: called after each transaction with the number of memories done so far
Progress = Callable[[int], None]
_BATCH = 200
#: after a merge fewer are looked up at once: the next one may be near
_LEAST = 16


@dataclass(frozen=True, slots=True, eq=False)
class _Late:
    """A memory as it was when it was embedded."""

    id: Any
    memory_type: str
    body: Body
    vector: Floats

    def is_still(self, record: MemoryRecord) -> bool:
        return (record.memory_type, body_of(record), record.status) == (self.memory_type, self.body, "active")


def fill_vectors(runtime: Runtime, progress: Progress | None = None) -> int:
    """Number of memories done; stops quietly while the embedder is down."""
    params = {**model_of(runtime), "limit": _BATCH}
    done = 0
    while True:
        with runtime.database.transaction() as conn:
            rows = store.fetch(conn, "without_vector", params)
        if not rows:
            return done
        texts = [embedding_text(r["memory_type"], r["content"], r["context"], r["resolution"]) for r in rows]
        try:
            vectors = embed_checked(runtime.embedder, texts)
        except EmbeddingError:
            return done
        late = [
            _Late(r["id"], r["memory_type"], Body(r["content"], r["context"], r["resolution"]), vector)
            for r, vector in zip(rows, vectors, strict=True)
        ]
        done = _fill(runtime, late, done, progress or (lambda _: None))


def _fill(runtime: Runtime, late: Sequence[_Late], done: int, progress: Progress) -> int:
    size = len(late)
    while late:
        taken = runtime.database.run(partial(_fill_many, runtime, late[:size]))
        if taken < min(size, len(late)):
            run_embedded(runtime, partial(_fill_one, runtime, late[taken]))
            size, taken = max(_LEAST, 2 * taken), taken + 1
        else:
            size = len(late)
        done, late = done + taken, late[taken:]
        progress(done)
    return done


def _fill_many(runtime: Runtime, late: Sequence[_Late], conn: Connection) -> int:
    """How many, from the first on, were done: those before the first that may have to be merged."""
    types = sorted({one.memory_type for one in late})
    _lock(runtime, conn, types)
    records = {r.id: r for r in store.by_ids(conn, runtime.account_id, [one.id for one in late])}
    # deleted, archived or changed meanwhile: then the next round sees it as it is now
    held = [one.id in records and one.is_still(records[one.id]) for one in late]
    present = [one for one, still in zip(late, held, strict=True) if still]
    free = _before_the_first_duplicate(runtime, conn, present, types)
    if free:
        _write(runtime, conn, present[:free], records)
    return late.index(present[free]) if free < len(present) else len(late)


def _lock(runtime: Runtime, conn: Connection, types: Sequence[str]) -> None:
    lock_memories(runtime, conn, types)
    register_model(runtime, conn)


def _before_the_first_duplicate(
    runtime: Runtime, conn: Connection, late: Sequence[_Late], types: Sequence[str]
) -> int:
    """Of `late`, those in front that no stored and no earlier one equals."""
    if not late:
        return 0
    limit, model = thresholds(runtime).merge, (runtime.embedder.model_id, runtime.embedder.dimension)
    documents = upload_rows.fetch(conn, "marks", {**model_of(runtime), "types": types})[0]["documents"]
    wanted = [(position, one.memory_type, one.vector) for position, one in enumerate(late)]
    near = upload_rows.nearest(conn, runtime.account_id, model, wanted, documents, limit)
    close = {position: [i for i, score in found.same if score > limit] for position, found in near.items()}
    ids = sorted({i for found in close.values() for i in found})
    bodies = {r.id: body_of(r) for r in store.by_ids(conn, runtime.account_id, ids)} if ids else {}
    cosines = np.stack([one.vector for one in late]) @ np.stack([one.vector for one in late]).T
    for position, one in enumerate(late):
        # rounding: a pair just below the limit is looked at again by the exact rule
        earlier = np.flatnonzero(cosines[position, :position] > limit - 1e-5).tolist()
        others = [late[i].body for i in earlier if late[i].memory_type == one.memory_type]
        others += [bodies[i] for i in close[position]]
        if any(diverges(other.text, one.body.text) is None for other in others):
            return position
    return len(late)


def _write(
    runtime: Runtime, conn: Connection, late: Sequence[_Late], records: dict[Any, MemoryRecord]
) -> None:
    vectors = {
        "ids": [one.id for one in late],
        "types": [one.memory_type for one in late],
        "vectors": upload_rows.as_vectors([one.vector for one in late]),
    }
    upload_rows.run(conn, "upsert_vectors", {**model_of(runtime), **vectors})
    place(runtime, conn, [Joining(one.id, one.vector, records[one.id].summary_l0) for one in late])


def _fill_one(runtime: Runtime, one: _Late, embedded: Embedded, conn: Connection) -> None:
    _lock(runtime, conn, [one.memory_type])
    found = store.by_ids(conn, runtime.account_id, [one.id])
    if not found or not one.is_still(found[0]):
        return
    if not merge_backfilled(runtime, conn, embedded, found[0], one.vector):
        _write(runtime, conn, [one], {one.id: found[0]})
