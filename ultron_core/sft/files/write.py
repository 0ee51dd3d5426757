"""Rows -> a dataset folder: canonical Parquet, JSONL flavours, rejects, card, and the manifest last.

Everything is written to a temporary folder that is checked and then renamed: a folder with a manifest is complete. Data
files are byte-reproducible: same rows, same bytes, same SHA-256. What varies (time, commit) is only in the manifest.
"""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ultron_core.errors import ExportError
from ultron_core.folders import make_folders
from ultron_core.sft.build import Built, counts_by_reason
from ultron_core.sft.files.card import render_card, render_report
from ultron_core.sft.files.flavours import FLAVOURS, FLAVOURS_OF, LLAMAFACTORY_DATASET_INFO
from ultron_core.sft.files.plots import bars, score_bins, token_bins
from ultron_core.sft.files.read import MANIFEST, SPLITS
from ultron_core.sft.files.shaped import Counts, Group, identity, shape_groups, table_of
from ultron_core.sft.records import row_sha256
from ultron_core.sft.rules.files import hash_of
from ultron_core.sft.workers import Workers

__all__ = ["SCHEMA_VERSION", "content_hash", "write_dataset"]

#: of the manifest; raised when a field changes its meaning (3: evidence, repairs, identity over all columns)
SCHEMA_VERSION = 3
#: rows of one Parquet file
_ROWS_A_SHARD = 20_000
#: rows of one Parquet row group: fixed, so that equal rows give equal bytes
_ROWS_A_GROUP = 256
Check = Callable[[Path], Sequence[str]]


def content_hash(rows: Sequence[Any]) -> str:
    """SHA-256 over everything that is written of the rows: the identity of a dataset."""
    hashes = bytearray()
    for row in rows:
        hashes += row_sha256(row).encode()
    return identity(hashes)


def write_dataset(
    target: Path,
    built: Built,
    manifest: Mapping[str, Any],
    *,
    flavours: Sequence[str] = tuple(FLAVOURS),
    check: Check | None = None,
    workers: Workers[Any] | None = None,
) -> dict[str, Any]:
    """Write the folder `target` (which must not exist) and return its manifest.

    `manifest` holds what the caller knows (created_at, version, config, lineage); files, counts and hashes are
    added. `check` looks at the folder before it gets its name; `workers` shape the rows. Raises ExportError when the
    folder cannot be written or the check finds something.
    """
    try:
        make_folders(target.parent)
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            done = _write_all(work, built, manifest, flavours, workers or Workers(object))
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


def _write_all(
    work: Path, built: Built, manifest: Mapping[str, Any], flavours: Sequence[str], workers: Workers[Any]
) -> dict[str, Any]:
    counts = Counts()
    kind = manifest.get("kind", "sft")
    flavours = [name for name in flavours if name in FLAVOURS_OF[kind]]
    # each row is read from disk once for its split, and once to be written
    splits = [row.split for row in built.rows]
    sizes = Counter(splits)
    for split in SPLITS:
        if sizes[split] or split == "train":
            rows = (built.rows[place] for place, side in enumerate(splits) if side == split)
            _write_split(work, kind, split, sizes[split], rows, flavours, counts, workers)
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
    counts: Counts,
    workers: Workers[Any],
) -> None:
    """One pass over the rows of a split, into its Parquet shards and every flavour."""
    (work / "data").mkdir(exist_ok=True)
    shards = max(1, -(-size // _ROWS_A_SHARD))
    with ExitStack() as stack:
        handles = []
        for name in flavours:
            path = work / "flavours" / name / f"{split}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            handles.append(stack.enter_context(path.open("w", encoding="utf-8", newline="\n")))
        for number in range(shards):
            groups = _groups(kind, itertools.islice(rows, _ROWS_A_SHARD), flavours)
            path = work / "data" / f"{split}-{number:05d}-of-{shards:05d}.parquet"
            with pq.ParquetWriter(path, table_of(kind, []).schema, compression="zstd") as writer:
                for _, (shaped,) in workers.map(shape_groups, groups):
                    writer.write_table(shaped.table)
                    counts.merge(shaped.counts)
                    for handle, lines in zip(handles, shaped.lines, strict=True):
                        handle.write(lines)


def _groups(kind: str, rows: Iterator[Any], flavours: Sequence[str]) -> Iterator[tuple[None, list[Group]]]:
    """A batch each for `Workers`."""
    while group := list(itertools.islice(rows, _ROWS_A_GROUP)):
        yield None, [Group(kind, flavours, group)]


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
