"""What the partitioned stages after `session_files` have in common: run one core stage for a range of keys."""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps.process import PartitionReport, run_stage
from ultron_pipelines.assets.events import PartitionEvent

__all__ = ["stage_event", "stage_events"]

_SHOWN = {
    "segments": ("segments", "open", "inserted", "kept", "gone", "archived"),
    "quality_labels": ("segments", "labeled"),
    "extracted_memories": ("extracted", "refused", "memories", "drafts", "inserted", "merged", "dropped"),
}


def stage_events(opened: Ultron, asset: str, keys: Sequence[str]) -> list[PartitionEvent]:
    """Run the stage and say where each partition stands."""
    return [stage_event(asset, report) for report in run_stage(opened.context, asset, keys)]


def stage_event(asset: str, report: PartitionReport) -> PartitionEvent:
    """One report of the core as an event of the asset."""
    metadata: dict[str, Any] = {name: int(report.counts.get(name, 0)) for name in _SHOWN[asset]}
    rows = "\n".join(f"| {name} | {count} |" for name, count in metadata.items())
    metadata["summary"] = dg.MetadataValue.md(f"| what | count |\n|---|---|\n{rows}")
    return PartitionEvent(report.partition_key, report.status, report.data_version, metadata, report.error)
