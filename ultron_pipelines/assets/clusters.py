"""`clusters`: groups of related memories, their topics, and which are ready to become skills."""

import dagster as dg

from ultron_core.steps.clusters import cluster_report
from ultron_pipelines.charts import markdown_image, memory_map
from ultron_pipelines.resources import UltronResource

__all__ = ["clusters"]

_SHOWN = 25


@dg.asset(
    deps=["extracted_memories"],
    group_name="memory",
    kinds={"python", "postgres", "scikitlearn"},
    description="Memories are put into clusters as they arrive; here unassigned ones are added and topics named.",
)
def clusters(ultron: UltronResource) -> dg.MaterializeResult[None]:
    with ultron.open() as opened:
        report = cluster_report(opened.context)
        ready = len(opened.clusters.get_clusters_ready_to_crystallize())
        again = len(opened.clusters.get_clusters_ready_to_recrystallize())
    rows = "\n".join(f"| {c.topic or '-'} | {len(c.memory_ids)} |" for c in report.clusters[:_SHOWN])
    return dg.MaterializeResult(
        metadata={
            "clusters": len(report.clusters),
            "memories": report.memories,
            "newly_assigned": report.newly_assigned,
            "ready_to_crystallize": ready,
            "ready_to_recrystallize": again,
            "largest": dg.MetadataValue.md(f"| topic | memories |\n|---|---|\n{rows}"),
            "map": dg.MetadataValue.md(
                markdown_image(memory_map(report.vectors, report.labels), "memories in two dimensions")
            ),
        }
    )
