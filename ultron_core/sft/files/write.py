"""Rows -> a dataset folder: canonical Parquet, JSONL flavours, rejects, card, and the manifest last.

Everything is written to a temporary folder that is checked and then renamed: a folder with a manifest is complete. Data
files are byte-reproducible: same rows, same bytes, same SHA-256. What varies (time, commit) is only in the manifest.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import shutil
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ultron_core.errors import ExportError
from ultron_core.folders import make_folders
from ultron_core.sft.build import Built, counts_by_reason
from ultron_core.sft.files.card import render_card, render_report
from ultron_core.sft.files.flavours import FLAVOURS, FLAVOURS_OF, LLAMAFACTORY_DATASET_INFO
from ultron_core.sft.files.plots import bars, score_bins, token_bins
from ultron_core.sft.files.read import MANIFEST, SPLITS
from ultron_core.sft.kinds.records import Outcome, Pair
from ultron_core.sft.records import EVIDENCE, HIDDEN, Row, canonical_json, is_json_list, row_sha256
from ultron_core.sft.rules.files import hash_of

__all__ = ["SCHEMA_VERSION", "content_hash", "write_dataset"]

#: of the manifest; raised when a field changes its meaning (3: evidence, repairs, identity over all columns)
SCHEMA_VERSION = 3
#: rows of one Parquet file
_ROWS_A_SHARD = 20_000
#: rows of one Parquet row group: fixed, so that equal rows give equal bytes
_ROWS_A_GROUP = 256
_TYPES: dict[str, Any] = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
_RECORDS: dict[str, Any] = {"sft": Row, "preference": Pair, "outcome": Outcome}
Check = Callable[[Path], Sequence[str]]


def content_hash(rows: Sequence[Any]) -> str:
    """SHA-256 over everything that is written of the rows: the identity of a dataset."""
    hashes = bytearray()
    for row in rows:
        hashes += row_sha256(row).encode()
    return _identity(hashes)


def _identity(hashes: bytearray) -> str:
    """SHA-256 of the hashes, sorted and one a line. As texts they take twice the memory, and it once more in one."""
    ordered = np.sort(np.frombuffer(hashes, "S64"))
    identity = hashlib.sha256()
    for start in range(0, len(ordered), _ROWS_A_SHARD):
        lines = b"\n".join(ordered[start : start + _ROWS_A_SHARD].tolist())
        identity.update(b"\n" + lines if start else lines)
    return identity.hexdigest()


def write_dataset(
    target: Path,
    built: Built,
    manifest: Mapping[str, Any],
    *,
    flavours: Sequence[str] = tuple(FLAVOURS),
    check: Check | None = None,
) -> dict[str, Any]:
    """Write the folder `target` (which must not exist) and return its manifest.

    `manifest` holds what the caller knows (created_at, version, config, lineage); files, counts and hashes are
    added. `check` looks at the folder before it gets its name. Raises ExportError when the folder cannot be written
    or the check finds something.
    """
    try:
        make_folders(target.parent)
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            done = _write_all(work, built, manifest, flavours)
            if check and (problems := check(work)):
                raise ExportError(
                    f"{len(problems)} violation(s), nothing was published. First: {problems[0]}"
                )
            work.replace(target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise ExportError(
            f"The dataset cannot be written to {target}: {error.strerror or error}. "
            "Check the folder's permissions and free space (ULTRON_EXPORTS_DIR)."
        ) from error
    return done


class _Counts:
    """What the manifest says about the rows, gathered while they are written."""

    def __init__(self) -> None:
        self.hashes = bytearray()
        self.ids: list[str] = []
        self.segments: set[str] = set()
        self.tokens = array("q")
        self.scores = array("d")
        self.by: dict[str, Counter[str]] = {
            kind: Counter() for kind in ("task_type", "evidence", "split", "harness")
        }
        self.repairs: Counter[str] = Counter()
        self.rows_with: Counter[str] = Counter()
        self.chances = array("d")

    def add(self, row: Any) -> None:
        self.hashes += row_sha256(row).encode()
        self.ids.append(row.id)
        self.by["task_type"][row.task_type] += 1
        self.by["split"][row.split] += 1
        self.by["harness"][row.source_harness] += 1
        for run in row.sides:
            self._add_run(run)

    def _add_run(self, row: Row) -> None:
        # a whole segment's id is in the list as well: one text for both
        self.segments.add(row.id.partition(":")[0] if ":" in row.id else row.id)
        self.tokens.append(row.num_tokens)
        self.scores.append(row.quality_score)
        self.by["evidence"][row.evidence] += 1
        if row.evidence != "unknown" and row.succeeded is not False:
            self.chances.append(row.success_probability)
        self.repairs.update(json.loads(row.repairs))
        self.rows_with.update(
            tools_inferred=row.tools_inferred,
            ends_with_call=row.ends_with_call,
            parallel_calls=row.max_parallel_calls > 1,
            text_beside_calls=any("tool_calls" in m and m["content"] for m in row.messages),
            masked_turns=any("loss" in message for message in row.messages),
            reasoning=row.has_reasoning,
        )

    def facts(self) -> dict[str, Any]:
        return {
            "content_hash": _identity(self.hashes),
            "rows": len(self.ids),
            "segments": len(self.segments),
            "splits": {split: self.by["split"][split] for split in SPLITS},
            "task_types": dict(sorted(self.by["task_type"].items())),
            "evidence": {kind: self.by["evidence"][kind] for kind in EVIDENCE},
            "expected_precision": _expected(self.chances),
            "harnesses": dict(sorted(self.by["harness"].items())),
            "repairs": dict(sorted(self.repairs.items())),
            "rows_with": {kind: count for kind, count in sorted(self.rows_with.items()) if count},
            "tokens": _quantiles(self.tokens),
            "ids": self.ids,
        }


def _expected(chances: Sequence[float]) -> dict[str, float] | None:
    """What share of the rows with a known or likely end is expected to be right, with its 90 % interval."""
    if not chances:
        return None
    count, value = len(chances), sum(chances) / len(chances)
    # each row is a draw of its own: 1.645 standard deviations of the share of right ones
    spread = 1.645 * math.sqrt(sum(p * (1 - p) for p in chances)) / count
    return {
        "rows": count,
        "value": round(value, 4),
        "low": round(max(0.0, value - spread), 4),
        "high": round(min(1.0, value + spread), 4),
    }


def _write_all(
    work: Path, built: Built, manifest: Mapping[str, Any], flavours: Sequence[str]
) -> dict[str, Any]:
    counts = _Counts()
    kind = manifest.get("kind", "sft")
    flavours = [name for name in flavours if name in FLAVOURS_OF[kind]]
    sizes = Counter(row.split for row in built.rows)
    for split in SPLITS:
        if sizes[split] or split == "train":
            rows = (row for row in built.rows if row.split == split)
            _write_split(work, kind, split, sizes[split], rows, flavours, counts)
    if "llamafactory" in flavours:
        info = {k: v for k, v in LLAMAFACTORY_DATASET_INFO.items() if sizes[k.removeprefix("ultron_")]}
        _write_text(work / "flavours/llamafactory/dataset_info.json", json.dumps(info, indent=2) + "\n")
    _write_rejects(work / "rejects.parquet", built)
    counts.ids.sort()
    full = {
        "schema_version": SCHEMA_VERSION,
        "kind": kind,
        **manifest,
        **counts.facts(),
        "considered": built.considered,
        "rejects": counts_by_reason(built.rejects),
        "flavours": list(flavours),
    }
    for name, title, numbers in (
        ("tokens", "Runs by tokens", token_bins(counts.tokens)),
        ("scores", "Runs by quality score", score_bins(counts.scores)),
        ("rejects", "Segments left out, by reason", full["rejects"]),
    ):
        _write_text(work / "plots" / f"{name}.svg", bars(title, numbers))
    _write_text(work / "README.md", render_card(full))
    _write_text(work / "report.md", render_report(full))
    full["files"] = _file_list(work)
    _write_text(work / MANIFEST, json.dumps(full, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    return full


def _write_split(
    work: Path,
    kind: str,
    split: str,
    size: int,
    rows: Iterator[Any],
    flavours: Sequence[str],
    counts: _Counts,
) -> None:
    """One pass over the rows of a split, into its Parquet shards and every flavour."""
    (work / "data").mkdir(exist_ok=True)
    shards = max(1, -(-size // _ROWS_A_SHARD))
    with ExitStack() as stack:
        handles = []
        for name in flavours:
            path = work / "flavours" / name / f"{split}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            handles.append(
                (FLAVOURS_OF[kind][name], stack.enter_context(path.open("w", encoding="utf-8", newline="\n")))
            )
        for number in range(shards):
            shard = itertools.islice(rows, _ROWS_A_SHARD)
            path = work / "data" / f"{split}-{number:05d}-of-{shards:05d}.parquet"
            with pq.ParquetWriter(path, _table(kind, []).schema, compression="zstd") as writer:
                while group := list(itertools.islice(shard, _ROWS_A_GROUP)):
                    writer.write_table(_table(kind, group))
                    for row in group:
                        counts.add(row)
                        for convert, handle in handles:
                            handle.write(json.dumps(convert(row), ensure_ascii=False) + "\n")


def _table(kind: str, rows: Sequence[Any]) -> pa.Table:
    columns: dict[str, Any] = {}
    for f in fields(_RECORDS[kind]):
        if f.name in HIDDEN:
            continue
        values = [getattr(row, f.name) for row in rows]
        if is_json_list(f.type):
            # JSON items, not structs: structs would pad every row with the keys of all others
            columns[f.name] = _json_lists(values)
        else:
            columns[f.name] = pa.array(values, type=_TYPES.get(str(f.type), pa.string()))
    return pa.table(columns)


def _json_lists(values: Sequence[Sequence[Any]]) -> pa.Array:
    """list<arrow.json>: readers give back exactly the objects that were written."""
    offsets = [0, *itertools.accumulate(len(items) for items in values)]
    flat = pa.array([canonical_json(item) for items in values for item in items], type=pa.string())
    items = pa.ExtensionArray.from_storage(pa.json_(pa.string()), flat)
    return pa.ListArray.from_arrays(pa.array(offsets, type=pa.int32()), items)


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_rejects(path: Path, built: Built) -> None:
    names = ("segment_id", "reason", "detail", "quality_score", "task_type")
    columns = {
        name: pa.array(
            [getattr(reject, name) for reject in built.rejects],
            type=pa.float64() if name == "quality_score" else pa.string(),
        )
        for name in names
    }
    pq.write_table(pa.table(columns), path, compression="zstd")


def _quantiles(values: Sequence[int]) -> dict[str, int]:
    if not values:
        return {}
    ordered = sorted(values)
    at = {"min": 0.0, "p50": 0.5, "p90": 0.9, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(q * len(ordered)))] for name, q in at.items()}


def _file_list(work: Path) -> dict[str, dict[str, Any]]:
    """Bytes, hash and rows (of files that hold some) of each file."""
    listed: dict[str, dict[str, Any]] = {}
    for path in sorted(work.rglob("*")):
        if path.is_file():
            name = path.relative_to(work).as_posix()
            listed[name] = {"bytes": path.stat().st_size, "sha256": hash_of(path)}
            if path.suffix == ".parquet":
                listed[name]["rows"] = pq.ParquetFile(path).metadata.num_rows
            elif path.suffix == ".jsonl":
                with path.open("rb") as lines:
                    listed[name]["rows"] = sum(1 for _ in lines)
    return listed
