"""`tier_assignments`: HOT, WARM and COLD by hits; COLD memories that are too old are archived."""

from dataclasses import asdict

import dagster as dg

from ultron_pipelines.assets.events import shown_table
from ultron_pipelines.resources import UltronResource

__all__ = ["tier_assignments"]


@dg.asset(
    deps=["extracted_memories"],
    group_name="memory",
    kinds={"python", "postgres"},
    description="The tier of every active memory, reassigned by percentile of hits; only changed rows are written. "
    "What people said of memories is learned beside it.",
)
def tier_assignments(ultron: UltronResource) -> dg.MaterializeResult[None]:
    with ultron.open() as opened:
        report = asdict(opened.run_tier_rebalance())
        taste = opened.refit_taste()
        stats = opened.get_memory_stats()
    return dg.MaterializeResult(
        metadata={
            **{name: value for name, value in report.items() if isinstance(value, int)},
            "verdicts": taste.verdicts,
            "taste": taste.reason or f"learned: log loss falls by {taste.gain:.3f}",
            "by_tier": shown_table(["tier", "memories"], sorted(stats["by_tier"].items())),
            "by_type": shown_table(["type", "memories"], sorted(stats["by_type"].items())),
        }
    )
