"""The runs in a row that was read back, each as the row of a plain dataset: the same rules look at all kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ultron_core.sft.kinds.records import pair_content
from ultron_core.sft.records import content_sha256

__all__ = ["JSON_COLUMNS_OF", "content_of", "runs_of"]

#: columns that are lists of JSON objects, by kind of dataset
JSON_COLUMNS_OF = {
    "sft": ("messages", "tools"),
    "preference": ("prompt", "chosen", "rejected", "tools"),
    "outcome": ("prompt", "completion", "tools"),
}


def runs_of(kind: str, row: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """One run; of a pair the chosen and the rejected one."""
    if kind == "sft":
        return [row]
    if kind == "outcome":
        return [{**row, "messages": [*row["prompt"], *row["completion"]]}]
    return [
        {
            **row,
            "messages": [*row["prompt"], *row[side]],
            "num_tokens": row[f"{side}_tokens"],
        }
        for side in ("chosen", "rejected")
    ]


def content_of(kind: str, row: Mapping[str, Any]) -> str:
    """What `content_sha256` of the row must be."""
    if kind == "preference":
        return pair_content(row["prompt"], row["chosen"], row["rejected"], row["tools"])
    return content_sha256(tuple(runs_of(kind, row)[0]["messages"]), tuple(row["tools"]))
