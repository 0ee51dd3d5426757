"""`extracted_memories`: gated, redacted, deduplicated, each tied to file, lines and words."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from ultron_core.memories import EXTRACTOR_VERSION
from ultron_pipelines.assets.events import finish_range
from ultron_pipelines.assets.stages import stage_events
from ultron_pipelines.automation import on_new_data_version
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource

__all__ = ["extracted_memories"]


@dg.asset(
    deps=["quality_labels"],
    partitions_def=sessions_partitions,
    backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=50),
    automation_condition=on_new_data_version(),
    group_name="memory",
    kinds={"python", "postgres"},
    pool="llm_extract",
    output_required=False,
    code_version=EXTRACTOR_VERSION,
    description="Memories of eligible tasks: gated, redacted, deduplicated, each tied to file, lines and words.",
)
def extracted_memories(context: dg.AssetExecutionContext, ultron: UltronResource) -> Iterator[Any]:
    with ultron.open() as opened:
        events = stage_events(opened, "extracted_memories", list(context.partition_keys))
    yield from finish_range(context, "extracted_memories", events)
