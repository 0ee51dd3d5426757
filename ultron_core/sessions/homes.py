"""Where coding agents keep their own logs, by their defaults of 2026 (docs/faq.md shows the same table)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ultron_core.errors import SessionFileError
from ultron_core.sessions.discover import discover_sessions

__all__ = ["HOMES", "AgentHome", "AgentLogs", "LogFile", "find_logs", "home_of"]


@dataclass(frozen=True, slots=True)
class AgentHome:
    """The folder of an agent, below the user's own or where a variable says, and the logs within."""

    agent: str
    base: str
    logs: str
    variable: str = ""
    #: logs that a folder is not searched for, as a pattern within `logs`
    documents: str = ""

    def folder(self, env: Mapping[str, str], home: Path) -> Path:
        """Where this agent's logs are."""
        named = env.get(self.variable, "") if self.variable else ""
        return (Path(named).expanduser() if named else home / self.base) / self.logs


HOMES = (
    AgentHome("claude-code", ".claude", "projects", variable="CLAUDE_CONFIG_DIR"),
    AgentHome("codex", ".codex", "sessions", variable="CODEX_HOME"),
    AgentHome("cursor", ".cursor", "projects"),
    AgentHome("copilot", ".copilot", "session-state"),
    AgentHome("gemini", ".gemini", "tmp", documents="*/chats/*.json"),
    AgentHome("qwen", ".qwen", "projects"),
    AgentHome("pi", ".pi/agent", "sessions"),
)


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log and what its folder says of it; `changed_at` in seconds since the epoch."""

    path: Path
    size: int
    changed_at: float


@dataclass(frozen=True, slots=True)
class AgentLogs:
    """The logs of one agent, newest first. `problem` says why there are none where a folder could not be read."""

    agent: str
    folder: Path
    files: tuple[LogFile, ...]
    problem: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def home_of(agent: str) -> AgentHome:
    """The known home of an agent. Raises KeyError for one that is not in HOMES."""
    return {one.agent: one for one in HOMES}[agent]


def find_logs(
    env: Mapping[str, str], home: Path, *, agents: Sequence[str] = (), since: float = 0.0
) -> list[AgentLogs]:
    """The logs of the agents that keep any on this machine, of `agents` alone where some are named.

    `since` leaves out files that did not change after it, in seconds since the epoch.
    """
    wanted = [one for one in HOMES if not agents or one.agent in agents]
    found = [_logs_of(one, one.folder(env, home), since) for one in wanted]
    return [one for one in found if one.files or one.problem]


def _logs_of(home: AgentHome, folder: Path, since: float) -> AgentLogs:
    if not folder.is_dir():
        return AgentLogs(home.agent, folder, ())
    try:
        documents = sorted(folder.glob(home.documents)) if home.documents else []
        paths = dict.fromkeys([*discover_sessions(folder), *documents])
        there = filter(None, map(_file, paths))
        files = sorted((f for f in there if f.changed_at >= since), key=lambda f: f.changed_at, reverse=True)
    except SessionFileError as error:
        return AgentLogs(home.agent, folder, (), str(error))
    except OSError as error:
        return AgentLogs(
            home.agent, folder, (), f"{error.filename or folder} cannot be read: {error.strerror}."
        )
    return AgentLogs(home.agent, folder, tuple(files))


def _file(path: Path) -> LogFile | None:
    """None for one that has gone since its folder was read."""
    try:
        facts = path.stat()
    except FileNotFoundError:
        return None
    return LogFile(path, facts.st_size, facts.st_mtime)
