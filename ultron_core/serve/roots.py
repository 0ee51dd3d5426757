"""Which files of the server's machine `/ingest` may read, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ultron_core.errors import InputError
from ultron_core.paths import is_below, real_path
from ultron_core.serve.callers import Caller
from ultron_core.settings import Settings
from ultron_core.steps.files.receive import drop_folder_of

__all__ = ["check_inside", "default_roots", "roots_for"]

#: where coding agents keep their logs, below the home of the user
_AGENT_LOGS = (".claude/projects", ".codex/sessions", ".cursor/projects", ".pi/agent/sessions")


def default_roots(settings: Settings, user_home: Path) -> list[Path]:
    """The configured roots, else the drop folder and the log folders of known agents."""
    if settings.serve.ingest_roots:
        return [Path(part).expanduser() for part in settings.serve.ingest_roots.split(":") if part]
    return [settings.sessions_dir, *(user_home / folder for folder in _AGENT_LOGS)]


def roots_for(caller: Caller, agent_id: str) -> Sequence[Path]:
    """What this caller may have read as logs of `agent_id`: what is in the agent's part of the drop folder, and with
    the scope `sessions` all that the server may read. In the other folders lie logs of other agents, which who reads
    them as its own could then ask for; so a key of one agent has none of them, whatever its scopes."""
    if caller.key.agent_id is None and "sessions" in caller.key.scopes:
        return caller.backend.roots or default_roots(caller.ultron.settings, Path.home())
    return [drop_folder_of(caller.ultron.runtime, agent_id)]


def check_inside(paths: Sequence[str], roots: Sequence[Path]) -> list[Path]:
    """The paths with symbolic links resolved. Raises InputError for one outside of all roots, there or not."""
    found = []
    for text in paths:
        path = real_path(text)
        if not is_below(path / "any", roots):
            raise InputError(
                "paths: outside of the folders that this key may have read: the agent's own drop folder, and with the "
                "scope sessions those of ULTRON_INGEST_ROOTS. Send the log itself to /ingest/session."
            )
        found.append(path)
    return found
