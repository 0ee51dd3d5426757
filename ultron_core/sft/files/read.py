"""A dataset folder read back: its manifest, and its rows one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ultron_core.errors import ExportError

__all__ = [
    "JSON_COLUMNS",
    "MANIFEST",
    "SPLITS",
    "load_manifest",
    "read_batches",
    "read_rejects",
    "read_rows",
    "read_split",
    "rows_of",
]

MANIFEST = "manifest.json"
SPLITS = ("train", "validation")
#: columns of JSON objects, in datasets of any kind
JSON_COLUMNS = frozenset({"messages", "prompt", "chosen", "rejected", "completion", "tools"})
#: rows in memory
_ROWS_AT_ONCE = 256


def load_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a complete dataset. Raises ExportError when there is none."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ExportError(f"{folder} contains no complete dataset ({error}). Export it again.") from error
    return manifest


def read_split(folder: Path, split: str) -> Iterator[dict[str, Any]]:
    """The canonical rows of one split in file order, lists of JSON decoded; memory stays flat."""
    for batch in read_batches(folder, split):
        yield from rows_of(batch, split)


def read_batches(folder: Path, split: str) -> Iterator[Any]:
    """The same rows as they lie in the files, a `pyarrow.RecordBatch` at a time: another process may decode them."""
    import pyarrow.parquet as pq  # 40 MB that a process without files to read need not hold

    for path in sorted((folder / "data").glob(f"{split}-*.parquet")):
        yield from pq.ParquetFile(path).iter_batches(batch_size=_ROWS_AT_ONCE)


def rows_of(batch: Any, split: str) -> Iterator[dict[str, Any]]:
    """The rows of a batch, lists of JSON decoded."""
    for row in batch.to_pylist():
        for name in JSON_COLUMNS & row.keys():
            row[name] = [json.loads(item) for item in row[name]]
        row["split"] = split
        yield row


def read_rows(folder: Path, split: str | None = None) -> list[dict[str, Any]]:
    """All rows of a split, or of the whole dataset."""
    return [row for name in ([split] if split else SPLITS) for row in read_split(folder, name)]


def read_rejects(folder: Path) -> list[dict[str, Any]]:
    """What was left out, with its reason."""
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = pq.read_table(folder / "rejects.parquet").to_pylist()
    return rows
