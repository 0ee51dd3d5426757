"""What the partitioned stages after `session_files` have in common: run one core stage for a range of keys."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps import overview
from ultron_core.steps.stages.process import PartitionReport, run_stage
from ultron_pipelines.assets.events import PartitionEvent
from ultron_pipelines.charts import histogram, markdown_image

__all__ = ["stage_event", "stage_events"]

_MODEL_STAGES = {"segments": "segment", "quality_labels": "label", "extracted_memories": "extract"}
_SHOWN = {
    "segments": ("segments", "open", "inserted", "kept", "gone", "archived"),
    "quality_labels": ("segments", "labeled", "newly_labeled"),
    "extracted_memories": ("extracted", "refused", "memories", "drafts", "inserted", "merged", "dropped"),
}


def stage_events(opened: Ultron, asset: str, keys: Sequence[str]) -> list[PartitionEvent]:
    """Run the stage and say where each partition stands; the last event carries the picture of all of them."""
    events = [stage_event(asset, report) for report in run_stage(opened.runtime, asset, keys)]
    done = [number for number, event in enumerate(events) if event.status == "done"]
    if done:
        last = events[done[-1]]
        events[done[-1]] = replace(last, metadata={**last.metadata, **_overview(opened, asset)})
    return events


def _overview(opened: Ultron, asset: str) -> dict[str, Any]:
    """What people look at: scores as a histogram, refusals by reason, tokens and cost of models."""
    made: dict[str, Any] = {}
    if asset == "quality_labels":
        made["scores_of_all"] = _histogram(opened)
    if asset == "extracted_memories":
        counts = [c for c in overview.drop_counts(opened.runtime) if c["stage"] == "extract"]
        rows = "\n".join(f"| {c['reason']} | {c['count']} |" for c in counts)
        made["refused_of_all"] = dg.MetadataValue.md(f"| reason | count |\n|---|---|\n{rows}")
    calls = overview.model_totals(opened.runtime, _MODEL_STAGES[asset])
    made |= {f"model_{name}": value for name, value in calls.items()}
    return made


def _histogram(opened: Ultron) -> dg.MarkdownMetadataValue:
    settings = opened.settings.labels
    png = histogram(
        overview.scores(opened.runtime),
        {"overall_score": settings.sft_score_threshold, "memory_score": settings.memory_score_threshold},
        "scores of all labelled segments",
    )
    return dg.MetadataValue.md(markdown_image(png, "score histogram"))


def stage_event(asset: str, report: PartitionReport) -> PartitionEvent:
    """One report of the core as an event of the asset."""
    metadata: dict[str, Any] = {name: int(report.counts.get(name, 0)) for name in _SHOWN[asset]}
    rows = "\n".join(f"| {name} | {count} |" for name, count in metadata.items())
    metadata["summary"] = dg.MetadataValue.md(f"| what | count |\n|---|---|\n{rows}")
    return PartitionEvent(report.partition_key, report.status, report.data_version, metadata, report.error)
