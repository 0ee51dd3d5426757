"""Members of clusters, in the caller's transaction: joined at upload, left on archive, moved when a body changes.

The caller holds the lock of the clusters. A batch takes the same three statements as a single memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import numpy.typing as npt

from ultron_core.clusters import assign_online, name_topics
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import clusters as store

__all__ = [
    "Joining",
    "assign_missing",
    "clusters_of",
    "follow_status",
    "leave",
    "lock_clusters",
    "place",
    "refresh",
    "refresh_members",
]

#: up to this many new memories their nearest clusters are found in the database; for more all centroids are read
_FEW = 16
#: memories that join in one transaction
_CHUNK = 2000
#: with less than this share of a cluster left its mean is taken of the members again: rounding would show
_LEAST_LEFT = 0.2


@dataclass(frozen=True, slots=True)
class Joining:
    """A memory that is to be put into a cluster; the summary names the cluster if it opens one.

    `around`: the memories nearest to it, which say what clusters are near; None compares it with all.
    """

    memory_id: UUID
    vector: npt.NDArray[np.float32]
    summary: str
    around: tuple[UUID, ...] | None = None


def lock_clusters(runtime: Runtime, conn: Connection) -> None:
    """One writer of clusters and word counts, until the transaction ends; always taken after the types."""
    store.run(conn, "lock", runtime.account)


def place(runtime: Runtime, conn: Connection, memories: Sequence[Joining]) -> list[UUID]:
    """Each memory's cluster, as if they came one after another: the nearest from the threshold on, or a new one.

    Centroids move by running mean: nothing but the batch is read.
    """
    if not memories:
        return []
    vectors = np.stack([memory.vector for memory in memories]).astype(np.float32)
    rows = _nearby(runtime, conn, memories, vectors)
    known = store.matrix([row["centroid"] for row in rows], vectors.shape[1])
    sizes = [int(row["size"]) for row in rows]
    labels = assign_online(vectors, runtime.thresholds.cluster, known, sizes)
    ids: list[UUID] = [row["cluster_id"] for row in rows]
    ids += [uuid4() for _ in range(max(labels) + 1 - len(ids))]
    _write(runtime, conn, memories, labels, ids, (known, sizes))
    return [ids[label] for label in labels]


def _nearby(
    runtime: Runtime, conn: Connection, memories: Sequence[Joining], vectors: npt.NDArray[np.float32]
) -> list[dict[str, Any]]:
    around = {memory_id for memory in memories for memory_id in memory.around or ()}
    if all(memory.around is not None for memory in memories):
        return store.fetch(conn, "of_members", {**runtime.model_key, "ids": sorted(around)})
    if len(vectors) > _FEW:
        return store.fetch(conn, "centroids", runtime.model_key)
    return store.fetch(conn, "near", {**runtime.model_key, "vectors": store.as_vectors(vectors)})


def _write(
    runtime: Runtime,
    conn: Connection,
    memories: Sequence[Joining],
    labels: Sequence[int],
    ids: Sequence[UUID],
    known: tuple[npt.NDArray[np.float32], Sequence[int]],
) -> None:
    before, sizes_before = known
    sums = np.zeros((len(ids), memories[0].vector.shape[0]))
    sums[: len(before)] = before * np.array(sizes_before, dtype=np.float64).reshape(-1, 1)
    sizes = np.array([*sizes_before, *[0] * (len(ids) - len(before))])
    for label, memory in zip(labels, memories, strict=True):
        sums[label] += memory.vector
        sizes[label] += 1
    touched = sorted(set(labels))
    centroids = (sums[touched] / sizes[touched, None]).astype(np.float32)
    values = dict(zip(touched, store.as_vectors(centroids), strict=True))
    summaries = {
        label: memory.summary for label, memory in reversed(list(zip(labels, memories, strict=True)))
    }
    common = {**runtime.model_key, "now": runtime.clock()}
    changes: dict[str, dict[str, Any]] = {}
    for query, numbers in (
        ("insert", [n for n in touched if n >= len(before)]),
        ("move", [n for n in touched if n < len(before)]),
    ):
        if numbers:
            changes[query] = {
                **common,
                "ids": [ids[n] for n in numbers],
                "centroids": [values[n] for n in numbers],
                "sizes": [int(sizes[n]) for n in numbers],
                "topics": name_topics([[summaries[n]] for n in numbers]),
            }
    members = {
        "memory_ids": [memory.memory_id for memory in memories],
        "cluster_ids": [ids[label] for label in labels],
    }
    with conn.pipeline():
        for query, params in changes.items():
            store.run(conn, query, params)
        joined = store.send(conn, "join", {**common, **members})
    if joined.rowcount != len(memories):  # some were members already: then only the rows say what the mean is
        refresh(runtime, conn, [ids[n] for n in touched])


def refresh(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> None:
    """Sizes and centroids from the members; clusters without any go."""
    if not ids:
        return
    params = {**runtime.model_key, "ids": sorted(set(ids)), "now": runtime.clock()}
    store.run(conn, "refresh", params)
    store.run(conn, "delete_empty", params)


def refresh_members(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> None:
    """Centroids follow members whose vectors changed; active memories that had none before join a cluster."""
    if not ids:
        return
    refresh(runtime, conn, clusters_of(runtime, conn, ids))
    assign_missing(runtime, conn, ids)


def clusters_of(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> list[UUID]:
    """The clusters that some memories are in, each once."""
    rows = store.fetch(conn, "of_members", {**runtime.account, "model_id": None, "ids": sorted(ids)})
    return [row["cluster_id"] for row in rows]


def leave(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> None:
    """Members go; their clusters' sizes and centroids follow."""
    if not ids:
        return
    gone = store.fetch(conn, "leave", {**runtime.model_key, "ids": list(ids)})
    by_cluster: dict[UUID, list[dict[str, Any]]] = {}
    for row in gone:
        by_cluster.setdefault(row["cluster_id"], []).append(row)
    means = {cluster_id: _without(rows) for cluster_id, rows in by_cluster.items()}
    moved = {cluster_id: mean for cluster_id, mean in means.items() if mean is not None}
    if moved:
        values = {
            "ids": list(moved),
            "centroids": store.as_vectors(np.stack(list(moved.values()))),
            "sizes": [by_cluster[i][0]["size"] - len(by_cluster[i]) for i in moved],
        }
        store.run(conn, "move", {**runtime.model_key, "now": runtime.clock(), **values})
    if len(moved) < len(means):
        refresh(runtime, conn, [cluster_id for cluster_id in means if cluster_id not in moved])


def _without(rows: Sequence[dict[str, Any]]) -> npt.NDArray[np.float32] | None:
    """The mean without these members; None when only the members that stay can say it well enough."""
    size = rows[0]["size"]
    if any(row["exact"] is None for row in rows) or size - len(rows) < max(2.0, _LEAST_LEFT * size):
        return None
    left = rows[0]["centroid"].to_numpy().astype(np.float64) * size
    for row in rows:
        left -= row["exact"].to_numpy()
    mean: npt.NDArray[np.float32] = (left / (size - len(rows))).astype(np.float32)
    return mean


def follow_status(runtime: Runtime, conn: Connection, ids: Sequence[UUID], status: str) -> None:
    """Members that are not active any more leave; those that are again are assigned again."""
    if status == "active":
        assign_missing(runtime, conn, ids)
    else:
        leave(runtime, conn, ids)


def assign_missing(runtime: Runtime, conn: Connection, ids: Sequence[UUID] | None = None) -> int:
    """Put up to 2,000 memories (of `ids`, or of all) into clusters that are in none; returns how many."""
    params = {**runtime.model_key, "ids": None if ids is None else list(ids), "limit": _CHUNK}
    rows = store.fetch(conn, "unassigned", params)
    place(runtime, conn, [Joining(row["id"], row["exact"].to_numpy(), row["summary_l0"]) for row in rows])
    return len(rows)
