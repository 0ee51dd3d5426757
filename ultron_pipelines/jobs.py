"""Jobs: read files in batches, process pending work, rebalance, export, check."""

from collections.abc import Collection
from typing import Any

import dagster as dg
from pydantic import Field

from ultron_core.client import Ultron
from ultron_core.display import one_line
from ultron_core.steps.files.drop_folder import files_of_partitions, mark_reported, unreported
from ultron_core.steps.stages.process import process_and_report
from ultron_core.steps.stages.standing import Standing, standings
from ultron_core.steps.stages.table import STAGES
from ultron_core.steps.stages.waiting.leases import telling
from ultron_pipelines.assets.events import PartitionEvent, fail_bad, log_partitions, plan_failed
from ultron_pipelines.assets.sessions import ASSET, data_versions, ingest_partitions
from ultron_pipelines.assets.stages import tell_stage
from ultron_pipelines.partitions import add_partitions
from ultron_pipelines.reconcile import reconcile
from ultron_pipelines.reembed import reembed_job
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.told import not_told
from ultron_pipelines.triggers.queue import keys_being_read
from ultron_pipelines.triggers.suspects import TOLD

__all__ = ["JOBS", "ingest_sessions", "pending_work", "session_files_job"]


class IngestConfig(dg.Config):
    """Which files to read."""

    keys: list[str] = Field(default=[], description="Partition keys of new or changed files.")


@dg.op(
    description="Reads files and records one event each; a partitioned run could only cover a range of keys."
)
def read_session_files(context: dg.OpExecutionContext, config: IngestConfig, ultron: UltronResource) -> None:
    with ultron.open() as opened:
        events = ingest_partitions(opened, files_of_partitions(opened.runtime, config.keys), config.keys)
        with telling(opened.runtime, ASSET):
            log_partitions(context, ASSET, events)
            mark_reported(opened.runtime, data_versions(event.standing for event in events))
            _tell_library(context, opened, {event.key for event in events})
        plan_failed(context.instance, context.run, ASSET, (e.key for e in events if e.status == "failed"))
    context.instance.add_run_tags(context.run_id, {TOLD: "true"})
    fail_bad(context, events)


def _tell_library(context: dg.OpExecutionContext, opened: Ultron, known: Collection[str]) -> None:
    """What a library call ingested, but for what this run has read or another reads, and tells, at this moment."""
    stored = unreported(opened.runtime)
    held = {*known, *keys_being_read(context.instance)}
    waiting = {s.partition_key: s.status for s in stored if s.partition_key not in held}
    add_partitions(context.instance, list(waiting))
    standing = standings(opened.runtime, ASSET, list(waiting))
    new = not_told(context.instance, ASSET, standing, of_these=True)
    told = [(one, waiting[one.partition_key]) for one in new]
    log_partitions(context, ASSET, (_library_event(one, how) for one, how in told if how != "failed"))
    mark_reported(opened.runtime, data_versions(standing))


def _library_event(standing: Standing, status: str) -> PartitionEvent:
    return PartitionEvent(standing.partition_key, "done", standing, {"status": status})


@dg.op(
    description="All stages on what waits: quiet logs, library ingests, work for which the model was unavailable."
)
def process_pending_work(context: dg.OpExecutionContext, ultron: UltronResource) -> None:
    with ultron.open() as opened:
        report, partitions = process_and_report(opened.runtime)
        add_partitions(context.instance, report.partition_keys)
        for stage, reports in partitions.items():
            tell_stage(context, opened, stage, reports)
        told = reconcile(context, opened)
    context.log.info(
        f"{report.new_segments} new segments, {report.labeled} labels, {report.memories} memories; "
        f"{report.pending} pending, {report.failed} failed; {told} events that were missing"
    )
    if report.failed:
        raise dg.Failure(
            f"{report.failed} row(s) failed: {one_line('; '.join(report.errors[:5]))}", allow_retries=False
        )


@dg.job(description="Reads new and changed files of the drop folder in one batch.")
def ingest_sessions() -> None:
    read_session_files()


@dg.job(description="Processes pending work of all partitions.")
def pending_work() -> None:
    process_pending_work()


@dg.op(description="Records what is done in the store and was not told to Dagster.")
def compare_events(context: dg.OpExecutionContext, ultron: UltronResource) -> None:
    with ultron.open() as opened:
        context.log.info(f"{reconcile(context, opened)} events were missing")


@dg.job(description="Store and events agree: what a killed run did and did not tell is told.")
def reconcile_events() -> None:
    compare_events()


def _alone(*assets: str) -> dg.AssetSelection:
    """The assets without their checks, which cover all rows and run on their own schedule."""
    return dg.AssetSelection.assets(*assets).without_checks()


session_files_job = dg.define_asset_job("session_files_job", selection=_alone(ASSET))

JOBS: list[Any] = [
    ingest_sessions,
    pending_work,
    reconcile_events,
    session_files_job,
    reembed_job,
    *(dg.define_asset_job(f"{stage.name}_job", selection=_alone(stage.name)) for stage in STAGES),
    dg.define_asset_job(
        "rebalance_job",
        selection=_alone("tier_assignments", "clusters"),
        description="Tiers, clusters and topics.",
    ),
    dg.define_asset_job(
        "sft_export_job", selection=_alone("sft_dataset"), description="Exports the training set."
    ),
    dg.define_asset_job(
        "sft_training_job", selection=_alone("sft_training"), description="Trains on what is new in it."
    ),
    dg.define_asset_job(
        "checks_job",
        selection=dg.AssetSelection.all_asset_checks() | dg.AssetSelection.assets("pipeline_summary"),
        description="All checks of the stored rows, then the summary that tells what they found.",
    ),
]
