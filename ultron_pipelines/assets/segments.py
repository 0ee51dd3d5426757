"""`segments`: Each session cut into tasks; re-ingest keeps the ids of what did not change."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from ultron_core.segments import SEGMENTER_VERSION
from ultron_pipelines.assets.events import finish_range
from ultron_pipelines.assets.stages import stage_events
from ultron_pipelines.automation import on_new_data_version
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource

__all__ = ["segments"]


@dg.asset(
    deps=["session_files"],
    partitions_def=sessions_partitions,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=50),
    automation_condition=on_new_data_version(),
    group_name="sessions",
    kinds={"python", "postgres"},
    pool="llm_segment",
    output_required=False,
    code_version=SEGMENTER_VERSION,
    description="Each session cut into tasks; re-ingest keeps the ids of what did not change.",
)
def segments(context: dg.AssetExecutionContext, ultron: UltronResource) -> Iterator[Any]:
    with ultron.open() as opened:
        events = stage_events(opened, "segments", list(context.partition_keys))
    yield from finish_range(context, "segments", events)
