"""Invariants of the stored rows. Gates are code in the write path; these checks report, and block downstream."""

from collections.abc import Callable

import dagster as dg

from ultron_core.steps.audit import rows as audit
from ultron_core.steps.audit import samples
from ultron_core.steps.runtime import Runtime
from ultron_pipelines.assets.events import shown_table
from ultron_pipelines.resources import UltronResource

__all__ = ["CHECKS"]


def _check(
    asset: str, name: str, look: Callable[[Runtime], audit.Finding], about: str, *, blocking: bool = False
) -> dg.AssetChecksDefinition:
    """An asset check that reports one finding of the core.

    All of them run on one schedule: Dagster skips a check that is part of a run over partitions, and checking all
    rows after every new file would cost more than the file.
    """

    @dg.asset_check(
        asset=asset,
        name=name,
        blocking=blocking,
        description=about,
    )
    def check(ultron: UltronResource) -> dg.AssetCheckResult:
        with ultron.open() as opened:
            finding = look(opened.runtime)
        return dg.AssetCheckResult(
            passed=finding.count == 0,
            severity=dg.AssetCheckSeverity.ERROR if finding.blocking else dg.AssetCheckSeverity.WARN,
            description=finding.about,
            metadata={
                "checked": finding.checked,
                "violations": finding.count,
                "sample": shown_table(["sample"], [[line] for line in finding.sample]),
            },
        )

    return check


CHECKS = [
    _check(
        "session_files",
        "every_line_accounted",
        audit.lines_accounted,
        "Every physical line has exactly one fate.",
    ),
    _check(
        "session_files",
        "no_session_left_failed",
        audit.left_failed,
        "No file and no session is left in a failed state.",
    ),
    _check(
        "segments",
        "segments_tile_threads",
        audit.segments_tile,
        "Segments tile each thread: no gap, no overlap.",
        blocking=True,
    ),
    _check(
        "message_windows",
        "windows_in_log",
        audit.windows_in_log,
        "Every window lies within the log it was made of.",
    ),
    _check(
        "quality_labels",
        "scores_in_range",
        audit.scores_in_range,
        "All scores lie between 0 and 1.",
    ),
    _check(
        "quality_labels",
        "scores_steady",
        samples.score_drift,
        "The scores of the newest labels are distributed as those before them.",
    ),
    _check(
        "extracted_memories",
        "no_secret_stored",
        audit.no_secret_stored,
        "No stored memory, quote or topic holds a secret.",
        blocking=True,
    ),
    _check(
        "extracted_memories",
        "memories_have_sources",
        audit.memories_have_sources,
        "Every active memory has a source, and its quote is in the archived lines.",
    ),
    _check(
        "extracted_memories",
        "memories_pass_gate",
        samples.junk,
        "No stored memory is one that the gate of today would refuse.",
    ),
    _check(
        "extracted_memories",
        "memories_without_duplicates",
        samples.duplicates,
        "In a sample, at most one memory in fifty repeats another.",
    ),
    _check(
        "extracted_memories",
        "vector_index_complete",
        samples.index_recall,
        "The vector index finds what comparing all rows finds, for a sample.",
    ),
    _check(
        "extracted_memories",
        "memories_found_by_own_words",
        samples.found_by_own_words,
        "A sample of memories is found by their own summaries; nothing is written.",
    ),
    _check(
        "tier_assignments",
        "tiers_match_percentiles",
        audit.tier_shares,
        "HOT holds at most its share.",
    ),
    _check(
        "clusters",
        "clusters_have_members",
        audit.clusters_consistent,
        "Every cluster has active members, as many as its size says.",
    ),
    _check(
        "sft_dataset",
        "dataset_matches_manifest",
        audit.dataset_matches_manifest,
        "The newest dataset matches its manifest.",
        blocking=True,
    ),
    _check(
        "sft_training",
        "adapters_untainted",
        audit.adapters_untainted,
        "No adapter that was trained on rows erased since then still lies in its folder.",
    ),
]
