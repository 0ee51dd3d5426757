"""Repository of clusters and their members. Every function runs in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from ultron_core.store.database import Connection
from ultron_core.store.queries import load_queries

__all__ = ["KnowledgeCluster", "fetch", "run", "vector_of"]

_SQL = load_queries("clusters")


@dataclass(frozen=True, slots=True)
class KnowledgeCluster:
    """One cluster as the spec names its fields; `size_at_crystallization` None: never crystallised."""

    cluster_id: UUID
    topic: str
    memory_ids: list[str]
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
            centroid=vector_of(row["centroid_text"]),
            skill_slug=row["skill_slug"],
            superseded_slugs=row["superseded_slugs"],
            size=row["size"],
            size_at_crystallization=row["crystallized_size"],
        )


def vector_of(text: str) -> list[float]:
    """pgvector's text form as numbers."""
    return [float(part) for part in text.strip("[]").split(",")]


def run(conn: Connection, query: str, params: Mapping[str, Any]) -> int:
    """Execute a named query of this family; returns the number of rows it touched."""
    return conn.execute(_SQL[query], dict(params)).rowcount


def fetch(conn: Connection, query: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All rows of a named query of this family."""
    return conn.execute(_SQL[query], dict(params)).fetchall()
