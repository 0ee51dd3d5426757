"""What the partitioned stages after `session_files` share: the asset, its run over a range of keys, its events."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps.stages.process import PartitionReport, run_stage
from ultron_core.steps.stages.reprocess import redo, redo_stale
from ultron_core.steps.stages.table import LABELS, MEMORIES, SEGMENTS, WINDOWS, Stage
from ultron_core.steps.stages.waiting.leases import telling
from ultron_core.steps.stages.waiting.loop import Step
from ultron_pipelines.assets.events import PartitionEvent, fail_bad, log_partitions
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.told import not_told
from ultron_pipelines.triggers.asked import asked_for

__all__ = ["stage_asset", "tell_stage"]

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
            keys, again = list(context.partition_keys), asked_for(context)
            if again:
                redo(opened.runtime, stage, keys)
            elif opened.settings.auto_reprocess:
                again = redo_stale(opened.runtime, stage, keys) > 0
            reports = run_stage(opened.runtime, stage.name, keys)
            events = tell_stage(context, opened, stage, reports, again=again)
        fail_bad(context, events)
        yield from ()  # each partition is logged by itself: there is no output

    return asset


def tell_stage(
    context: dg.OpExecutionContext | dg.AssetExecutionContext,
    opened: Ultron,
    stage: Stage,
    reports: Sequence[PartitionReport],
    *,
    again: bool = False,
) -> list[PartitionEvent]:
    """Tell Dagster of these partitions and return all of their events. Two runs can hold the same ones, of which one
    finds the work done: what the other has told by then is not told twice, unless it was to be done `again`."""
    events = [_stage_event(stage, report) for report in reports]
    if again:
        log_partitions(context, stage.name, events)
        return events
    stored = [report.standing for report in reports if report.standing is not None]
    with telling(opened.runtime, stage.name):
        new = {one.partition_key for one in not_told(context.instance, stage.name, stored, of_these=True)}
        log_partitions(context, stage.name, (e for e in events if e.status == "failed" or e.key in new))
    return events


def _stage_event(stage: Stage, report: PartitionReport) -> PartitionEvent:
    """One report of the core as an event of the stage's asset."""
    metadata = {name: int(report.counts.get(name, 0)) for name in _SHOWN[stage]}
    return PartitionEvent(report.partition_key, report.status, report.standing, metadata, report.error)
