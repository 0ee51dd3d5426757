"""Which files the drop sensor requests a run for: whole batches, and nothing that a run already holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg
from dagster._core.storage.tags import (
    ASSET_PARTITION_RANGE_END_TAG,
    ASSET_PARTITION_RANGE_START_TAG,
    PARTITION_NAME_TAG,
)

from ultron_core.steps.files.drop_folder import SeenFile
from ultron_core.steps.stages.table import FILES
from ultron_pipelines.partitions import SESSIONS_NAME

__all__ = [
    "MOST_QUEUED",
    "ActiveRun",
    "active_runs",
    "ingest_config",
    "keys_being_read",
    "keys_of",
    "next_batches",
]

#: requests that wait in Dagster's queue beyond the runs at work: enough that no worker waits for a tick, few enough
#: that the runs of later stages, which queue behind them, start soon
MOST_QUEUED = 2

_WAITING = [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.QUEUED]
_WORKING = [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


@dataclass(frozen=True, slots=True)
class ActiveRun:
    """A run of `ingest_sessions` that is queued or at work, and the files it was given."""

    keys: frozenset[str]
    queued: bool


def next_batches(
    files: Sequence[SeenFile], active: Sequence[ActiveRun], size: int, alone: Collection[str] = ()
) -> list[tuple[SeenFile, ...]]:
    """The batches to request now, of `size` files each; `files` in an order that does not change between ticks.

    A batch that is not full waits while another is queued, so that n files make ceil(n / size) runs. Files that are to
    be read `alone` come after the others, once nothing is queued: a batch that waits must not wait for them.
    """
    held = frozenset[str]().union(*(run.keys for run in active))
    queued = sum(run.queued for run in active)
    free = [file for file in files if file.key not in held]
    together = [file for file in free if file.key not in alone]
    batches = [tuple(together[begin : begin + size]) for begin in range(0, len(together), size)]
    if not queued:
        batches += [(file,) for file in free if file.key in alone]
    elif batches and len(batches[-1]) < size:
        batches.pop()
    return batches[: max(0, MOST_QUEUED - queued)]


def ingest_config(keys: Sequence[str]) -> dict[str, Any]:
    """The run config of `ingest_sessions` for these files."""
    return {"ops": {"read_session_files": {"config": {"keys": list(keys)}}}}


def active_runs(instance: dg.DagsterInstance) -> list[ActiveRun]:
    """The runs of `ingest_sessions` that are not over."""
    runs = instance.get_runs(dg.RunsFilter(job_name="ingest_sessions", statuses=[*_WAITING, *_WORKING]))
    return [ActiveRun(frozenset(keys_of(run.run_config)), run.status in _WAITING) for run in runs]


def keys_of(run_config: Any) -> list[str]:
    """What `ingest_config` wrote; nothing for a run that was started by hand without files."""
    ops = run_config.get("ops", {}) if isinstance(run_config, dict) else {}
    keys: list[str] = ops.get("read_session_files", {}).get("config", {}).get("keys", [])
    return keys


def keys_being_read(instance: dg.DagsterInstance) -> frozenset[str]:
    """The files of all runs that are not over: of `ingest_sessions`, and of the asset itself, as a person or a backfill
    starts it."""
    runs = instance.get_runs(dg.RunsFilter(statuses=[*_WAITING, *_WORKING]))
    by_hand = [run for run in runs if dg.AssetKey(FILES) in (run.asset_selection or ())]
    by_hand += [run for run in runs if run.job_name == f"{FILES}_job" and not run.asset_selection]
    held = frozenset[str]().union(*(keys_of(run.run_config) for run in runs))
    return held.union(*(_range_of(instance, run.tags) for run in by_hand))


def _range_of(instance: dg.DagsterInstance, tags: Mapping[str, str]) -> Collection[str]:
    """The partitions that a run of an asset covers: one, or all from a first to a last one."""
    if PARTITION_NAME_TAG in tags:
        return [tags[PARTITION_NAME_TAG]]
    if ASSET_PARTITION_RANGE_START_TAG not in tags:
        return []
    known = list(instance.get_dynamic_partitions(SESSIONS_NAME))
    ends = (tags[ASSET_PARTITION_RANGE_START_TAG], tags[ASSET_PARTITION_RANGE_END_TAG])
    if not set(ends) <= set(known):  # one of them was deleted
        return []
    first, last = map(known.index, ends)
    return known[first : last + 1]
