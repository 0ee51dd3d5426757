"""Stages by partition, and everything that waits: what Dagster, the command line and scripts call."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from ultron_core.steps.projects import checked_project
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages import extract, label, segment, windows
from ultron_core.steps.stages.standing import Standing, standings
from ultron_core.steps.stages.table import (
    LABELS,
    MEMORIES,
    SEGMENTS,
    STAGES,
    Stage,
    stage_named,
)
from ultron_core.steps.stages.text import process_pending_texts
from ultron_core.steps.stages.waiting.loop import StageResult, Step, run_batch
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store

__all__ = [
    "STEPS",
    "PartitionReport",
    "ProcessReport",
    "count_pending",
    "list_stale",
    "process_and_report",
    "process_pending",
    "run_stage",
]

logger = logging.getLogger("ultron.process")
#: the worst first
_UNDONE = ("failed", "pending", "changed")
#: how each stage of the table is done, in its order
STEPS: tuple[Step[Any], ...] = (segment.STEP, label.STEP, extract.STEP, windows.STEP)


@dataclass(frozen=True, slots=True)
class PartitionReport:
    """Where one partition stands after a stage.

    status: done, changed (its file grew), pending (model down) or failed.
    """

    partition_key: str
    status: str
    standing: Standing | None
    counts: dict[str, int]
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ProcessReport:
    """What one pass over everything that waits did."""

    sessions: int = 0
    new_segments: int = 0
    labeled: int = 0
    memories: int = 0
    merged: int = 0
    refused: int = 0
    pending: int = 0
    failed: int = 0
    partition_keys: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    texts: int = 0
    filled: int = 0
    #: tasks at the end of logs that changed recently: they are judged once the log is quiet
    open: int = 0
    #: rows that used up their attempts, from this pass and earlier ones
    exhausted: int = 0


def run_stage(runtime: Runtime, name: str, keys: Sequence[str]) -> list[PartitionReport]:
    """Run the stage of this name until nothing of these partitions waits; one report a key, in key order."""
    stage = stage_named(name)
    results = _drain(lambda tried: run_batch(runtime, _step(stage), keys=keys, tried=tried))
    return _report(runtime, stage, keys, results)


def _step(stage: Stage) -> Step[Any]:
    return next(step for step in STEPS if step.stage is stage)


def _drain(step: Callable[[Collection[UUID]], list[StageResult]]) -> list[StageResult]:
    """One cycle: batches until nothing waits or the endpoint is down; a row is tried once."""
    results: list[StageResult] = []
    tried: set[UUID] = set()
    while batch := step(tried):
        results += batch
        tried |= {r.id for r in batch if r.status in {"failed", "pending", "changed"}}
        if any(r.status == "pending" for r in batch):
            break
    return results


def _report(
    runtime: Runtime, stage: Stage, keys: Sequence[str], results: Sequence[StageResult]
) -> list[PartitionReport]:
    standing = {one.partition_key: one for one in standings(runtime, stage.name, keys)}
    totals = _totals(runtime, keys)
    by_key: dict[str, list[StageResult]] = {}
    for result in results:
        by_key.setdefault(result.partition_key, []).append(result)
    reports = []
    for key in keys:
        own = by_key.get(key, [])
        counts = Counter(totals.get(key, {}))
        for result in own:
            counts.update(result.counts)
        status, error = _status(own, standing.get(key))
        reports.append(PartitionReport(key, status, standing.get(key), dict(counts), error))
    return reports


def _status(results: Sequence[StageResult], standing: Standing | None) -> tuple[str, str | None]:
    errors = [r.error for r in results if r.error and r.status in _UNDONE]
    undone = next((s for s in _UNDONE if any(r.status == s for r in results)), None)
    if undone is None and standing is not None and not standing.done:
        return "pending", "another process is working on it, or it used up its attempts"
    return undone or "done", errors[0] if errors else None


def _totals(runtime: Runtime, keys: Sequence[str]) -> dict[str, dict[str, int]]:
    with runtime.database.transaction() as conn:
        rows = segment_store.fetch(
            conn, "counts_by_partition", {"account_id": runtime.account_id, "keys": list(keys)}
        )
    return {row.pop("partition_key"): row for row in rows}


def process_pending(
    runtime: Runtime,
    progress: Callable[[str, int], None] | None = None,
    *,
    project: str | None = None,
) -> ProcessReport:
    """All stages on all that waits, then texts and back-filling; `progress(stage, rows done so far)`. With `project`
    the stages of its sessions alone. Raises UnknownNameError."""
    return process_and_report(runtime, progress, project)[0]


def process_and_report(
    runtime: Runtime,
    progress: Callable[[str, int], None] | None = None,
    project: str | None = None,
) -> tuple[ProcessReport, dict[Stage, list[PartitionReport]]]:
    """The same, with where each partition stands that something was done for, by stage."""
    keys = None if project is None else _keys_of(runtime, project)
    results: dict[Stage, list[StageResult]] = {}
    for step in STEPS:
        done = 0

        def batch(tried: Collection[UUID], step: Step[Any] = step) -> list[StageResult]:
            nonlocal done
            worked_on = run_batch(runtime, step, keys=keys, tried=tried)
            done += len(worked_on)
            if progress:
                progress(step.stage.name, done)
            return worked_on

        results[step.stage] = _drain(batch)
    texts = _drain(lambda tried: process_pending_texts(runtime, tried=tried)) if keys is None else []
    filled = backfill(runtime) if keys is None else 0
    waiting = count_pending(runtime)
    report = replace(
        _summary(results),
        filled=filled,
        open=waiting["open"],
        exhausted=waiting["exhausted"],
        texts=sum(text.status == "done" for text in texts),
    )
    logger.info(
        "%d new segments, %d labels, %d new memories, %d merged, %d refused, %d pending, %d failed",
        *(report.new_segments, report.labeled, report.memories, report.merged),
        *(report.refused, report.pending, report.failed),
    )
    touched = report.partition_keys
    return report, {stage: _report(runtime, stage, touched, done) for stage, done in results.items()}


def _keys_of(runtime: Runtime, project: str) -> list[str]:
    params = {**runtime.account, "project": checked_project(runtime, project)}
    rows = runtime.database.run(lambda conn: session_store.fetch(conn, "keys_of_project", params))
    return [row["partition_key"] for row in rows]


def _summary(results: dict[Stage, list[StageResult]]) -> ProcessReport:
    everything = [r for rows in results.values() for r in rows]

    def total(stage: Stage, name: str) -> int:
        return sum(r.counts.get(name, 0) for r in results[stage])

    return ProcessReport(
        sessions=sum(r.status == "done" for r in results[SEGMENTS]),
        new_segments=total(SEGMENTS, "inserted"),
        labeled=total(LABELS, "newly_labeled"),
        memories=total(MEMORIES, "inserted"),
        merged=total(MEMORIES, "merged"),
        refused=total(MEMORIES, "dropped"),
        pending=sum(r.status == "pending" for r in everything),
        failed=sum(r.status == "failed" for r in everything),
        partition_keys=tuple(sorted({r.partition_key for r in everything if r.status != "pending"})),
        errors=tuple(dict.fromkeys(r.error for r in everything if r.error)),
    )


def list_stale(runtime: Runtime) -> list[dict[str, Any]]:
    """`stage` (as `reprocess` calls it), `made_by`, `now_by` and number of `rows` of what another version made."""
    makers = {step.stage.option: step.maker(runtime) for step in STEPS if step.stage.call}
    params = {**runtime.account, "stages": list(makers), "makers": list(makers.values())}
    with runtime.database.transaction() as conn:
        return segment_store.fetch(conn, "stale", params)


def count_pending(runtime: Runtime, *, due: bool = False) -> dict[str, int]:
    """How much waits, by stage; with `due`, without rows whose next try is still to come.

    `open` tasks and `exhausted` rows, which used up their attempts, do not count as waiting for a stage.
    """
    params = {**runtime.waiting(), "due": runtime.clock() if due else None}
    with runtime.database.transaction() as conn:
        sessions = session_store.fetch(conn, "stats", params)[0]
        segments = segment_store.fetch(conn, "stats", params)[0]
        texts = session_store.fetch(conn, "pending_texts_count", params)[0]
    stages = sessions | segments
    return {
        **{stage.name: stages[stage.backlog] for stage in STAGES},
        "texts": texts["waiting"],
        "open": segments["open"] + sessions["growing"],
        "exhausted": sum(counts["exhausted"] for counts in (sessions, segments, texts)),
    }
