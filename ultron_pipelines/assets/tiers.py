"""`tier_assignments`: HOT, WARM and COLD by hits; COLD memories that are too old are archived."""

from dataclasses import asdict

import dagster as dg

from ultron_pipelines.resources import UltronResource

__all__ = ["tier_assignments"]


@dg.asset(
    deps=["extracted_memories"],
    group_name="memory",
    kinds={"python", "postgres"},
    description="The tier of every active memory, reassigned by percentile of hits; only changed rows are written.",
)
def tier_assignments(ultron: UltronResource) -> dg.MaterializeResult[None]:
    with ultron.open() as opened:
        report = asdict(opened.run_tier_rebalance())
        stats = opened.get_memory_stats()
    tiers = "\n".join(f"| {tier} | {count} |" for tier, count in sorted(stats["by_tier"].items()))
    types = "\n".join(f"| {kind} | {count} |" for kind, count in sorted(stats["by_type"].items()))
    return dg.MaterializeResult(
        metadata={
            **{name: value for name, value in report.items() if isinstance(value, int)},
            "by_tier": dg.MetadataValue.md(f"| tier | memories |\n|---|---|\n{tiers}"),
            "by_type": dg.MetadataValue.md(f"| type | memories |\n|---|---|\n{types}"),
        }
    )
