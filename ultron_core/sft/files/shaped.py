"""Rows in the shapes in which they are written: a table for Parquet, lines of every flavour, and what is counted.

A batch at a time, in any process: nothing of it depends on the other rows.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa

from ultron_core.sft.files.flavours import FLAVOURS_OF
from ultron_core.sft.files.read import SPLITS
from ultron_core.sft.kinds.records import Outcome, Pair
from ultron_core.sft.records import EVIDENCE, HIDDEN, Row, canonical_json, is_json_list, row_sha256

__all__ = ["Counts", "Group", "Shaped", "identity", "shape_groups", "table_of"]

#: hashes that are joined in one text
_LINES_AT_ONCE = 20_000
_TYPES: dict[str, Any] = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
_RECORDS: dict[str, Any] = {"sft": Row, "preference": Pair, "outcome": Outcome}


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one Parquet row group, and the flavours that they are written in besides."""

    kind: str
    flavours: Sequence[str]
    rows: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Shaped:
    table: pa.Table
    #: the lines of each flavour in one text
    lines: Sequence[str]
    counts: Counts


def shape_groups(_: object, groups: Sequence[Group]) -> list[Shaped]:
    """For `Workers`, whose tools it does not need."""
    return [_shaped(group) for group in groups]


def _shaped(group: Group) -> Shaped:
    counts = Counts()
    for row in group.rows:
        counts.add(row)
    converts = [FLAVOURS_OF[group.kind][name] for name in group.flavours]
    lines = [
        "".join(json.dumps(convert(row), ensure_ascii=False) + "\n" for row in group.rows)
        for convert in converts
    ]
    return Shaped(table_of(group.kind, group.rows), lines, counts)


def identity(hashes: bytearray) -> str:
    """SHA-256 of the hashes, sorted and one a line. As texts they take twice the memory, and it once more in one."""
    ordered = np.sort(np.frombuffer(hashes, "S64"))
    identity = hashlib.sha256()
    for start in range(0, len(ordered), _LINES_AT_ONCE):
        lines = b"\n".join(ordered[start : start + _LINES_AT_ONCE].tolist())
        identity.update(b"\n" + lines if start else lines)
    return identity.hexdigest()


class Counts:
    """What the manifest says about the rows, gathered while they are written; batch by batch in any process."""

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

    def merge(self, others: Counts) -> None:
        """What another process gathered of the rows behind these."""
        self.hashes += others.hashes
        self.ids += others.ids
        self.segments |= others.segments
        self.tokens.extend(others.tokens)
        self.scores.extend(others.scores)
        self.chances.extend(others.chances)
        for kind, counter in others.by.items():
            self.by[kind].update(counter)
        self.repairs.update(others.repairs)
        self.rows_with.update(others.rows_with)

    def facts(self) -> dict[str, Any]:
        return {
            "content_hash": identity(self.hashes),
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


def _quantiles(values: Sequence[int]) -> dict[str, int]:
    if not values:
        return {}
    ordered = sorted(values)
    at = {"min": 0.0, "p50": 0.5, "p90": 0.9, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(q * len(ordered)))] for name, q in at.items()}


def table_of(kind: str, rows: Sequence[Any]) -> pa.Table:
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
