"""What `show`, `sessions`, `stats`, `drops` and `doctor` print; read-only."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import UUID

from ultron_core.labels import is_memory_eligible, is_sft_eligible
from ultron_core.steps.edit import get_stats
from ultron_core.steps.files.bucket import is_address
from ultron_core.steps.given import check_agent
from ultron_core.steps.projects import EVERYTHING, Scope
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.process import count_pending, list_stale
from ultron_core.store.queries import load_queries
from ultron_core.store.tables import drops as drop_store
from ultron_core.store.tables import exports
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.llm import call_totals

__all__ = [
    "TableSize",
    "drop_counts",
    "drops",
    "holdings",
    "model_calls",
    "newest_dataset",
    "places",
    "scores",
    "sessions",
    "stats",
    "table_sizes",
    "trajectory_stats",
]

_SQL = load_queries("upkeep/overview")
#: tables by what they hold; any other keeps the store itself
_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "archived bytes of logs": ("raw_uploads", "raw_blobs"),
        "what was said": ("source_files", "sessions", "messages", "task_segments", "drops", "outcomes"),
        "search over logs": ("message_windows",),
        "memories": (
            *("memories", "memory_usage", "memory_sources", "memory_contributions", "memory_versions"),
            *("memory_links", "memory_verdicts", "merge_decisions", "idempotency_keys", "taste"),
            *("clusters", "cluster_members", "cluster_changes"),
        ),
        "search over memories": ("memory_search", "memory_vectors", "lexical_df", "lexical_stats"),
        "calls of models": ("llm_calls", "llm_cache"),
        "datasets and training": (
            *(
                "sft_cleaned",
                "sft_drafted",
                "sft_exports",
                "sft_export_rows",
                "training_runs",
                "training_rows",
            ),
        ),
    }
)
_KIND_OF = {table: kind for kind, tables in _KINDS.items() for table in tables}


@dataclass(frozen=True, slots=True)
class TableSize:
    """One table on disk, with its indexes and long values."""

    kind: str
    table: str
    bytes: int


def sessions(
    runtime: Runtime, agent_id: str | None, limit: int, scope: Scope = EVERYTHING
) -> list[dict[str, Any]]:
    """Sessions with counts of segments, labels and memories: of the scope's project first, newest first."""
    check_agent("agent_id", agent_id, optional=True)
    params = {**runtime.account, "agent_id": agent_id, "limit": limit, **asdict(scope)}
    with runtime.database.transaction() as conn:
        return session_store.fetch(conn, "listing", params)


def drops(runtime: Runtime, stage: str | None, reason: str | None, limit: int) -> list[dict[str, Any]]:
    """What was refused, newest first."""
    with runtime.database.transaction() as conn:
        return drop_store.listing(conn, runtime.account_id, stage=stage, reason=reason, limit=limit)


def drop_counts(runtime: Runtime) -> list[dict[str, Any]]:
    """How many refusals there are, by stage and reason."""
    with runtime.database.transaction() as conn:
        return drop_store.counts(conn, runtime.account_id)


def trajectory_stats(runtime: Runtime, project: str | None = None) -> dict[str, Any]:
    """`{sessions: {...}, segments: {...}}`; what is eligible is decided by the gates of extraction and export."""
    labels = runtime.settings.labels
    thresholds = labels.memory_score_threshold, labels.sft_score_threshold
    params = {**runtime.waiting(), "due": None, "project": project, "lowest": min(thresholds)}
    with runtime.database.transaction() as conn:
        sessions = session_store.fetch(conn, "stats", params)[0]
        segments = segment_store.fetch(conn, "stats", params)[0]
        scored = segment_store.fetch(conn, "labels_from", params)
    found = [row["quality_metrics"] for row in scored]
    segments |= {
        "memory_eligible": sum(is_memory_eligible(label, thresholds[0]).ok for label in found),
        "sft_eligible": sum(is_sft_eligible(label, thresholds[1]).ok for label in found),
    }
    return {"sessions": sessions, "segments": segments}


def stats(runtime: Runtime, project: str | None = None) -> dict[str, Any]:
    """Counts of everything: sessions, segments, memories, what waits, model calls; or what one project has."""
    trajectories = trajectory_stats(runtime, project)
    memory = get_stats(runtime, project)
    counted = {
        **trajectories,
        "memories": {
            "total": memory["total"],
            **{f"{k} tier": v for k, v in memory["by_tier"].items()},
            **memory["by_type"],
            **memory["by_status"],
        },
    }
    if project is not None:
        return counted
    with runtime.database.transaction() as conn:
        others = conn.execute(_SQL["table_counts"], runtime.account).fetchone() or {}
        models = call_totals(conn, runtime.account_id)
        projects = conn.execute(_SQL["projects"], runtime.account).fetchall()
    return {
        **counted,
        "projects": projects,
        "waiting": count_pending(runtime),
        "stale": list_stale(runtime),
        "stored": others,
        "model calls": models,
    }


def places(runtime: Runtime, memory_id: UUID) -> dict[UUID, Path]:
    """Source id -> the log on this machine. Private: for the owner's own terminal, not for what is shared."""
    params = {**runtime.account, "memory_id": memory_id}
    with runtime.database.transaction() as conn:
        rows = conn.execute(_SQL["places"], params).fetchall()
    found = {row["id"]: os.fsdecode(bytes(row["private_path"])) for row in rows}
    return {source: Path(place) for source, place in found.items() if not is_address(place)}


def holdings(runtime: Runtime) -> dict[str, Any]:
    """Which store this is (its folder, or its database without the password), and what is in it."""
    settings = runtime.settings.store
    with runtime.database.transaction() as conn:
        held = conn.execute(_SQL["holdings"], runtime.account).fetchone() or {}
        place = f"{conn.info.dbname} at {conn.info.host}" if settings.database_url else str(settings.home)
    return {"store": place, **held}


def newest_dataset(runtime: Runtime) -> dict[str, Any] | None:
    """Name, version, path and rows of the newest dataset."""
    with runtime.database.transaction() as conn:
        return exports.newest_of_all(conn, runtime.account_id)


def scores(runtime: Runtime) -> dict[str, list[float]]:
    """`overall_score` and `memory_score` of every labelled segment that has one."""
    with runtime.database.transaction() as conn:
        rows = segment_store.fetch(conn, "scores", {"account_id": runtime.account_id, "keys": None})
    names = ("overall_score", "memory_score")
    return {name: [float(row[name]) for row in rows if row[name] is not None] for name in names}


def model_calls(runtime: Runtime) -> list[dict[str, Any]]:
    """Calls, tokens and cost so far, by stage and model."""
    with runtime.database.transaction() as conn:
        return call_totals(conn, runtime.account_id)


def table_sizes(runtime: Runtime) -> Sequence[TableSize]:
    """Every table of the database, of all accounts, the largest first."""
    with runtime.database.transaction() as conn:
        rows = conn.execute(_SQL["table_sizes"]).fetchall()
    return [
        TableSize(_KIND_OF.get(row["name"], "the store itself"), row["name"], row["bytes"]) for row in rows
    ]
