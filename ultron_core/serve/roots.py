"""Which folders `/ingest` may read: a caller names paths of the server's machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ultron_core.errors import InputError
from ultron_core.settings import Settings

__all__ = ["check_inside", "default_roots"]

#: where coding agents keep their logs, below the home of the user
_AGENT_LOGS = (".claude/projects", ".codex/sessions", ".cursor/projects", ".pi/agent/sessions")


def default_roots(settings: Settings, user_home: Path) -> list[Path]:
    """The configured roots, else the drop folder and the log folders of known agents."""
    if settings.serve.ingest_roots:
        return [Path(part).expanduser() for part in settings.serve.ingest_roots.split(":") if part]
    return [settings.sessions_dir, *(user_home / folder for folder in _AGENT_LOGS)]


def check_inside(paths: Sequence[str], roots: Sequence[Path]) -> list[Path]:
    """The paths with symbolic links resolved. Raises InputError for one outside of all roots, there or not."""
    allowed = [root.resolve() for root in roots]
    found = []
    for text in paths:
        try:
            path = Path(text).expanduser().resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError("paths: not a path of this machine.") from error
        if not any(path.is_relative_to(root) for root in allowed):
            raise InputError(
                "paths: outside of the folders that the server may read (ULTRON_INGEST_ROOTS). Send the log itself "
                "to /ingest/session."
            )
        found.append(path)
    return found
