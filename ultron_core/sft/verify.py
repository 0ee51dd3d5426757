"""Is a dataset folder still what its manifest says, and how does it differ from another version?"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ultron_core.errors import ExportError
from ultron_core.sft.write import MANIFEST, load_manifest

__all__ = ["DatasetDiff", "diff_datasets", "read_rows", "verify_dataset"]


def verify_dataset(folder: Path) -> list[str]:
    """All differences between the files and the manifest; empty when every byte and count is right."""
    try:
        manifest = load_manifest(folder)
    except ExportError as error:
        return [str(error)]
    problems = []
    listed = manifest["files"]
    for name, facts in listed.items():
        path = folder / name
        if not path.is_file():
            problems.append(f"{name} is missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != facts["sha256"]:
            problems.append(f"{name} does not match its hash in the manifest")
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    problems += [f"{name} is not in the manifest" for name in sorted(found - set(listed) - {MANIFEST})]
    if not problems:
        ids = sorted(row["id"] for row in read_rows(folder))
        if ids != sorted(manifest["ids"]):
            problems.append("the rows of the Parquet files are not the listed ids")
    return problems


def read_rows(folder: Path, split: str | None = None) -> list[dict[str, Any]]:
    """The canonical rows as plain values, `messages` and `tools` decoded, with their split."""
    rows: list[dict[str, Any]] = []
    for path in sorted((folder / "data").glob(f"{split or '*'}-*.parquet")):
        for row in pq.read_table(path).to_pylist():
            row["messages"] = [json.loads(item) for item in row["messages"]]
            row["tools"] = [json.loads(item) for item in row["tools"]]
            row["split"] = path.name.split("-", 1)[0]
            rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class DatasetDiff:
    """Row ids that were added, removed, changed or moved to the other split between two versions."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    moved_split: tuple[str, ...]


def diff_datasets(old: Path, new: Path) -> DatasetDiff:
    """Compare two dataset folders row by row. Raises ExportError if one is incomplete."""
    load_manifest(old)
    load_manifest(new)
    before = {row["id"]: row for row in read_rows(old)}
    after = {row["id"]: row for row in read_rows(new)}
    both = sorted(before.keys() & after.keys())
    return DatasetDiff(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(i for i in both if before[i]["content_sha256"] != after[i]["content_sha256"]),
        moved_split=tuple(i for i in both if before[i]["split"] != after[i]["split"]),
    )
