"""Print the tables of all settings that docs/settings.md holds: `python -m ultron_core.cli.settings_table`."""

from __future__ import annotations

from itertools import groupby

from ultron_core.settings import Settings

__all__ = ["settings_table"]

#: the stages of `Settings`, as a reader calls them
_TITLES = {
    "store": "The store, the database, this machine",
    "sessions": "Reading logs",
    "llm": "The model",
    "quality_llm": "The model that judges",
    "embedding": "Vectors",
    "segments": "Tasks",
    "labels": "Labels",
    "extract": "Memories",
    "dedup": "Near-duplicates",
    "tiers": "Tiers",
    "search": "Search",
    "clusters": "Clusters",
    "redaction": "Redaction",
    "sft": "Datasets",
    "train": "Training",
    "serve": "The server",
    "runs": "Dagster",
}
#: decided by where the command runs, so that no default can be told
_DEPENDS = {"ULTRON_HOME"}


def settings_table() -> str:
    """A table a stage, one row per setting: its variables (the first one set wins), default and meaning."""
    parts = []
    for stage, settings in groupby(Settings().describe(), key=lambda row: row[0]):
        lines = [f"## {_TITLES[stage]}", "", "| variable | default | meaning |", "|---|---|---|"]
        for _, variables, default, about, _ in settings:
            names = ", ".join(f"`{name}`" for name in variables)
            unset = default is None or default == "" or variables[0] in _DEPENDS
            lines.append(f"| {names} | {'' if unset else f'`{_plain(default)}`'} | {about} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _plain(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    print(settings_table())
