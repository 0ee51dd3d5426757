"""Files at which the process that read them died: asked for alone, and noted as failed when it dies again.

A file that cannot be read fails by itself. One that ends the process (no memory left, a fault in a library) takes its
batch with it, and would be the first of every batch that follows: its neighbours would never be read.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import dagster as dg

from ultron_core.steps.files.drop_folder import SeenFile
from ultron_core.steps.files.ingest import note_failure
from ultron_core.steps.runtime import Runtime
from ultron_pipelines.assets.events import plan_failed
from ultron_pipelines.assets.sessions import ASSET
from ultron_pipelines.triggers.queue import keys_of

__all__ = ["TOLD", "DeadRun", "give_up", "suspects"]

#: tags of a run: it told of all its files before it ended, or was accounted for; the file at which it died
TOLD, DIED_AT = "ultron/told", "ultron/died_at"
#: a file that may be innocent, since the machine died, is asked for alone once more
_MOST_DEATHS = 2
#: a run that died longer ago says nothing about the files of today
_DAY_SECONDS = 86_400
_MOST_RUNS = 50


@dataclass(frozen=True, slots=True)
class DeadRun:
    """A run of `ingest_sessions` that began and ended without telling of its files, in the order in which it reads
    them. One that ended before it began has read nothing."""

    run: dg.DagsterRun
    keys: tuple[str, ...]
    began: float


def suspects(instance: dg.DagsterInstance, files: Sequence[SeenFile]) -> Mapping[str, tuple[DeadRun, ...]]:
    """The waiting files at which runs died, with these runs; a file that changed since then is none."""
    waiting = {file.key: file for file in files}
    found: dict[str, tuple[DeadRun, ...]] = {}
    for dead in _dead_runs(instance) if waiting else ():
        key = dead.run.tags.get(DIED_AT)
        if key is None:
            # seen for the first time: later the first one that still waits may be another
            key = next((key for key in dead.keys if key in waiting), "")
            instance.add_run_tags(dead.run.run_id, {DIED_AT: key} if key else {TOLD: "true"})
        if key in waiting and waiting[key].mtime_ns / 1e9 < dead.began:
            found[key] = (*found.get(key, ()), dead)
    return found


def _dead_runs(instance: dg.DagsterInstance) -> list[DeadRun]:
    since = datetime.fromtimestamp(time.time() - _DAY_SECONDS, UTC)
    failed = dg.RunsFilter(
        job_name="ingest_sessions", statuses=[dg.DagsterRunStatus.FAILURE], created_after=since
    )
    return [
        DeadRun(run, tuple(keys_of(run.run_config)), record.create_timestamp.timestamp())
        for record in instance.get_run_records(failed, limit=_MOST_RUNS)
        if record.start_time is not None and TOLD not in (run := record.dagster_run).tags
    ]


def give_up(instance: dg.DagsterInstance, runtime: Runtime, file: SeenFile, runs: Sequence[DeadRun]) -> bool:
    """Note the file as failed if it was alone in as many of these runs as are enough: it waits for its next try as any
    other that failed, and is shown as Failed."""
    alone = [dead for dead in runs if dead.keys == (file.key,)]
    if len(alone) < _MOST_DEATHS:
        return False
    reason = f"The process that read it ended {len(alone)} times: the memory of this machine may be too small for it."
    note_failure(runtime, file.file, reason)
    told = {"status": "failed", "reason": reason}
    instance.report_runless_asset_event(
        dg.AssetObservation(asset_key=ASSET, partition=file.key, description=reason, metadata=told)
    )
    plan_failed(instance, alone[0].run, ASSET, [file.key])
    for dead in alone:
        instance.add_run_tags(dead.run.run_id, {TOLD: "true"})
    return True
