"""The card of an adapter: what it was made of, what was measured, whether it was promoted and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ultron_core.display import cell, markdown_table, one_line

__all__ = ["render_card"]

#: characters of an answer that the card shows
_SHOWN = 300


def render_card(manifest: Mapping[str, Any]) -> str:
    """README.md of a run's folder."""
    return "\n".join(_lines(manifest)) + "\n"


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    verdict, before, after = told["verdict"], told["before"], told["after"]
    rows = told["counts"]
    yield f"# Adapter {told['name']}"
    yield ""
    yield "Promoted." if verdict["promoted"] else f"Not promoted: {'; '.join(verdict['reasons'])}."
    yield ""
    yield f"- base `{one_line(told['base'])}`, SHA-256 {told['base_hash']}"
    yield f"- goes on from {told['parent'] or 'the base'}"
    yield f"- dataset `{one_line(told['dataset'])}`, content hash {told['dataset_hash']}"
    yield f"- {rows['train']} rows trained, {rows['validation']} measured by; left out: {_counts(rows['left_out'])}"
    yield f"- settings: {_counts(told['settings'])}; on {told['device']}, {told['seconds']:.0f} s"
    yield ""
    yield markdown_table(["measured", "rows", "before", "after"], list(_measured(before, after)))
    yield ""
    spread, fall = verdict["spread"], verdict["fall"]
    seeds = ", ".join(f"{one['loss']:.4f}" for one in told["of_seeds"])
    yield f"Validation loss of the seeds: {seeds}; spread {spread:.4f}, fall {fall:.4f}."
    yield ""
    yield "## The same prompts before and after"
    for (prompt, old), (_, new) in zip(before["answers"], after["answers"], strict=True):
        yield ""
        yield markdown_table(["", cell(prompt)], [["before", old[:_SHOWN]], ["after", new[:_SHOWN]]])


def _measured(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[list[str]]:
    old, new = before["losses"], after["losses"]
    yield ["loss", str(old["rows"]), f"{old['loss']:.4f}", f"{new['loss']:.4f}"]
    for name, one in sorted(old["by_type"].items()):
        yield [
            f"loss, {name}",
            str(one["rows"]),
            f"{one['loss']:.4f}",
            f"{new['by_type'][name]['loss']:.4f}",
        ]
    prompts = before["calls"]["prompts"]
    yield ["valid calls", str(prompts), str(before["calls"]["valid"]), str(after["calls"]["valid"])]


def _counts(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items()) or "none"
