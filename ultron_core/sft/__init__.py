"""Labelled segments -> a dataset that trainers accept without edits, reproducible and traceable to the line."""

from ultron_core.sft.build import BuildConfig, Built, build_rows, counts_by_reason
from ultron_core.sft.decontaminate import EvalIndex, build_index
from ultron_core.sft.normalize import normalize_messages
from ultron_core.sft.records import Candidate, Reject, Row
from ultron_core.sft.validate import validate_rows
from ultron_core.sft.verify import DatasetDiff, diff_datasets, read_rows, verify_dataset
from ultron_core.sft.write import content_hash, load_manifest, write_dataset

__all__ = [
    "BuildConfig",
    "Built",
    "Candidate",
    "DatasetDiff",
    "EvalIndex",
    "Reject",
    "Row",
    "build_index",
    "build_rows",
    "content_hash",
    "counts_by_reason",
    "diff_datasets",
    "load_manifest",
    "normalize_messages",
    "read_rows",
    "validate_rows",
    "verify_dataset",
    "write_dataset",
]
