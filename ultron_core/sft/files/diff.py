"""How one version of a dataset differs from another, row by row, with the cause of each change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultron_core.sft.files.read import JSON_COLUMNS, SPLITS, load_manifest, read_rejects, read_split

__all__ = ["Change", "DatasetDiff", "diff_datasets"]

#: columns that explain a changed content, in the order to be asked
_VERSIONS = ("redaction_version", "labeler_version")


@dataclass(frozen=True, slots=True)
class Change:
    """One row that differs: added, removed, changed or moved, and why."""

    id: str
    kind: str
    cause: str


@dataclass(frozen=True, slots=True)
class DatasetDiff:
    """All changes by id; `counts` sums them up by kind and cause."""

    changes: tuple[Change, ...]

    def ids(self, kind: str) -> tuple[str, ...]:
        return tuple(change.id for change in self.changes if change.kind == kind)

    @property
    def counts(self) -> Mapping[tuple[str, str], int]:
        return Counter((change.kind, change.cause) for change in self.changes)


def diff_datasets(old: Path, new: Path) -> DatasetDiff:
    """Compare two dataset folders. Raises ExportError if one is incomplete."""
    configs = [load_manifest(folder)["config"] for folder in (old, new)]
    shares = [config.get("validation_share") for config in configs]
    before, after = _rows(old), _rows(new)
    out_before, out_after = ({r["segment_id"]: r for r in read_rejects(folder)} for folder in (old, new))
    changes = [Change(i, "added", _arrival(i, out_before)) for i in after.keys() - before.keys()]
    changes += [Change(i, "removed", _departure(i, out_after)) for i in before.keys() - after.keys()]
    for i in before.keys() & after.keys():
        if cause := _difference(before[i], after[i], configs[0] != configs[1]):
            changes.append(Change(i, "changed", cause))
        if before[i]["split"] != after[i]["split"]:
            changes.append(
                Change(i, "moved", "validation_share" if shares[0] != shares[1] else "joined groups")
            )
    return DatasetDiff(tuple(sorted(changes, key=lambda c: (c.kind, c.id))))


def _rows(folder: Path) -> dict[str, dict[str, Any]]:
    """Every row without its texts: the content hash stands for them."""
    found: dict[str, dict[str, Any]] = {}
    for split in SPLITS:
        for row in read_split(folder, split):
            found[row["id"]] = {k: v for k, v in row.items() if k not in JSON_COLUMNS}
    return found


def _arrival(segment: str, out_before: Mapping[str, Mapping[str, Any]]) -> str:
    reject = out_before.get(segment)
    return f"was left out: {reject['reason']}" if reject else "new segment"


def _departure(segment: str, out_after: Mapping[str, Mapping[str, Any]]) -> str:
    reject = out_after.get(segment)
    return str(reject["reason"]) if reject else "segment is gone"


def _difference(one: Mapping[str, Any], other: Mapping[str, Any], settings: bool) -> str:
    """What changed in a row that both have; the first cause that explains it."""
    differing = {
        key for key in one.keys() | other.keys() if key != "split" and one.get(key) != other.get(key)
    }
    if not differing:
        return ""
    for version in _VERSIONS:
        if version in differing:
            return version
    if "content_sha256" in differing:
        return "settings" if settings else "content"
    return ", ".join(sorted(differing))
