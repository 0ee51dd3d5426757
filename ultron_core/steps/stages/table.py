"""The stages after reading, in order, each with every name it goes by: assets, options, queries, versions.

Strings and numbers alone, so that the command line can read it without loading models. How a stage works on
its rows is in the module of the stage.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "FILES",
    "LABELS",
    "MEMORIES",
    "SEGMENTS",
    "STAGES",
    "WINDOWS",
    "Stage",
    "option_named",
    "stage_named",
]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage. `name` is its asset and its key in reports, `option` what the command line calls it."""

    name: str
    option: str
    #: under which its model calls are recorded, and its refusals stored in `drops`; empty for one that asks no model
    call: str
    #: named query of the rows that wait for it
    pending: str
    #: column of the `stats` queries that counts those rows, and of `versions` that says whether there are any
    backlog: str
    #: named query that records a failed model call on the row
    failed: str
    #: named query that marks its rows for reprocessing
    reprocess: str
    #: the asset that it works on
    after: str
    #: columns of the `versions` query that its data version is made of
    versions: tuple[str, ...]


#: the asset before all stages: logs that were read
FILES = "session_files"
SEGMENTS = Stage(
    name="segments",
    option="segments",
    call="segment",
    pending="to_segment",
    backlog="to_segment",
    failed="segment_failed",
    reprocess="reprocess_segment",
    after=FILES,
    versions=("fingerprints", "segmenters", "closed"),
)
LABELS = Stage(
    name="quality_labels",
    option="labels",
    call="label",
    pending="to_label",
    backlog="to_label",
    failed="label_failed",
    reprocess="reprocess_labels",
    after=SEGMENTS.name,
    versions=(*SEGMENTS.versions, "labelers"),
)
MEMORIES = Stage(
    name="extracted_memories",
    option="memories",
    call="extract",
    pending="to_extract",
    backlog="to_extract",
    failed="extract_failed",
    reprocess="reprocess_extract",
    after=LABELS.name,
    versions=(*LABELS.versions, "extractors"),
)
WINDOWS = Stage(
    name="message_windows",
    option="windows",
    call="",
    pending="to_window",
    backlog="to_window",
    failed="window_failed",
    reprocess="reprocess_windows",
    after=FILES,
    versions=("contents", "windows"),
)
#: memories come before the windows, which cost most and which only the search over the log needs
STAGES = (SEGMENTS, LABELS, MEMORIES, WINDOWS)


def stage_named(name: str) -> Stage:
    """The stage whose asset has this name."""
    return next(stage for stage in STAGES if stage.name == name)


def option_named(option: str) -> Stage | None:
    """The stage that the command line calls so."""
    return next((stage for stage in STAGES if stage.option == option), None)
