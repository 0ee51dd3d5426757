"""Clusters as scripts and Dagster see them: membership, readiness, the periodic report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from ultron_core.clusters import ready_to_crystallize, ready_to_recrystallize
from ultron_core.errors import InputError, NotFoundError
from ultron_core.steps.clusters.bulk import run_initial_clustering
from ultron_core.steps.clusters.members import assign_missing, clusters_of, lock_clusters
from ultron_core.steps.clusters.reshape import reshape_clusters
from ultron_core.steps.clusters.topics import name_clusters
from ultron_core.steps.ids import as_id
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import clusters as store
from ultron_core.store.tables import embeddings as embedding_store
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables.clusters import ClusterChange, KnowledgeCluster
from ultron_core.store.tables.memories import MemoryRecord

__all__ = [
    "ClusterChange",
    "ClusterReport",
    "KnowledgeCluster",
    "assign_memory_to_cluster",
    "cluster_report",
    "get_cluster_changes",
    "get_cluster_memories",
    "get_clusters",
    "get_clusters_ready_to_crystallize",
    "get_clusters_ready_to_recrystallize",
    "mark_crystallized",
    "run_initial_clustering",
    "sample_members",
]

#: more points say nothing more in a picture
_MOST_POINTS = 3000


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """All clusters, what this run changed, and for a picture the vectors of at most 3,000 members with their
    cluster's number."""

    clusters: tuple[KnowledgeCluster, ...]
    memories: int
    newly_assigned: int
    merged: int
    split: int
    vectors: npt.NDArray[np.float32]
    labels: tuple[int, ...]


def _all(runtime: Runtime, conn: Connection, cluster_id: UUID | None = None) -> list[KnowledgeCluster]:
    rows = store.fetch(conn, "all", {"account_id": runtime.account_id, "cluster_id": cluster_id})
    return [KnowledgeCluster.from_row(row) for row in rows]


def get_clusters(runtime: Runtime) -> list[KnowledgeCluster]:
    """All clusters of the account, largest first."""
    return runtime.database.run(lambda conn: _all(runtime, conn))


def assign_memory_to_cluster(runtime: Runtime, memory: Any) -> KnowledgeCluster:
    """Put one memory (record or id) into a cluster. Raises NotFoundError, or InputError without a vector."""
    memory_id = memory.id if isinstance(memory, MemoryRecord) else as_id(memory)

    def work(conn: Connection) -> KnowledgeCluster:
        lock_clusters(runtime, conn)
        if not memory_store.by_ids(conn, runtime.account_id, [memory_id]):
            raise NotFoundError(f"No memory {memory_id}.")
        assign_missing(runtime, conn, [memory_id])
        own = clusters_of(runtime, conn, [memory_id])
        if not own:
            raise InputError(
                f"Memory {memory_id} is archived, only claimed or without a vector yet: it is in no cluster."
            )
        return _all(runtime, conn, own[0])[0]

    return runtime.database.run(work)


def get_clusters_ready_to_crystallize(runtime: Runtime) -> list[KnowledgeCluster]:
    """Clusters at the threshold that have no skill yet, largest first."""
    least = runtime.settings.clusters.crystallization_threshold
    return [
        c for c in get_clusters(runtime) if ready_to_crystallize(c.size, c.size_at_crystallization, least)
    ]


def get_clusters_ready_to_recrystallize(runtime: Runtime) -> list[KnowledgeCluster]:
    """Clusters whose skill has missed enough new members, largest first."""
    delta = runtime.settings.clusters.recrystallization_delta
    return [
        c for c in get_clusters(runtime) if ready_to_recrystallize(c.size, c.size_at_crystallization, delta)
    ]


def get_cluster_memories(runtime: Runtime, cluster_id: str | UUID) -> list[MemoryRecord]:
    """All members as full memories. Raises NotFoundError and InputError."""
    wanted = as_id(cluster_id)

    def read(conn: Connection) -> list[MemoryRecord]:
        found = _all(runtime, conn, wanted)
        if not found:
            raise NotFoundError(f"No cluster {wanted}.")
        return memory_store.by_ids(conn, runtime.account_id, found[0].memory_ids)

    return runtime.database.run(read)


def get_cluster_changes(
    runtime: Runtime, cluster_id: str | UUID | None = None, limit: int = 20
) -> list[ClusterChange]:
    """Merges and splits, latest first; of one cluster when an id is given."""
    wanted = None if cluster_id is None else as_id(cluster_id)
    params = {"account_id": runtime.account_id, "cluster_id": wanted, "limit": limit}
    rows = runtime.database.run(lambda conn: store.fetch(conn, "changes", params))
    return [ClusterChange.from_row(row) for row in rows]


def mark_crystallized(runtime: Runtime, cluster_id: str | UUID, skill_slug: str) -> None:
    """Record the skill made of a cluster. Raises NotFoundError and InputError."""
    params = {
        "cluster_id": as_id(cluster_id),
        "account_id": runtime.account_id,
        "slug": skill_slug,
        "now": runtime.clock(),
    }
    if not runtime.database.run(lambda conn: store.run(conn, "mark_crystallized", params)):
        raise NotFoundError(f"No cluster {cluster_id}.")


def cluster_report(runtime: Runtime) -> ClusterReport:
    """Assign what is in no cluster yet, merge and split, refresh topics, report. Writes only what changed."""
    assigned = 0
    while done := runtime.database.run(lambda conn: _assign_chunk(runtime, conn)):
        assigned += done
    merged, split = reshape_clusters(runtime)
    name_clusters(runtime)
    found = get_clusters(runtime)
    vectors, ids = sample_members(runtime)
    number = {c.cluster_id: n for n, c in enumerate(found)}
    return ClusterReport(
        clusters=tuple(found),
        memories=sum(c.size for c in found),
        newly_assigned=assigned,
        merged=merged,
        split=split,
        vectors=vectors,
        labels=tuple(number.get(cluster_id, -1) for cluster_id in ids),
    )


def sample_members(
    runtime: Runtime, most: int = _MOST_POINTS
) -> tuple[npt.NDArray[np.float32], Sequence[UUID]]:
    """For a picture: the vectors of at most so many members, and the cluster of each."""
    params = {**runtime.model_key, "most": most}
    rows = runtime.database.run(lambda conn: store.fetch(conn, "sample", params))
    vectors = store.matrix([row["exact"] for row in rows], runtime.embedder.dimension)
    return vectors, [row["cluster_id"] for row in rows]


def _assign_chunk(runtime: Runtime, conn: Connection) -> int:
    lock_clusters(runtime, conn)
    embedding_store.run(conn, "dissolve_strays", runtime.model_key)
    return assign_missing(runtime, conn)
