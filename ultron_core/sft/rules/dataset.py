"""All 21 rules on a dataset folder as it was written; each finding names its rule and the row.

Rules 1, 2, 5 to 11, 13 and 15 to 17 are of single rows, 3, 4, 12, 14 and 20 of files; here are those of all rows
together: 13 (one reasoning policy), 18 (splits, duplicates), 19 (secrets, evaluation texts).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ultron_core.sft.files.read import MANIFEST, load_manifest, read_batches
from ultron_core.sft.records import Scanned
from ultron_core.sft.rules.files import file_problems, flavour_problems, schema_problems
from ultron_core.sft.rules.pieces import Checks, Looked, Piece, look_at
from ultron_core.sft.rules.turns import Finding
from ultron_core.sft.workers import Workers

__all__ = ["Checks", "dataset_problems"]


@dataclass
class _Seen:
    """What the rows say together."""

    #: ids of the manifest that no row had yet: each is one text, whatever else refers to it
    missing: dict[str, str]
    #: is there a row that the manifest does not list, or lists once more?
    strange: bool = False
    #: the id that a content came with
    contents: dict[bytes, str] = field(default_factory=dict)
    #: the split that a key came in, by kind of key
    splits: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    reasoning: dict[bool, str] = field(default_factory=dict)


def dataset_problems(folder: Path, checks: Checks, workers: Workers[Checks] | None = None) -> list[str]:
    """All violations of the folder, the first kind of damage first; empty when it may be published.

    `workers` look at the rows, with the same checks. Raises ExportError when there is no manifest.
    """
    manifest = load_manifest(folder)
    problems = list(file_problems(folder, manifest, own=MANIFEST))
    if problems:
        return problems
    workers = workers or Workers(lambda: checks)
    seen = _Seen({one: one for one in manifest["ids"]})
    seen.strange = len(seen.missing) < len(manifest["ids"])
    for split in manifest["splits"]:
        for path in sorted((folder / "data").glob(f"{split}-*.parquet")):
            problems += schema_problems(path, manifest.get("kind", "sft"))
        if problems:
            return problems
        problems += _split_problems(folder, split, manifest, checks, workers, seen)
    if seen.strange or seen.missing:
        problems.append("rule 20: the rows of the Parquet files are not the listed ids")
    return problems


def _split_problems(
    folder: Path,
    split: str,
    manifest: Mapping[str, Any],
    checks: Checks,
    workers: Workers[Checks],
    seen: _Seen,
) -> Iterator[str]:
    """Each row, and beside it its line of every flavour: one pass, whatever the size."""
    with ExitStack() as stack:
        paths = sorted((folder / "flavours").glob(f"*/{split}.jsonl"))
        flavours = [(path, stack.enter_context(path.open(encoding="utf-8", newline="\n"))) for path in paths]
        pieces = (
            (
                None,
                [
                    Piece(
                        kind=manifest.get("kind", "sft"),
                        split=split,
                        most_tokens=manifest["config"]["max_tokens"],
                        rows=rows,
                        flavours=[(path, list(islice(lines, len(rows)))) for path, lines in flavours],
                        scanned=_scanned(rows, checks),
                    )
                ],
            )
            for rows in read_batches(folder, split)
        )
        for _, (looked,) in workers.map(look_at, pieces):
            for row in looked:
                found = [*row.findings, *_together(row, split, seen), *_one_policy(row, seen)]
                yield from (f"rule {rule}: {row.id}: {problem}" for rule, problem in found)
                yield from row.lines
        for path, lines in flavours:
            yield from flavour_problems(path, next(lines, None), None)


def _scanned(rows: Any, checks: Checks) -> dict[str, Scanned]:
    """What is known of the contents that the rows say they have."""
    told = rows.column("content_sha256").to_pylist() if checks.scanned else []
    return {content: known for content in told if (known := checks.scanned.get(content))}


def _together(row: Looked, split: str, seen: _Seen) -> Iterator[Finding]:
    seen.strange |= row.id not in seen.missing
    name = seen.missing.pop(row.id, row.id)
    if row.content != row.told:
        yield 20, "the content is not what its hash says"
    if (other := seen.contents.setdefault(bytes.fromhex(row.content), name)) != name:
        yield 18, f"the same content as {other}"
    for column, key in row.columns.items():
        kind = column.removeprefix("rejected_")
        if seen.splits[kind].setdefault(key, split) != split:
            yield 18, f"{kind} {key} is in both splits"


def _one_policy(row: Looked, seen: _Seen) -> Iterator[Finding]:
    for thinks in row.thinks:
        if seen.reasoning.setdefault(thinks, row.id) == row.id and len(seen.reasoning) > 1:
            yield 13, "rows with and without reasoning in one dataset"
