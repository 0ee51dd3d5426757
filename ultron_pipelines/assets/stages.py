"""What the partitioned stages after `session_files` share: the asset, its run over a range of keys, its events."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps import overview
from ultron_core.steps.stages.process import PartitionReport, run_stage
from ultron_core.steps.stages.reprocess import redo, redo_stale
from ultron_core.steps.stages.table import LABELS, MEMORIES, SEGMENTS, WINDOWS, Stage
from ultron_core.steps.stages.waiting.loop import Step
from ultron_pipelines.assets.events import PartitionEvent, fail_bad, log_partitions, shown_table
from ultron_pipelines.charts import histogram, markdown_image
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.triggers.asked import asked_for

__all__ = ["stage_asset", "stage_event"]

#: counts that an event shows, in order
_SHOWN: Mapping[Stage, tuple[str, ...]] = {
    SEGMENTS: ("segments", "open", "inserted", "kept", "removed", "archived"),
    LABELS: ("segments", "labeled", "newly_labeled"),
    MEMORIES: ("extracted", "refused", "memories", "drafts", "inserted", "merged", "dropped"),
    WINDOWS: ("windows", "embedded"),
}


def stage_asset(step: Step[Any], *, group: str, pool: str, about: str) -> dg.AssetsDefinition:
    """The asset of a stage: many files in one run, started when the data version of what it works on changes."""
    stage = step.stage

    @dg.asset(
        name=stage.name,
        deps=[stage.after],
        partitions_def=sessions_partitions,
        group_name=group,
        kinds={"python", "postgres"},
        pool=pool,
        output_required=False,
        description=about,
    )
    def asset(context: dg.AssetExecutionContext, ultron: UltronResource) -> Iterator[Any]:
        with ultron.open() as opened:
            keys = list(context.partition_keys)
            if asked_for(context):
                redo(opened.runtime, stage, keys)
            elif opened.settings.auto_reprocess:
                redo_stale(opened.runtime, stage, keys)
            events = _stage_events(opened, stage, keys)
        log_partitions(context, stage.name, events)
        fail_bad(context, events)
        yield from ()  # each partition is logged by itself: there is no output

    return asset


def _stage_events(opened: Ultron, stage: Stage, keys: Sequence[str]) -> list[PartitionEvent]:
    """Run the stage and report each partition; the last event carries the overview of all of them."""
    events = [stage_event(stage, report) for report in run_stage(opened.runtime, stage.name, keys)]
    done = [number for number, event in enumerate(events) if event.status == "done"]
    if done:
        last = events[done[-1]]
        events[done[-1]] = replace(last, metadata={**last.metadata, **_overview(opened, stage)})
    return events


def _overview(opened: Ultron, stage: Stage) -> dict[str, Any]:
    """What people look at: scores as a histogram, refusals by reason, tokens and cost of models."""
    shown: dict[str, Any] = {}
    if stage is LABELS:
        shown["scores_of_all"] = _histogram(opened)
    if stage is MEMORIES:
        counts = [c for c in overview.drop_counts(opened.runtime) if c["stage"] == stage.call]
        rows = [(c["reason"], c["count"]) for c in counts]
        shown["refused_of_all"] = shown_table(["reason", "count"], rows)
    calls = overview.model_totals(opened.runtime, stage.call) if stage.call else {}
    return shown | {f"model_{name}": value for name, value in calls.items()}


def _histogram(opened: Ultron) -> dg.MarkdownMetadataValue:
    settings = opened.settings.labels
    png = histogram(
        overview.scores(opened.runtime),
        {"overall_score": settings.sft_score_threshold, "memory_score": settings.memory_score_threshold},
        "scores of all labelled segments",
    )
    return dg.MetadataValue.md(markdown_image(png, "score histogram"))


def stage_event(stage: Stage, report: PartitionReport) -> PartitionEvent:
    """One report of the core as an event of the stage's asset."""
    metadata: dict[str, Any] = {name: int(report.counts.get(name, 0)) for name in _SHOWN[stage]}
    metadata["summary"] = shown_table(["what", "count"], metadata.items())
    return PartitionEvent(report.partition_key, report.status, report.standing, metadata, report.error)
