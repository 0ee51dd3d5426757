"""`clusters`: groups of related memories, their topics, and which are ready to become skills."""

import dagster as dg

from ultron_core.steps.clusters.read import cluster_report
from ultron_pipelines.assets.events import shown_table
from ultron_pipelines.charts import markdown_image, memory_map
from ultron_pipelines.resources import UltronResource

__all__ = ["clusters"]

_SHOWN = 25


@dg.asset(
    deps=["extracted_memories"],
    group_name="memory",
    kinds={"python", "postgres", "scikitlearn"},
    description="Memories join clusters as they arrive; this asset merges and splits clusters and names their topics.",
)
def clusters(ultron: UltronResource) -> dg.MaterializeResult[None]:
    with ultron.open() as opened:
        report = cluster_report(opened.runtime)
        changes = opened.clusters.get_changes(limit=_SHOWN)
        ready = len(opened.clusters.get_clusters_ready_to_crystallize())
        again = len(opened.clusters.get_clusters_ready_to_recrystallize())
    largest = [(c.topic, len(c.memory_ids)) for c in report.clusters[:_SHOWN]]
    history = [(f"{c.created_at:%Y-%m-%d %H:%M}", c.kind, c.topic, c.other_size, c.reason) for c in changes]
    return dg.MaterializeResult(
        metadata={
            "clusters": len(report.clusters),
            "memories": report.memories,
            "newly_assigned": report.newly_assigned,
            "merged": report.merged,
            "split": report.split,
            "ready_to_crystallize": ready,
            "ready_to_recrystallize": again,
            "largest": shown_table(["topic", "memories"], largest),
            "changes": shown_table(["when", "what", "topic", "moved", "why"], history),
            "map": dg.MetadataValue.md(
                markdown_image(
                    memory_map(report.vectors, report.labels, report.memories), "memories in two dimensions"
                )
            ),
        }
    )
