"""Stages by partition, and everything that waits: what Dagster, the command line and scripts call."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.extract import extract_pending_segments
from ultron_core.steps.stages.label import label_pending_segments
from ultron_core.steps.stages.segment import segment_pending_sessions
from ultron_core.steps.stages.text import process_pending_texts
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store

__all__ = [
    "STAGES",
    "PartitionReport",
    "ProcessReport",
    "StageResult",
    "process_pending",
    "run_stage",
    "session_data_version",
]

logger = logging.getLogger("ultron.process")
#: asset name of each partitioned stage after `session_files`, in order
STAGES = ("segments", "quality_labels", "extracted_memories")


@dataclass(frozen=True, slots=True)
class StageResult:
    """One row a stage worked on. status: done, refused, pending or failed."""

    partition_key: str
    status: str
    error: str | None
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class PartitionReport:
    """Where one partition stands after a stage. status: done, pending (model down) or failed."""

    partition_key: str
    status: str
    data_version: str
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
    #: tasks at the end of logs that changed a short while ago: not judged before the log is quiet
    open: int = 0


def run_stage(runtime: Runtime, stage: str, keys: Sequence[str]) -> list[PartitionReport]:
    """Run one stage for these partitions until nothing of them waits; one report a key, in key order."""
    results = _drain(lambda: _STAGE_STEPS[stage](runtime, keys))
    return _report(runtime, stage, keys, results)


def _segments(runtime: Runtime, keys: Sequence[str] | None) -> list[StageResult]:
    return [
        StageResult(
            r.partition_key,
            r.status,
            r.error,
            {"inserted": r.inserted, "kept": r.kept, "gone": r.gone, "archived": r.archived_memories},
        )
        for r in segment_pending_sessions(runtime, keys=keys)
    ]


def _labels(runtime: Runtime, keys: Sequence[str] | None) -> list[StageResult]:
    return [
        StageResult(r.partition_key, r.status, r.error, {"newly_labeled": int(r.status == "done")})
        for r in label_pending_segments(runtime, keys=keys)
    ]


def _memories(runtime: Runtime, keys: Sequence[str] | None) -> list[StageResult]:
    return [
        StageResult(
            r.partition_key,
            r.status,
            r.error,
            {
                "drafts": r.drafts,
                "inserted": r.inserted,
                "merged": r.merged,
                "known": r.known,
                "dropped": len(r.drops),
            },
        )
        for r in extract_pending_segments(runtime, keys=keys)
    ]


_STAGE_STEPS: dict[str, Callable[[Runtime, Sequence[str] | None], list[StageResult]]] = {
    "segments": _segments,
    "quality_labels": _labels,
    "extracted_memories": _memories,
}


def _drain(step: Callable[[], list[StageResult]]) -> list[StageResult]:
    """Batches until one is empty or made nothing done: rows that fail stay for the next cycle."""
    results: list[StageResult] = []
    while True:
        batch = step()
        results += batch
        if not any(r.status in {"done", "refused"} for r in batch):
            return results


def _report(
    runtime: Runtime, stage: str, keys: Sequence[str], results: Sequence[StageResult]
) -> list[PartitionReport]:
    versions = _data_versions(runtime, stage, keys)
    totals = _totals(runtime, keys)
    reports = []
    for key in keys:
        own = [r for r in results if r.partition_key == key]
        errors = [r.error for r in own if r.error and r.status in {"pending", "failed"}]
        status = next((s for s in ("failed", "pending") if any(r.status == s for r in own)), "done")
        counts = dict(totals.get(key, {}))
        for result in own:
            for name, count in result.counts.items():
                counts[name] = counts.get(name, 0) + count
        error = errors[0] if errors else None
        reports.append(PartitionReport(key, status, versions.get(key, ""), counts, error))
    return reports


def _totals(runtime: Runtime, keys: Sequence[str]) -> dict[str, dict[str, int]]:
    with runtime.database.transaction() as conn:
        rows = segment_store.fetch(
            conn, "counts_by_partition", {"account_id": runtime.account_id, "keys": list(keys)}
        )
    return {row.pop("partition_key"): row for row in rows}


def _data_versions(runtime: Runtime, stage: str, keys: Sequence[str]) -> dict[str, str]:
    """Hash of the ordered (fingerprint, version) pairs up to this stage, by partition."""
    with runtime.database.transaction() as conn:
        rows = segment_store.fetch(conn, "versions", {"account_id": runtime.account_id, "keys": list(keys)})
    columns = ["fingerprints", "segmenters", "closed", "labelers", "extractors"]
    used = columns[: 3 + STAGES.index(stage)]
    return {
        row["partition_key"]: hashlib.sha256(
            "\n".join("|".join(map(str, row[c] or ())) for c in used).encode()
        ).hexdigest()[:32]
        for row in rows
    }


def session_data_version(content_sha256: str, parser_version: str) -> str:
    """Data version of one session file: its bytes and who read them."""
    return hashlib.sha256(f"{content_sha256}\n{parser_version}".encode()).hexdigest()[:32]


def process_pending(runtime: Runtime, progress: Callable[[str, int], None] | None = None) -> ProcessReport:
    """All stages on all that waits, then texts and back-filling; `progress(stage, rows done so far)`."""
    results: dict[str, list[StageResult]] = {}
    for stage in STAGES:
        done = 0

        def step(stage: str = stage) -> list[StageResult]:
            nonlocal done
            batch = _STAGE_STEPS[stage](runtime, None)
            done += len(batch)
            if progress:
                progress(stage, done)
            return batch

        results[stage] = _drain(step)
    texts = process_pending_texts(runtime)
    filled = backfill(runtime)
    report = replace(_summary(results, len(texts), filled), open=count_pending(runtime)["open"])
    logger.info(
        "%d new segments, %d labels, %d new memories, %d merged, %d refused, %d pending, %d failed",
        *(report.new_segments, report.labeled, report.memories, report.merged),
        *(report.refused, report.pending, report.failed),
    )
    return report


def _summary(results: dict[str, list[StageResult]], texts: int, filled: int) -> ProcessReport:
    everything = [r for rows in results.values() for r in rows]

    def total(stage: str, name: str) -> int:
        return sum(r.counts.get(name, 0) for r in results[stage])

    return ProcessReport(
        sessions=sum(r.status == "done" for r in results["segments"]),
        new_segments=total("segments", "inserted"),
        labeled=total("quality_labels", "newly_labeled"),
        memories=total("extracted_memories", "inserted"),
        merged=total("extracted_memories", "merged"),
        refused=total("extracted_memories", "dropped"),
        pending=sum(r.status == "pending" for r in everything),
        failed=sum(r.status == "failed" for r in everything),
        partition_keys=tuple(sorted({r.partition_key for r in everything if r.status != "pending"})),
        errors=tuple(dict.fromkeys(r.error for r in everything if r.error)),
        texts=texts,
        filled=filled,
    )


def count_pending(runtime: Runtime) -> dict[str, int]:
    """How much waits, by stage."""
    with runtime.database.transaction() as conn:
        sessions = session_store.fetch(conn, "stats", {"account_id": runtime.account_id})[0]
        segments = segment_store.fetch(
            conn,
            "stats",
            {"account_id": runtime.account_id, "memory_threshold": 0.0, "sft_threshold": 0.0},
        )[0]
        texts = session_store.fetch(conn, "pending_texts_count", {"account_id": runtime.account_id})[0]
    return {
        "segments": sessions["to_segment"],
        "quality_labels": segments["to_label"],
        "extracted_memories": segments["to_extract"],
        "texts": texts["waiting"],
        "open": segments["open"],
    }
