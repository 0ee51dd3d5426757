"""`quality_labels`: What each finished task is worth: outcome, scores for training and for memory, evidence lines."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from ultron_core.labels import LABELER_VERSION
from ultron_pipelines.assets.events import finish_range
from ultron_pipelines.assets.stages import stage_events
from ultron_pipelines.automation import on_new_data_version
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource

__all__ = ["quality_labels"]


@dg.asset(
    deps=["segments"],
    partitions_def=sessions_partitions,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=50),
    automation_condition=on_new_data_version(),
    group_name="quality",
    kinds={"python", "postgres"},
    pool="llm_quality",
    output_required=False,
    code_version=LABELER_VERSION,
    description="What each finished task is worth: outcome, scores for training and for memory, evidence lines.",
)
def quality_labels(context: dg.AssetExecutionContext, ultron: UltronResource) -> Iterator[Any]:
    with ultron.open() as opened:
        events = stage_events(opened, "quality_labels", list(context.partition_keys))
    yield from finish_range(context, "quality_labels", events)
