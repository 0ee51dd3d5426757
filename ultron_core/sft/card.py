"""The dataset card and the report: what is in it, how it was chosen, what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["render_card", "render_report"]

#: the size categories of Hugging Face dataset cards
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def render_card(manifest: Mapping[str, Any]) -> str:
    """README.md of the dataset folder, with the YAML head that dataset readers look for."""
    size = next((name for most, name in _SIZES if manifest["rows"] < most), "n>1M")
    splits = "\n".join(
        f"      - split: {split}\n        path: data/{split}-*.parquet"
        for split, rows in manifest["splits"].items()
        if rows or split == "train"
    )
    return f"""---
pretty_name: {manifest["name"]}
language: [en, zh]
license: other
license_name: as-the-source-logs
tags: [agent, tool-use, sft]
size_categories: [{size}]
configs:
  - config_name: default
    data_files:
{splits}
---

# {manifest["name"]}

Tasks from agent session logs, one row a task: `messages` and `tools` in OpenAI shape, tool arguments as JSON
objects. The rights are those of the logs it was made from.

- Chosen: finished tasks with a quality score of at least {manifest["config"]["min_quality_score"]:g}
  whose outcome is not a known failure.
- Secrets and personal data are replaced by placeholders; a second scan rejects rows that still hold a secret.
- Tool outputs over {manifest["config"]["tool_output_max_tokens"]} tokens keep head and tail around a mark. Rows over
  {manifest["config"]["max_tokens"]} tokens are left out, never trimmed. Set your trainer's maximum length accordingly.
- Train on assistant messages only; everything else is context.
- `tools_inferred` rows: the log carried no tool schema; a minimal one was made from the observed calls.
- `trust` is `human` when a person speaks in the row, else `agent`; `origin` is where it comes from.
- Splits follow a hash of the session: rows of one log are in one split and never move between versions.

`flavours/` holds the same rows for LLaMA-Factory, OpenAI fine-tuning and ms-swift. `manifest.json` lists every
file with its hash, every row id, the settings and the counts below.

{_tables(manifest)}"""


def render_report(manifest: Mapping[str, Any]) -> str:
    """Counts alone, as tables."""
    return f"# Export report\n\n{_tables(manifest)}"


def _tables(manifest: Mapping[str, Any]) -> str:
    parts = [
        _table("split", "rows", manifest["splits"]),
        _table("task type", "rows", manifest["task_types"]),
        _table("left out because", "segments", manifest["rejects"]),
        _table("tokens a row", "tokens", manifest["tokens"]),
    ]
    return "\n".join(part for part in parts if part)


def _table(first: str, second: str, counts: Mapping[str, Any]) -> str:
    if not counts:
        return ""
    rows = "\n".join(f"| {name} | {count} |" for name, count in counts.items())
    return f"| {first} | {second} |\n|---|---:|\n{rows}\n"
