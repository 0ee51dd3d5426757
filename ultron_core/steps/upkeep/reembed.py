"""All vectors rebuilt by another model, in the background, while search and uploads go on with the old one.

want      the target is written down; a killed run resumes where it stopped
embed     memories without a vector of the target get one, in chunks, until none is left: uploads of the meantime
          have both, changed bodies get it again; a refused text is asked once, too many of them end the run
index     the target's HNSW index is built beside the writers
switch    in one transaction: the target is the model in use, clusters have centroids of it
finish    windows of the log, clusters by the target's own threshold; when no process works with the old
          model any more, what it left goes (or stays, with `keep_old`)
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np

from ultron_core.embeddings.checked import embed_taken
from ultron_core.embeddings.protocol import Embedder
from ultron_core.errors import InputError
from ultron_core.memories import embedding_text
from ultron_core.steps.clusters.bulk import run_initial_clustering
from ultron_core.steps.clusters.members import lock_clusters
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.windows import fill_windows
from ultron_core.steps.upkeep.current_model import LOOK_AGAIN_SECONDS
from ultron_core.steps.upkeep.indexes import drop_unused_indexes
from ultron_core.steps.upkeep.refusals import Refusals
from ultron_core.store.database import Connection
from ultron_core.store.tables import clusters as cluster_store
from ultron_core.store.tables import embeddings as store

__all__ = ["GRACE_SECONDS", "ModelState", "ReembedReport", "model_states", "reembed"]

logger = logging.getLogger("ultron.embeddings")

#: memories embedded at once
_CHUNK = 200
#: rows per transaction
_DELETE_CHUNK = 5000
#: passes over all memories before the switch leaves the last uploads to back-filling
_PASSES = 20
#: after the switch, for searches and uploads that began with the old model
GRACE_SECONDS = 5 * LOOK_AGAIN_SECONDS

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What a run did. `embedded` counts memories of this run; `clusters` is 0 when they were left alone;
    `dropped` counts vectors of earlier models."""

    model_id: str
    previous: str | None
    embedded: int
    windows: int
    clusters: int
    dropped: int


@dataclass(frozen=True, slots=True)
class ModelState:
    """One model of the account. state: in use, wanted (a re-embedding is under way or was interrupted), kept,
    or left over."""

    model_id: str
    dimension: int
    state: str
    memories: int
    embedded: int
    windows: int
    windows_embedded: int


def model_states(runtime: Runtime) -> list[ModelState]:
    """The account's models, the one in use first, and how far each has got."""
    return runtime.database.run(partial(_states, runtime))


def _states(runtime: Runtime, conn: Connection) -> list[ModelState]:
    made = []
    for row in store.fetch(conn, "all", {"account_id": runtime.account_id}):
        counts = store.fetch(conn, "counts", {"account_id": runtime.account_id, "model_id": row["model_id"]})
        made.append(ModelState(row["model_id"], row["dimension"], _state(row), **counts[0]))
    return made


def _state(row: dict[str, Any]) -> str:
    if row["is_current"]:
        return "in use"
    if row["wanted_since"] is not None:
        return "wanted"
    return "kept" if row["keep"] else "left over"


def reembed(
    runtime: Runtime,
    target: Embedder,
    *,
    keep_old: bool = False,
    grace_seconds: float = GRACE_SECONDS,
    progress: Progress | None = None,
    switched: Callable[[], None] = lambda: None,
    sleep: Callable[[float], None] = time.sleep,
) -> ReembedReport:
    """Bring the account to the vectors of `target`; may be killed at any point and called again.

    `switched` is called once after the switch, `progress(done, of)` after each chunk of memories. Raises
    EmbeddingError when the target does not answer or refuses many texts (nothing is lost, call again) and InputError
    when another re-embedding of the account is running.
    """
    new = replace(runtime, embedder=target)
    refused = Refusals()
    with _alone(runtime):
        before = [state for state in model_states(runtime) if state.state == "in use"]
        previous = before[0].model_id if before and before[0].model_id != target.model_id else None
        embedded = _embed_and_switch(new, refused, progress) if not before or previous else 0
        switched()
        windows = fill_windows(new)
        left = [s.model_id for s in model_states(runtime) if s.state in {"left over", "wanted"}]
        clusters = dropped = 0
        if left:
            run_initial_clustering(new)
            sleep(grace_seconds)
            refused.kept = "It is in use already, but the vectors of the earlier model were not deleted"
            embedded += _embed_missing(new, refused, None)
            dropped = sum(_retire(new, model_id, keep_old) for model_id in left)
            clusters = run_initial_clustering(new)["clusters"]
        drop_unused_indexes(new)
    logger.info("%d memories embedded by %s, %d old vectors dropped", embedded, target.model_id, dropped)
    return ReembedReport(target.model_id, previous, embedded, windows, clusters, dropped)


@contextmanager
def _alone(runtime: Runtime) -> Iterator[None]:
    with runtime.database.direct() as conn:
        if not store.fetch(conn, "try_lock", {"account_id": runtime.account_id})[0]["got"]:
            raise InputError(
                "Another re-embedding is running: wait for it, `ultron reembed --status` shows it."
            )
        yield


def _embed_and_switch(runtime: Runtime, refused: Refusals, progress: Progress | None) -> int:
    runtime.database.run(partial(_want, runtime))
    done = _embed_missing(runtime, refused, progress)
    with runtime.database.direct() as conn:
        conn.execute("SET statement_timeout = 0")
        store.build_indexes(conn, runtime.embedder.model_id, runtime.embedder.dimension)
    for last in (*[False] * _PASSES, True):
        done += _embed_missing(runtime, refused, progress)
        if runtime.database.run(partial(_switch, runtime, refused, last)):
            break
    return done


def _want(runtime: Runtime, conn: Connection) -> None:
    limits = runtime.embedder.thresholds
    values = {"merge": limits.merge, "soft": limits.soft, "cluster": limits.cluster}
    own = {"dimension": runtime.embedder.dimension, "now": runtime.clock()}
    store.run(conn, "forget_wanted", runtime.model_key)
    store.run(conn, "want", {**runtime.model_key, **own, **values})


def _embed_missing(runtime: Runtime, refused: Refusals, progress: Progress | None) -> int:
    """One pass over all memories in order of id, whatever was done of it before; returns how many were embedded."""
    done = seen = total = 0
    if progress:
        total = runtime.database.run(partial(_count_missing, runtime, refused))
    after: UUID | None = None
    while rows := _missing(runtime, refused, after):
        done += _embed_chunk(runtime, refused, rows)
        refused.check(runtime)
        after = rows[-1]["id"]
        seen += len(rows)
        if progress:
            progress(seen, max(total, seen))
    return done


def _count_missing(runtime: Runtime, refused: Refusals, conn: Connection) -> int:
    params = {**runtime.model_key, "refused": refused.ids}
    return int(store.fetch(conn, "count_missing", params)[0]["count"])


def _missing(runtime: Runtime, refused: Refusals, after: UUID | None) -> list[dict[str, Any]]:
    params = {**runtime.model_key, "refused": refused.ids, "after": after, "limit": _CHUNK}
    return runtime.database.run(lambda conn: store.fetch(conn, "missing", params))


def _embed_chunk(runtime: Runtime, refused: Refusals, rows: list[dict[str, Any]]) -> int:
    texts = [embedding_text(r["memory_type"], r["content"], r["context"], r["resolution"]) for r in rows]
    vectors = embed_taken(runtime.embedder, texts)
    refused.note(runtime, [row["id"] for row in rows], vectors)
    taken = [vector for vector in vectors if vector is not None]
    rows = [row for row, vector in zip(rows, vectors, strict=True) if vector is not None]
    if not rows:
        return 0
    params = {
        **runtime.model_key,
        "ids": [row["id"] for row in rows],
        "contents": [row["content"] for row in rows],
        "contexts": [row["context"] for row in rows],
        "resolutions": [row["resolution"] for row in rows],
        "vectors": cluster_store.as_vectors(np.stack(taken)),
    }
    return runtime.database.run(lambda conn: store.run(conn, "add_vectors", params))


def _switch(runtime: Runtime, refused: Refusals, last: bool, conn: Connection) -> bool:
    """False when an upload came meanwhile. No upload commits while this is decided: it holds their last lock."""
    lock_clusters(runtime, conn)
    if not last and _count_missing(runtime, refused, conn):
        return False
    store.run(conn, "unset_current", {"account_id": runtime.account_id})
    store.run(conn, "set_current", runtime.model_key)
    store.run(conn, "move_clusters", {**runtime.model_key, "now": runtime.clock()})
    return True


def _retire(runtime: Runtime, model_id: str, keep: bool) -> int:
    """Vectors, index and clusters of a model that is not in use go; returns how many vectors."""
    old = {"account_id": runtime.account_id, "model_id": model_id}
    runtime.database.run(partial(_dissolve, runtime))
    if keep:
        runtime.database.run(lambda conn: store.run(conn, "keep", old))
        return 0
    dropped = 0
    chunk = {**old, "limit": _DELETE_CHUNK}
    while done := runtime.database.run(lambda conn: store.run(conn, "delete_vectors", chunk)):
        dropped += done
    with runtime.database.direct() as conn:
        conn.execute("SET statement_timeout = 0")
        if not store.fetch(conn, "in_use_elsewhere", {"model_id": model_id})[0]["found"]:
            store.drop_indexes(conn, model_id, concurrently=True)
    runtime.database.run(lambda conn: store.run(conn, "forget", old))
    return dropped


def _dissolve(runtime: Runtime, conn: Connection) -> None:
    lock_clusters(runtime, conn)
    store.run(conn, "dissolve_strays", runtime.model_key)
