"""Print the table of all settings that docs/settings.md holds: `python -m ultron_core.cli.settings_table`."""

from __future__ import annotations

from ultron_core.settings import Settings

__all__ = ["settings_table"]


def settings_table() -> str:
    """One row per setting: its variables (the first one set wins), default and meaning."""
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for _, variables, default, about, _ in Settings().describe():
        names = ", ".join(f"`{name}`" for name in variables)
        shown = "" if default is None else f"`{_plain(default)}`"
        lines.append(f"| {names} | {shown} | {about} |")
    return "\n".join(lines)


def _plain(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    print(settings_table())
