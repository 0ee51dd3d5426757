"""All memories clustered from scratch: read and grouped without a lock; only writing the result takes it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import numpy.typing as npt

from ultron_core.clusters import assign_online, settle
from ultron_core.steps.clusters.members import assign_missing, lock_clusters, refresh
from ultron_core.steps.clusters.topics import name_clusters
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import clusters as store

__all__ = ["run_initial_clustering"]

#: memories read at a time
_CHUNK = 5000


def run_initial_clustering(runtime: Runtime) -> dict[str, int]:
    """Cluster all active memories from scratch, in an order that depends on their words alone.

    The online rule, then merges and splits until none is left. Clusters with a skill keep their rows and
    members, and others may join them; the rest are rebuilt. Returns `{clusters, memories}`.
    """
    kept = [row for row in _read(runtime, "centroids") if row["skill_slug"]]
    fixed = {row["cluster_id"] for row in kept}
    rows = [row for row in _read(runtime, "order") if row["cluster_id"] not in fixed]
    labels = _labels(runtime, [row["id"] for row in rows], kept)
    if not _as_now(rows, labels, len(kept)):
        runtime.database.run(partial(_write, runtime, [row["id"] for row in rows], labels, kept))
    while runtime.database.run(partial(_late, runtime)):
        pass
    name_clusters(runtime)
    return {"clusters": len(_read(runtime, "centroids")), "memories": len(rows)}


def _read(runtime: Runtime, query: str, **params: Any) -> list[dict[str, Any]]:
    return runtime.database.run(lambda conn: store.fetch(conn, query, {**runtime.model_key, **params}))


def _labels(runtime: Runtime, ids: Sequence[UUID], kept: Sequence[dict[str, Any]]) -> list[int]:
    dimension = runtime.embedder.dimension
    vectors = np.empty((len(ids), dimension), dtype=np.float32)
    gone = np.ones(len(ids), dtype=np.bool_)
    for begin in range(0, len(ids), _CHUNK):
        part = list(ids[begin : begin + _CHUNK])
        by_id = {row["memory_id"]: row["exact"] for row in _read(runtime, "vectors", ids=part)}
        for number, memory_id in enumerate(part, begin):
            if memory_id in by_id:
                vectors[number] = by_id[memory_id].to_numpy()
                gone[number] = False
    given = store.matrix([row["centroid"] for row in kept], dimension)
    present = ~gone
    return _spread(_group(runtime, vectors[present], given), present)


def _group(runtime: Runtime, vectors: npt.NDArray[np.float32], given: npt.NDArray[np.float32]) -> list[int]:
    threshold = runtime.thresholds.cluster
    return settle(vectors, assign_online(vectors, threshold, given), threshold, len(given))


def _spread(labels: Sequence[int], present: npt.NDArray[np.bool_]) -> list[int]:
    """-1 for memories that were deleted while the others were read."""
    made = np.full(len(present), -1, dtype=int)
    made[present] = labels
    return [int(label) for label in made]


def _as_now(rows: Sequence[dict[str, Any]], labels: Sequence[int], kept: int) -> bool:
    """Whether the stored clusters group the memories in just this way already: then nothing is written."""
    pairs = {(label, row["cluster_id"]) for row, label in zip(rows, labels, strict=True)}
    stored = {cluster_id for _, cluster_id in pairs}
    one_to_one = len(pairs) == len({label for label, _ in pairs}) == len(stored)
    return one_to_one and None not in stored and all(label >= kept for label, _ in pairs)


def _write(
    runtime: Runtime,
    ids: Sequence[UUID],
    labels: Sequence[int],
    kept: Sequence[dict[str, Any]],
    conn: Connection,
) -> None:
    """Clusters and members in two statements; sizes and centroids from the rows that really are there."""
    lock_clusters(runtime, conn)
    common = {**runtime.model_key, "now": runtime.clock()}
    store.run(conn, "delete_all", common)
    names: dict[int, UUID] = {number: row["cluster_id"] for number, row in enumerate(kept)}
    fresh = sorted(set(labels) - set(names) - {-1})
    names |= {number: uuid4() for number in fresh}
    start = store.as_vectors(np.zeros((1, runtime.embedder.dimension), dtype=np.float32))
    new = {"ids": [names[n] for n in fresh], "topics": [""] * len(fresh)}
    store.run(conn, "insert", {**common, **new, "centroids": start * len(fresh), "sizes": [0] * len(fresh)})
    pairs = [(memory_id, names[n]) for memory_id, n in zip(ids, labels, strict=True) if n >= 0]
    members = {"memory_ids": [pair[0] for pair in pairs], "cluster_ids": [pair[1] for pair in pairs]}
    store.run(conn, "join", {**common, **members})
    refresh(runtime, conn, list(names.values()))


def _late(runtime: Runtime, conn: Connection) -> int:
    """What was uploaded while the others were grouped."""
    lock_clusters(runtime, conn)
    return assign_missing(runtime, conn)
