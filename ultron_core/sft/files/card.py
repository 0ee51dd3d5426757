"""The dataset card and the report: what is in it, how it was chosen, what is known of it, what was left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ultron_core.display import cell, markdown_table, one_line

__all__ = ["render_card", "render_report"]

#: the size categories of Hugging Face dataset cards
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
#: what single readers lose of what rows may hold; the counts are `rows_with` of the manifest
_LOSSES = (
    ("parallel_calls", "hold several calls in one turn: templates of Llama 3.1 and 3.2 refuse them"),
    (
        "ends_with_call",
        "end with a call: a template that needs an answer last cannot render them",
    ),
    ("text_beside_calls", "hold text beside a call: templates of gpt-oss and Llama 3.1 leave it out"),
    ("masked_turns", "hold turns marked `loss: false`: TRL and LLaMA-Factory train them all the same"),
    ("tools_inferred", "have tool schemas made from the observed calls, because the log carries none"),
    ("reasoning", "hold the model's reasoning"),
)

_ABOUT = {
    "sft": "Tasks from agent session logs, one row a task: `messages` and `tools` in OpenAI shape.",
    "preference": "Pairs from agent session logs: `prompt`, `chosen`, `rejected` and `tools` in OpenAI shape.",
    "outcome": "Runs from agent session logs with a verdict: `prompt`, `completion`, `label` and `tools` in OpenAI "
    "shape.",
}
_CHOSEN = {
    "sft": "Chosen: finished tasks with a quality score of at least {score:g} whose outcome is not a known failure.",
    "preference": "`made_from` says where a pair comes from: `runs` of one task of which one worked and one failed, or "
    "an answer that a person `corrected` and the one that they then accepted.",
    "outcome": "`label` is true for finished tasks with a quality score of at least {score:g} that worked, false for "
    "those that failed.",
}
_TRAIN = {
    "sft": "Train on assistant messages only; everything else is context. Assistant messages with `loss: false` are "
    "context, too. `trust` is `human` when a person speaks in the row, else `agent`; `origin` is where it comes from.",
    "preference": "What tools said stands in `chosen` and `rejected` as it came; what is not masked is learnt, "
    "too.",
    "outcome": "What tools said stands in `completion` as it came; trainers that do not mask it learn it, too.",
}


def render_card(manifest: Mapping[str, Any]) -> str:
    """README.md of the dataset folder, with the YAML head that dataset readers look for."""
    size = next((name for most, name in _SIZES if manifest["rows"] < most), "n>1M")
    splits = "\n".join(
        f"      - split: {split}\n        path: data/{split}-*.parquet"
        for split, rows in manifest["splits"].items()
        if rows or split == "train"
    )
    config = manifest["config"]
    return f"""---
pretty_name: {json.dumps(one_line(manifest["name"]))}
language: [en, zh]
license: other
license_name: as-the-source-logs
tags: [agent, tool-use, {manifest["kind"]}]
size_categories: [{size}]
configs:
  - config_name: default
    data_files:
{splits}
---

# {cell(manifest["name"])}

{_ABOUT[manifest["kind"]]} Tool arguments are JSON objects. The rights are those of the logs it was made from.

- {_CHOSEN[manifest["kind"]].format(score=config["min_quality_score"])} {_precision(manifest)}
- Personal data is replaced by placeholders; rows that held a secret are left out, and a second scan looks for more.
- Tool outputs over {config["tool_output_max_tokens"]} tokens keep head and tail around a mark. Rows over
  {config["max_tokens"]} tokens are left out, never trimmed. Set your trainer's maximum length accordingly.
- {_TRAIN[manifest["kind"]]}
- Rows of one session, and runs of one task, are in one split.

{_losses(manifest)}
`flavours/` holds the same rows for {", ".join(manifest["flavours"]) or "no other reader"}. `manifest.json` lists every
file with its hash, every row id, the settings and the counts below.

![tokens](plots/tokens.svg) ![scores](plots/scores.svg) ![left out](plots/rejects.svg)

{_tables(manifest)}"""


def _precision(manifest: Mapping[str, Any]) -> str:
    """What share of the rows is expected to be right, and of how many nobody knows."""
    known, unknown = manifest["expected_precision"], manifest["evidence"]["unknown"]
    parts = []
    if known:
        parts.append(
            f"Of the {known['rows']} rows with evidence `verified` or `likely` a share of {known['value']:.2f} is "
            f"expected to have done what was asked (90 % interval {known['low']:.2f} to {known['high']:.2f}, by "
            "imported outcomes and calibrated probabilities)."
        )
    if unknown or (not known and manifest["kind"] == "sft"):
        parts.append(f"Nothing is known of the ends of {unknown} rows.")
    return " ".join(parts)


def _losses(manifest: Mapping[str, Any]) -> str:
    counts = manifest["rows_with"]
    lines = [f"- {counts[kind]} rows {about}." for kind, about in _LOSSES if counts.get(kind)]
    if "llamafactory" in manifest["flavours"]:
        lines.append(
            "- LLaMA-Factory: `<tool_call>` and `<think>` in a text beside a call are written `< tool_call>`."
        )
    return "Known losses:\n\n" + "\n".join(lines) + "\n" if lines else ""


def render_report(manifest: Mapping[str, Any]) -> str:
    """Counts alone, as tables."""
    return f"# Export report\n\n{manifest['considered']} finished segments considered.\n\n{_tables(manifest)}"


def _tables(manifest: Mapping[str, Any]) -> str:
    parts = [
        _table("split", "rows", manifest["splits"]),
        _table("evidence", "rows", manifest["evidence"]),
        _table("task type", "rows", manifest["task_types"]),
        _table("source", "rows", manifest["harnesses"]),
        _table("left out because", "segments", manifest["rejects"]),
        _table("put right", "times", manifest["repairs"]),
        _table("tokens a row", "tokens", manifest["tokens"]),
    ]
    return "\n".join(part for part in parts if part)


def _table(first: str, second: str, counts: Mapping[str, Any]) -> str:
    return markdown_table([first, second], counts.items()) + "\n" if counts else ""
