"""What must hold of the stored rows. Gates are code in the write path; these report, and block downstream."""

import dagster as dg

from ultron_core.steps import audit
from ultron_pipelines.resources import UltronResource

__all__ = ["CHECKS"]


def _result(finding: audit.Finding) -> dg.AssetCheckResult:
    sample = "\n".join(f"- {line}" for line in finding.sample) or "none"
    return dg.AssetCheckResult(
        passed=finding.count == 0,
        severity=dg.AssetCheckSeverity.ERROR if finding.blocking else dg.AssetCheckSeverity.WARN,
        description=finding.about,
        metadata={
            "checked": finding.checked,
            "violations": finding.count,
            "sample": dg.MetadataValue.md(sample),
        },
    )


@dg.asset_check(asset="session_files", description="Every physical line has exactly one fate.")
def every_line_accounted(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.lines_accounted(opened.context))


@dg.asset_check(asset="session_files", description="No file and no session is left failed.")
def no_session_left_failed(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.left_failed(opened.context))


@dg.asset_check(asset="segments", blocking=True, description="Segments tile each thread: no gap, no overlap.")
def segments_tile_threads(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.segments_tile(opened.context))


@dg.asset_check(asset="quality_labels", description="All scores lie between 0 and 1.")
def scores_in_range(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.scores_in_range(opened.context))


@dg.asset_check(
    asset="extracted_memories", blocking=True, description="No stored memory, quote or topic holds a secret."
)
def no_secret_stored(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.no_secret_stored(opened.context))


@dg.asset_check(
    asset="extracted_memories",
    description="Every active memory has a source, and its quote is in the archived lines.",
)
def memories_have_sources(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.memories_have_sources(opened.context))


@dg.asset_check(asset="tier_assignments", description="HOT and WARM hold no more than their share.")
def tiers_match_percentiles(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.tier_shares(opened.context))


@dg.asset_check(asset="clusters", description="Every cluster has active members and a finite centroid.")
def clusters_have_members(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.clusters_consistent(opened.context))


@dg.asset_check(asset="sft_dataset", blocking=True, description="The newest dataset matches its manifest.")
def dataset_matches_manifest(ultron: UltronResource) -> dg.AssetCheckResult:
    with ultron.open() as opened:
        return _result(audit.dataset_matches_manifest(opened.context))


CHECKS = [
    every_line_accounted,
    no_session_left_failed,
    segments_tile_threads,
    scores_in_range,
    no_secret_stored,
    memories_have_sources,
    tiers_match_percentiles,
    clusters_have_members,
    dataset_matches_manifest,
]
