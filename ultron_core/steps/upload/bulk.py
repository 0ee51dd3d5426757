"""Many memories at once, as from another Ultron's export: written first, indexed and clustered after.

Each is redacted, typed and summarised like any upload, and equal words become one memory; near-duplicates are
not looked for, so what is loaded should have been deduplicated where it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from ultron_core.steps.clusters.bulk import run_initial_clustering
from ultron_core.steps.rows import locks
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.judge import Judge
from ultron_core.steps.upload.plan import make_plan
from ultron_core.steps.upload.prepare import prepare
from ultron_core.steps.upload.records import Prepared, Upload
from ultron_core.steps.upload.snapshot import lock_batch, take_words
from ultron_core.steps.upload.write import write_plan
from ultron_core.store.database import Connection
from ultron_core.store.tables import embeddings as model_store
from ultron_core.store.tables import uploads as store

__all__ = ["begin_load", "chunks", "end_load", "load_memories"]

#: uploads a transaction
_CHUNK = 2000
#: from this share of the stored rows on, an index is rebuilt faster than it is extended row by row (measured:
#: 2,700-4,400 against 520 rows a second)
_REBUILD_SHARE = 0.2
_T = TypeVar("_T")


def load_memories(
    runtime: Runtime,
    uploads: Iterable[Upload],
    *,
    expected: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Store all uploads, a chunk a transaction; returns how many memories are new.

    `expected` (how many will come) decides whether the vector index is rebuilt at the end; meanwhile search
    compares every row. `progress` is told how many uploads are done. After a kill, loading the same again
    finds the equal words and resumes; the index is made by the next load or upload.
    """
    if expected is not None:
        begin_load(runtime, expected)
    done = made = 0
    for chunk in chunks(uploads):
        made += runtime.database.run(partial(_write, runtime, prepare(runtime, chunk)))
        done += len(chunk)
        progress(done)
    end_load(runtime)
    run_initial_clustering(runtime)
    return made


def begin_load(runtime: Runtime, expected: int) -> None:
    """Drop the index of the model where so many new vectors are indexed faster all at once."""
    runtime.database.run(partial(_drop_index, runtime, expected))


def end_load(runtime: Runtime) -> None:
    """Make the index of the model where it is missing."""
    runtime.database.run(partial(_index, runtime))


def chunks(items: Iterable[_T]) -> Iterator[list[_T]]:
    """As many as one transaction takes."""
    iterator = iter(items)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk


def _write(runtime: Runtime, prepared: Sequence[Prepared], conn: Connection) -> int:
    lock_batch(runtime, conn, prepared)
    snapshot = take_words(runtime, prepared, conn)
    judge = Judge(runtime)
    judge.may_ask = False  # a model would be asked under the lock: what it has to word waits for back-filling
    plan = make_plan(prepared, snapshot, runtime.thresholds, judge, compare=False)
    write_plan(runtime, conn, plan, bulk=True)
    return len(plan.new)


def _drop_index(runtime: Runtime, expected: int, conn: Connection) -> None:
    if expected >= _REBUILD_SHARE * _stored(runtime, conn):
        model_store.drop_indexes(conn, runtime.embedder.model_id)


def _stored(runtime: Runtime, conn: Connection) -> int:
    return int(store.fetch(conn, "vector_count", {"model_id": runtime.embedder.model_id})[0]["rows"])


def _index(runtime: Runtime, conn: Connection) -> None:
    if not _stored(runtime, conn):
        return
    conn.execute(
        "SELECT set_config('maintenance_work_mem', '2GB', true), set_config('statement_timeout', '0', true)"
    )
    locks.register_model(runtime, conn)
