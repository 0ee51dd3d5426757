"""Labelled segments -> a dataset that trainers accept without edits, reproducible and traceable to the line."""

from typing import TYPE_CHECKING

from ultron_core.late import late
from ultron_core.sft.build import Built, build_rows, counts_by_reason
from ultron_core.sft.clean import Tools
from ultron_core.sft.config import BuildConfig, Caps
from ultron_core.sft.curate.decontaminate import EvalIndex, build_index, read_folder
from ultron_core.sft.files.diff import Change, DatasetDiff, diff_datasets
from ultron_core.sft.files.read import load_manifest, read_rejects, read_rows
from ultron_core.sft.records import Candidate, Evidence, Reject, Row
from ultron_core.sft.rules.dataset import Checks, dataset_problems
from ultron_core.sft.shape.normalize import normalize_messages
from ultron_core.sft.verify import verify_dataset
from ultron_core.sft.workers import Workers

if TYPE_CHECKING:
    from ultron_core.sft.files.write import content_hash, write_dataset

__all__ = [
    "BuildConfig",
    "Built",
    "Candidate",
    "Caps",
    "Change",
    "Checks",
    "DatasetDiff",
    "EvalIndex",
    "Evidence",
    "Reject",
    "Row",
    "Tools",
    "Workers",
    "build_index",
    "build_rows",
    "content_hash",
    "counts_by_reason",
    "dataset_problems",
    "diff_datasets",
    "load_manifest",
    "normalize_messages",
    "read_folder",
    "read_rejects",
    "read_rows",
    "verify_dataset",
    "write_dataset",
]

# pyarrow, 40 MB: the processes that clean rows write no file
__getattr__ = late(__name__, {"content_hash": "files.write", "write_dataset": "files.write"})
