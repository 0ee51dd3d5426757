"""Clusters: a list, a map of all memories, and the members of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import numpy as np
import numpy.typing as npt
from fastapi import APIRouter, Depends, Path, Query, Response

from ultron_core.clusters.plane import place
from ultron_core.errors import NotFoundError
from ultron_core.serve.pages.render import page
from ultron_core.serve.pages.visitors import Opens, Visitor
from ultron_core.steps.clusters import read as cluster_step
from ultron_core.steps.ids import as_id
from ultron_core.store.tables.clusters import KnowledgeCluster

__all__ = ["router"]

router = APIRouter(prefix="/ui", include_in_schema=False)
Reader = Annotated[Visitor, Depends(Opens("read"))]
#: points of the map: more make the page slow, and the picture no clearer
_MOST_POINTS = 1_500
#: clusters that can be opened from the map; all of them stand in the list
_MOST_NAMED = 12
_PAGE_ROWS = 50
#: colours of the style sheet
_COLOURS = 8
_WIDTH, _HEIGHT, _EDGE = 900, 480, 24


@dataclass(frozen=True, slots=True)
class Dot:
    """A memory on the map."""

    x: float
    y: float
    colour: int


@dataclass(frozen=True, slots=True)
class Ring:
    """A cluster on the map, around the middle of its members."""

    cluster: KnowledgeCluster
    x: float
    y: float
    radius: float
    colour: int


@dataclass(frozen=True, slots=True)
class Map:
    """What the template draws, in its units."""

    dots: Sequence[Dot]
    rings: Sequence[Ring]
    width: int = _WIDTH
    height: int = _HEIGHT


@router.get("/clusters")
def listing(visitor: Reader, start: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> Response:
    """All clusters, the largest first, and the map."""
    runtime = visitor.ultron.runtime
    found = cluster_step.get_clusters(runtime)
    vectors, ids = cluster_step.sample_members(runtime, _MOST_POINTS)
    least = runtime.settings.clusters.crystallization_threshold
    return page(
        "clusters.html",
        visitor,
        clusters=found[start : start + _PAGE_ROWS],
        total=len(found),
        start=start,
        next_start=start + _PAGE_ROWS if len(found) > start + _PAGE_ROWS else None,
        memories=sum(one.size for one in found),
        map=draw(found, vectors, ids) if start == 0 else None,
        threshold=least,
    )


@router.get("/clusters/{cluster_id}")
def one(cluster_id: Annotated[str, Path(max_length=64)], visitor: Reader) -> Response:
    """A cluster with its members and what happened to it."""
    runtime = visitor.ultron.runtime
    wanted = as_id(cluster_id)
    found = [one for one in cluster_step.get_clusters(runtime) if one.cluster_id == wanted]
    if not found:
        raise NotFoundError(f"No cluster {wanted}.")
    return page(
        "cluster.html",
        visitor,
        cluster=found[0],
        members=cluster_step.get_cluster_memories(runtime, wanted),
        changes=cluster_step.get_cluster_changes(runtime, wanted),
    )


def draw(clusters: Sequence[KnowledgeCluster], vectors: npt.NDArray[np.float32], ids: Sequence[UUID]) -> Map:
    """Dots of the same colour belong to one cluster; the largest clusters have a ring around their middle."""
    number = {one.cluster_id: n for n, one in enumerate(clusters)}
    points = place(vectors) * (_WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE) + _EDGE
    dots = [
        Dot(round(float(x), 1), round(float(y), 1), number.get(cluster_id, 0) % _COLOURS)
        for (x, y), cluster_id in zip(points, ids, strict=True)
    ]
    rings = []
    for n, cluster in enumerate(clusters[:_MOST_NAMED]):
        own = [k for k, cluster_id in enumerate(ids) if cluster_id == cluster.cluster_id]
        if cluster.size < 2 or not own:
            continue
        x, y = np.median(points[own], axis=0)
        radius = 10 + 3 * np.sqrt(cluster.size)
        rings.append(
            Ring(cluster, round(float(x), 1), round(float(y), 1), min(float(radius), 60.0), n % _COLOURS)
        )
    return Map(dots, rings)
