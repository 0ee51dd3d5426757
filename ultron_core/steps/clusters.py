"""Clusters follow their memories: joined at upload, left on archive, moved when a body changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import numpy.typing as npt

from ultron_core.clusters import assign_online, name_topics, ready_to_crystallize, ready_to_recrystallize
from ultron_core.errors import InputError, NotFoundError
from ultron_core.steps.context import Context
from ultron_core.steps.ids import as_id
from ultron_core.store import clusters as store
from ultron_core.store import memories as memory_store
from ultron_core.store.clusters import KnowledgeCluster, vector_of
from ultron_core.store.database import Connection
from ultron_core.store.memories import MemoryRecord

__all__ = [
    "ClusterReport",
    "KnowledgeCluster",
    "assign",
    "assign_memory_to_cluster",
    "cluster_report",
    "follow_status",
    "get_cluster_memories",
    "get_clusters_ready_to_crystallize",
    "get_clusters_ready_to_recrystallize",
    "leave",
    "mark_crystallized",
    "refresh_member",
    "run_initial_clustering",
]


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """All clusters, and the vectors of active memories with their cluster's number for a picture."""

    clusters: tuple[KnowledgeCluster, ...]
    memories: int
    newly_assigned: int
    vectors: npt.NDArray[np.float32]
    labels: tuple[int, ...]


def _threshold(context: Context) -> float:
    own = context.settings.clusters.similarity_threshold
    return context.embedder.thresholds.cluster if own is None else own


def _model(context: Context) -> dict[str, Any]:
    return {"account_id": context.account_id, "model_id": context.embedder.model_id}


def assign(context: Context, conn: Connection, memory_id: UUID, vector: str, summary: str) -> UUID:
    """Join the nearest cluster from the threshold on, or open one. The caller holds the cluster lock."""
    now = context.clock()
    rows = store.fetch(conn, "nearest", {**_model(context), "vector": vector})
    if rows and float(rows[0]["cosine"]) >= _threshold(context):
        cluster_id: UUID = rows[0]["cluster_id"]
    else:
        cluster_id = uuid4()
        topic = name_topics([[summary]])[0]
        values = {"cluster_id": cluster_id, "vector": vector, "topic": topic, "topic_by": "words", "now": now}
        store.run(conn, "insert", {**_model(context), **values})
    member = {"memory_id": memory_id, "cluster_id": cluster_id, "account_id": context.account_id, "now": now}
    store.run(conn, "join", member)
    _refresh(context, conn, [cluster_id])
    return cluster_id


def _refresh(context: Context, conn: Connection, ids: Sequence[UUID]) -> None:
    params = {**_model(context), "ids": sorted(set(ids)), "now": context.clock()}
    store.run(conn, "refresh", params)
    store.run(conn, "delete_empty", params)


def refresh_member(context: Context, conn: Connection, memory_id: UUID) -> None:
    """The centroid follows a member whose vector changed."""
    rows = store.fetch(conn, "cluster_of", {"memory_id": memory_id})
    if rows:
        _refresh(context, conn, [rows[0]["cluster_id"]])


def leave(context: Context, conn: Connection, ids: Sequence[UUID]) -> None:
    """Members go; their clusters' sizes and centroids follow."""
    left = store.fetch(conn, "leave", {"ids": list(ids)})
    if left:
        _refresh(context, conn, [row["cluster_id"] for row in left])


def follow_status(context: Context, conn: Connection, ids: Sequence[UUID], status: str) -> None:
    """Archived members leave; re-activated ones are assigned again."""
    if status == "archived":
        leave(context, conn, ids)
    else:
        _assign_missing(context, conn)


def _assign_missing(context: Context, conn: Connection) -> int:
    rows = store.fetch(conn, "unassigned", _model(context))
    for row in rows:
        assign(context, conn, row["id"], row["vector"], row["summary_l0"])
    return len(rows)


def _all(context: Context, conn: Connection, cluster_id: UUID | None = None) -> list[KnowledgeCluster]:
    rows = store.fetch(conn, "all", {"account_id": context.account_id, "cluster_id": cluster_id})
    return [KnowledgeCluster.from_row(row) for row in rows]


def assign_memory_to_cluster(context: Context, memory: Any) -> KnowledgeCluster:
    """Put one memory (record or id) into a cluster. Raises NotFoundError, or InputError without a vector."""
    memory_id = memory.id if isinstance(memory, MemoryRecord) else as_id(memory)

    def work(conn: Connection) -> KnowledgeCluster:
        memory_store.run(conn, "lock_clusters", {"account_id": context.account_id})
        if not memory_store.by_ids(conn, context.account_id, [memory_id]):
            raise NotFoundError(f"No memory {memory_id}.")
        _assign_missing(context, conn)
        rows = store.fetch(conn, "cluster_of", {"memory_id": memory_id})
        if not rows:
            raise InputError(f"Memory {memory_id} is archived or has no vector yet: it is in no cluster.")
        return _all(context, conn, rows[0]["cluster_id"])[0]

    return context.database.run(work)


def get_clusters_ready_to_crystallize(context: Context) -> list[KnowledgeCluster]:
    """Clusters at the threshold that have no skill yet, largest first."""
    least = context.settings.clusters.crystallization_threshold
    with context.database.transaction() as conn:
        found = _all(context, conn)
    return [c for c in found if ready_to_crystallize(c.size, c.size_at_crystallization, least)]


def get_clusters_ready_to_recrystallize(context: Context) -> list[KnowledgeCluster]:
    """Clusters whose skill has missed enough new members, largest first."""
    delta = context.settings.clusters.recrystallization_delta
    with context.database.transaction() as conn:
        found = _all(context, conn)
    return [c for c in found if ready_to_recrystallize(c.size, c.size_at_crystallization, delta)]


def get_cluster_memories(context: Context, cluster_id: str | UUID) -> list[MemoryRecord]:
    """All members as full memories. Raises NotFoundError and InputError."""
    with context.database.transaction() as conn:
        found = _all(context, conn, as_id(cluster_id))
        if not found:
            raise NotFoundError(f"No cluster {cluster_id}.")
        return memory_store.by_ids(conn, context.account_id, [UUID(i) for i in found[0].memory_ids])


def mark_crystallized(context: Context, cluster_id: str | UUID, skill_slug: str) -> None:
    """Record the skill made of a cluster. Raises NotFoundError and InputError."""
    params = {
        "cluster_id": as_id(cluster_id),
        "account_id": context.account_id,
        "slug": skill_slug,
        "now": context.clock(),
    }
    with context.database.transaction() as conn:
        if not store.run(conn, "mark_crystallized", params):
            raise NotFoundError(f"No cluster {cluster_id}.")


def run_initial_clustering(context: Context) -> dict[str, int]:
    """Cluster all active memories anew, in an order that depends on their words alone.

    Clusters with a skill keep their rows and members; the rest are made again. Returns
    `{clusters, memories}`.
    """

    def work(conn: Connection) -> dict[str, int]:
        memory_store.run(conn, "lock_clusters", {"account_id": context.account_id})
        kept = [c for c in _all(context, conn) if c.skill_slug]
        fixed = {c.cluster_id for c in kept}
        every = store.fetch(conn, "vectors", _model(context))
        rows = [r for r in every if r["cluster_id"] not in fixed]
        labels = _labels(context, rows, kept)
        if not _as_now(rows, labels, kept):
            store.run(conn, "delete_all", {"account_id": context.account_id, "keep": sorted(fixed)})
            _write_assignment(context, conn, rows, labels, kept)
        _name(context, conn)
        return {"clusters": len(_all(context, conn)), "memories": len(rows)}

    return context.database.run(work)


def _labels(context: Context, rows: Sequence[dict[str, Any]], kept: Sequence[KnowledgeCluster]) -> list[int]:
    vectors = np.array([vector_of(row["vector"]) for row in rows], dtype=np.float32)
    given = [np.array(c.centroid, dtype=np.float32) for c in kept]
    return assign_online(vectors.reshape(len(rows), context.embedder.dimension), _threshold(context), given)


def _as_now(rows: Sequence[dict[str, Any]], labels: Sequence[int], kept: Sequence[KnowledgeCluster]) -> bool:
    """Whether the stored clusters group the memories in just this way already: then nothing is written."""
    pairs = {(label, row["cluster_id"]) for row, label in zip(rows, labels, strict=True)}
    stored = {cluster_id for _, cluster_id in pairs}
    one_to_one = len(pairs) == len({label for label, _ in pairs}) == len(stored)
    return one_to_one and None not in stored and all(label >= len(kept) for label, _ in pairs)


def _write_assignment(
    context: Context,
    conn: Connection,
    rows: Sequence[dict[str, Any]],
    labels: Sequence[int],
    kept: Sequence[KnowledgeCluster],
) -> None:
    ids = {number: cluster.cluster_id for number, cluster in enumerate(kept)}
    now = context.clock()
    for row, label in zip(rows, labels, strict=True):
        if label not in ids:
            ids[label] = uuid4()
            values = {
                "cluster_id": ids[label],
                "vector": row["vector"],
                "topic": "",
                "topic_by": "",
                "now": now,
            }
            store.run(conn, "insert", {**_model(context), **values})
        member = {
            "memory_id": row["id"],
            "cluster_id": ids[label],
            "account_id": context.account_id,
            "now": now,
        }
        store.run(conn, "join", member)
    _refresh(context, conn, list(ids.values()))


def _name(context: Context, conn: Connection) -> None:
    """Topics that tell the clusters apart; only changed ones are written."""
    found = _all(context, conn)
    summaries = {str(r["id"]): r["summary_l0"] for r in store.fetch(conn, "vectors", _model(context))}
    groups = [[summaries[i] for i in c.memory_ids if i in summaries] or [""] for c in found]
    for cluster, topic in zip(found, name_topics(groups), strict=True):
        params = {
            "cluster_id": cluster.cluster_id,
            "topic": topic,
            "topic_by": "words",
            "now": context.clock(),
        }
        store.run(conn, "set_topic", params)


def cluster_report(context: Context) -> ClusterReport:
    """Assign what is in no cluster yet, refresh topics, and report. Writes only what changed."""

    def work(conn: Connection) -> ClusterReport:
        memory_store.run(conn, "lock_clusters", {"account_id": context.account_id})
        assigned = _assign_missing(context, conn)
        _name(context, conn)
        found = _all(context, conn)
        number = {c.cluster_id: n for n, c in enumerate(found)}
        rows = store.fetch(conn, "vectors", _model(context))
        size = context.embedder.dimension
        vectors = np.array([vector_of(r["vector"]) for r in rows], dtype=np.float32).reshape(-1, size)
        labels = tuple(number.get(r["cluster_id"], -1) for r in rows)
        return ClusterReport(tuple(found), len(rows), assigned, vectors, labels)

    return context.database.run(work)
