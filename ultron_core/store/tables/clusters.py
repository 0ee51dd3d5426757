"""Repository of clusters and their members. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Self
from uuid import UUID

import numpy as np
import numpy.typing as npt
from pgvector import Vector

from ultron_core.store.queries import NamedQueries

__all__ = ["ClusterChange", "KnowledgeCluster", "as_vectors", "fetch", "matrix", "run", "send"]

_SQL = NamedQueries("memories/clusters", binary=True)
run, fetch, send = _SQL.run, _SQL.fetch, _SQL.send


@dataclass(frozen=True, slots=True)
class KnowledgeCluster:
    """One cluster as the spec names its fields; `size_at_crystallization` None: never crystallised."""

    cluster_id: UUID
    topic: str
    memory_ids: list[UUID]
    centroid: list[float]
    skill_slug: str | None
    superseded_slugs: list[str]
    size: int
    size_at_crystallization: int | None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        return cls(
            cluster_id=row["cluster_id"],
            topic=row["topic"],
            memory_ids=row["memory_ids"],
            centroid=row["centroid"].to_list(),
            skill_slug=row["skill_slug"],
            superseded_slugs=row["superseded_slugs"],
            size=row["size"],
            size_at_crystallization=row["crystallized_size"],
        )


@dataclass(frozen=True, slots=True)
class ClusterChange:
    """A merge (`other_id` went into `cluster_id`) or a split (`other_id` came out of it), and why."""

    kind: str
    cluster_id: UUID
    other_id: UUID
    topic: str
    cosine: float
    cohesion: float
    size: int
    other_size: int
    reason: str
    created_at: datetime

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        return cls(**{f.name: row[f.name] for f in fields(cls)})


def matrix(vectors: Sequence[Vector], dimension: int) -> npt.NDArray[np.float32]:
    """Stored vectors as rows of float32."""
    rows = [vector.to_numpy() for vector in vectors]
    return np.array(rows, dtype=np.float32).reshape(len(rows), dimension)


def as_vectors(rows: npt.NDArray[np.float32]) -> list[Vector]:
    """Rows as parameters of a query."""
    return [Vector(row) for row in rows]
