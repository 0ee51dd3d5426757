"""Merges and splits of stored clusters: decided without a lock, written under it unless the clusters changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from ultron_core.clusters import LEAST_SPLIT, Merge, Split, find_merges, find_split
from ultron_core.steps.clusters.members import lock_clusters, refresh
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import clusters as store

__all__ = ["reshape_clusters"]

#: of splits and merges in turn; it ends sooner when nothing is due
_ROUNDS = 5
#: clusters read at a time
_CHUNK = 200
#: a cluster is looked at again when its size has changed by this share since
_CHANGED = 0.2


def reshape_clusters(runtime: Runtime) -> tuple[int, int]:
    """Split what is two and merge what is one; returns (merges, splits). Only clusters that have changed since
    they were looked at last are looked at; with none of them nothing is read and nothing written."""
    merged = divided = 0
    for _ in range(_ROUNDS):
        rows = _read(runtime, "centroids")
        due = [number for number, row in enumerate(rows) if _is_due(row)]
        if not due:
            break
        own = _split_all(runtime, [rows[n] for n in due])
        if own:
            rows = _read(runtime, "centroids")
            due = [number for number, row in enumerate(rows) if _is_due(row)]
        joined = _merge_all(runtime, rows, due)
        divided, merged = divided + own, merged + joined
        _mark(runtime, [rows[n]["cluster_id"] for n in due], joined)
    return merged, divided


def _read(runtime: Runtime, query: str, **params: Any) -> list[dict[str, Any]]:
    return runtime.database.run(lambda conn: store.fetch(conn, query, {**runtime.model_key, **params}))


def _is_due(row: dict[str, Any]) -> bool:
    checked = row["checked_size"]
    return checked is None or abs(row["size"] - checked) >= max(1.0, _CHANGED * checked)


def _mark(runtime: Runtime, ids: Sequence[UUID], merges: int) -> None:
    """Looked at; after a merge the next round looks at what came of it first."""
    if ids and not merges:
        params = {"account_id": runtime.account_id, "ids": sorted(ids)}

        def write(conn: Connection) -> None:
            lock_clusters(runtime, conn)
            store.run(conn, "checked", params)

        runtime.database.run(write)


def _split_all(runtime: Runtime, rows: Sequence[dict[str, Any]]) -> int:
    wide = [row for row in rows if row["size"] >= LEAST_SPLIT]
    done = 0
    for begin in range(0, len(wide), _CHUNK):
        part = {row["cluster_id"]: row for row in wide[begin : begin + _CHUNK]}
        members = _read(runtime, "members", ids=sorted(part))
        for cluster_id, group in groupby(members, key=lambda row: row["cluster_id"]):
            own = list(group)
            vectors = store.matrix([row["exact"] for row in own], runtime.embedder.dimension)
            split = find_split(vectors, runtime.thresholds.cluster)
            if split is not None:
                moved = [own[n]["memory_id"] for n in split.moved]
                done += runtime.database.run(partial(_split, runtime, part[cluster_id], split, moved))
    return done


def _split(
    runtime: Runtime, row: dict[str, Any], split: Split, moved: Sequence[UUID], conn: Connection
) -> int:
    if not _unchanged(runtime, conn, [row]):
        return 0
    new_id = uuid4()
    common = {**runtime.model_key, "now": runtime.clock()}
    start = store.as_vectors(np.zeros((1, runtime.embedder.dimension), dtype=np.float32))
    store.run(conn, "insert", {**common, "ids": [new_id], "topics": [""], "centroids": start, "sizes": [0]})
    hand = {"from_id": row["cluster_id"], "to_id": new_id, "memory_ids": list(moved)}
    store.run(conn, "hand_over", {**common, **hand})
    threshold = runtime.thresholds.cluster
    reason = (
        f"two halves at cosine {split.cosine:.2f}, below {threshold:.2f}, "
        f"leave {split.gain:.0%} less spread than the whole"
    )
    change = {"kind": "split", "cluster_id": row["cluster_id"], "other_id": new_id}
    sizes = {"size": row["size"] - len(moved), "other_size": len(moved)}
    figures = {"cosine": split.cosine, "cohesion": split.cohesion, "reason": reason}
    _finish(runtime, conn, [row["cluster_id"], new_id], {**change, **sizes, **figures})
    return 1


def _merge_all(runtime: Runtime, rows: Sequence[dict[str, Any]], due: Sequence[int]) -> int:
    if not rows:
        return 0
    centroids = store.matrix([row["centroid"] for row in rows], runtime.embedder.dimension)
    fixed = [row["skill_slug"] is not None for row in rows]
    sizes = [int(row["size"]) for row in rows]
    found = find_merges(centroids, sizes, runtime.thresholds.cluster, fixed=fixed, changed=due)
    return sum(
        runtime.database.run(partial(_merge, runtime, rows[merge.kept], rows[merge.other], merge))
        for merge in found
    )


def _merge(
    runtime: Runtime, kept: dict[str, Any], other: dict[str, Any], merge: Merge, conn: Connection
) -> int:
    if not _unchanged(runtime, conn, [kept, other]):
        return 0
    hand = {"from_id": other["cluster_id"], "to_id": kept["cluster_id"], "memory_ids": None}
    store.run(conn, "hand_over", {**runtime.model_key, **hand})
    bound = (1 + runtime.thresholds.cluster) / 2
    change = {"kind": "merge", "cluster_id": kept["cluster_id"], "other_id": other["cluster_id"]}
    figures = {
        "size": kept["size"] + other["size"],
        "other_size": other["size"],
        "cosine": merge.cosine,
        "cohesion": merge.cohesion,
        "reason": f"centroids at cosine {merge.cosine:.2f}, at least {bound:.2f}",
    }
    _finish(runtime, conn, [kept["cluster_id"], other["cluster_id"]], {**change, **figures})
    return 1


def _unchanged(runtime: Runtime, conn: Connection, rows: Sequence[dict[str, Any]]) -> bool:
    """Whether the clusters still are what was looked at; if not, the next run looks at them as they are."""
    lock_clusters(runtime, conn)
    ids = [row["cluster_id"] for row in rows]
    found = store.fetch(conn, "sizes", {"account_id": runtime.account_id, "ids": ids})
    return {row["cluster_id"]: row["size"] for row in found} == {
        row["cluster_id"]: row["size"] for row in rows
    }


def _finish(runtime: Runtime, conn: Connection, ids: Sequence[UUID], change: dict[str, Any]) -> None:
    refresh(runtime, conn, ids)
    store.run(conn, "unchecked", {"account_id": runtime.account_id, "ids": list(ids)})
    common = {"id": uuid4(), "account_id": runtime.account_id, "now": runtime.clock()}
    store.run(conn, "insert_change", {**common, **change})
