"""Rows -> a dataset folder: canonical Parquet, JSONL flavours, rejects, card, and the manifest last.

Everything is written to a temporary folder that is renamed at the end: a folder with a manifest is complete. Data files
are byte-reproducible: same rows, same bytes, same SHA-256. What varies (time, commit) is only in the manifest.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ultron_core.errors import ExportError
from ultron_core.folders import make_folders
from ultron_core.sft.build import Built, counts_by_reason
from ultron_core.sft.card import render_card, render_report
from ultron_core.sft.flavours import FLAVOURS, LLAMAFACTORY_DATASET_INFO
from ultron_core.sft.records import Row, canonical_json

__all__ = ["MANIFEST", "SCHEMA_VERSION", "SPLITS", "content_hash", "load_manifest", "write_dataset"]

MANIFEST = "manifest.json"
#: of the manifest; raised when a field changes its meaning (2: origin and trust of each row)
SCHEMA_VERSION = 2
SPLITS = ("train", "validation")
#: rows of one Parquet file
_ROWS_A_SHARD = 20_000
_HIDDEN = {"split", "agent_id", "session_id"}
_TYPES: dict[str, Any] = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}


def content_hash(rows: Sequence[Row]) -> str:
    """SHA-256 over the sorted content hashes with their splits: the identity of a dataset."""
    lines = sorted(f"{row.content_sha256} {row.split}" for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def write_dataset(target: Path, built: Built, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Write the folder `target` (which must not exist) and return its manifest.

    `manifest` holds what the caller knows (created_at, version, config, lineage); files, counts and hashes
    are added. Raises ExportError when the folder cannot be written.
    """
    try:
        make_folders(target.parent)
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            done = _write_all(work, built, manifest)
            work.replace(target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise ExportError(
            f"The dataset cannot be written to {target}: {error.strerror or error}. "
            "Check the folder's permissions and free space (ULTRON_EXPORTS_DIR)."
        ) from error
    return done


def _write_all(work: Path, built: Built, manifest: Mapping[str, Any]) -> dict[str, Any]:
    for split in SPLITS:
        rows = [row for row in built.rows if row.split == split]
        if rows or split == "train":
            _write_parquet(work / "data", split, rows)
            _write_flavours(work / "flavours", split, rows)
    info = {
        k: v
        for k, v in LLAMAFACTORY_DATASET_INFO.items()
        if (work / "flavours/llamafactory" / v["file_name"]).exists()
    }
    _write_text(work / "flavours/llamafactory/dataset_info.json", json.dumps(info, indent=2) + "\n")
    _write_rejects(work / "rejects.parquet", built)
    full = {
        "schema_version": SCHEMA_VERSION,
        **manifest,
        "content_hash": content_hash(built.rows),
        "rows": len(built.rows),
        "splits": {split: sum(row.split == split for row in built.rows) for split in SPLITS},
        "rejects": counts_by_reason(built.rejects),
        "task_types": dict(sorted(Counter(row.task_type for row in built.rows).items())),
        "tokens": _quantiles([row.num_tokens for row in built.rows]),
        "tools_inferred_rows": sum(row.tools_inferred for row in built.rows),
        "ids": [row.id for row in built.rows],
    }
    _write_text(work / "README.md", render_card(full))
    _write_text(work / "report.md", render_report(full))
    full["files"] = _file_list(work)
    _write_text(work / MANIFEST, json.dumps(full, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    return full


def _write_parquet(folder: Path, split: str, rows: Sequence[Row]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shards = [rows[i : i + _ROWS_A_SHARD] for i in range(0, len(rows), _ROWS_A_SHARD)] or [[]]
    for number, shard in enumerate(shards):
        name = f"{split}-{number:05d}-of-{len(shards):05d}.parquet"
        pq.write_table(_table(shard), folder / name, compression="zstd", store_schema=True)


def _table(rows: Sequence[Row]) -> pa.Table:
    columns: dict[str, Any] = {}
    for f in fields(Row):
        values = [getattr(row, f.name) for row in rows]
        if f.name in {"messages", "tools"}:
            # JSON items, not structs: structs would pad every row with the keys of all others
            columns[f.name] = _json_lists(values)
        elif f.name not in _HIDDEN:
            columns[f.name] = pa.array(values, type=_TYPES[str(f.type)])
    return pa.table(columns)


def _json_lists(values: Sequence[Sequence[Any]]) -> pa.Array:
    """list<arrow.json>: readers give back exactly the objects that were written."""
    offsets = [0, *itertools.accumulate(len(items) for items in values)]
    flat = pa.array([canonical_json(item) for items in values for item in items], type=pa.string())
    items = pa.ExtensionArray.from_storage(pa.json_(pa.string()), flat)
    return pa.ListArray.from_arrays(pa.array(offsets, type=pa.int32()), items)


def _write_flavours(folder: Path, split: str, rows: Sequence[Row]) -> None:
    for name, convert in FLAVOURS.items():
        _write_jsonl(folder / name / f"{split}.jsonl", (convert(row) for row in rows))


def _write_jsonl(path: Path, values: Iterable[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as handle:
        for value in values:
            handle.write(json.dumps(value, ensure_ascii=False) + "\n")


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_rejects(path: Path, built: Built) -> None:
    table = pa.table(
        {
            "segment_id": pa.array([r.segment_id for r in built.rejects], type=pa.string()),
            "reason": pa.array([r.reason for r in built.rejects], type=pa.string()),
            "detail": pa.array([r.detail for r in built.rejects], type=pa.string()),
            "quality_score": pa.array([r.quality_score for r in built.rejects], type=pa.float64()),
            "task_type": pa.array([r.task_type for r in built.rejects], type=pa.string()),
        }
    )
    pq.write_table(table, path, compression="zstd")


def _quantiles(values: Sequence[int]) -> dict[str, int]:
    if not values:
        return {}
    ordered = sorted(values)
    at = {"min": 0.0, "p50": 0.5, "p90": 0.9, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(q * len(ordered)))] for name, q in at.items()}


def _file_list(work: Path) -> dict[str, dict[str, Any]]:
    return {
        path.relative_to(work).as_posix(): {
            "bytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(work.rglob("*"))
        if path.is_file()
    }


def load_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a complete dataset. Raises ExportError when there is none."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ExportError(f"{folder} contains no complete dataset ({error}). Export it again.") from error
    return manifest
