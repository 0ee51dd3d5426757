"""Which files of a coding agent change to connect it, and to what text. Reads and writes nothing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ultron_core.access.clients import jsonc, toml

__all__ = ["CLIENTS", "Commands", "Edit", "plan_edits"]

#: each client's event -> ours; Codex has none at the end of a session, Cursor takes no context before a prompt
_CLAUDE_CODE = {"SessionStart": "session-start", "UserPromptSubmit": "prompt", "SessionEnd": "session-end"}
_CODEX = {"SessionStart": "session-start", "UserPromptSubmit": "prompt", "Stop": "turn-end"}
_CURSOR = {"sessionStart": "session-start", "sessionEnd": "session-end"}
#: seconds that a client waits for a hook
_HOOK_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Commands:
    """What the client is to start: the two programs of this installation, and the data folder."""

    hook: str
    bridge: str
    home: str
    agent: str

    def mcp(self) -> dict[str, Any]:
        return {"command": self.bridge, "args": ["--home", self.home, "--agent", self.agent]}

    def hook_line(self, event: str) -> str:
        return shlex.join([self.hook, event, "--home", self.home, "--agent", self.agent])


@dataclass(frozen=True, slots=True)
class Edit:
    """One file: what becomes of its text."""

    path: Path
    change: Callable[[str], str]


def plan_edits(
    client: str, base: Path, commands: Commands, *, in_project: bool, remove: bool
) -> Sequence[Edit]:
    """The edits that connect a client, or disconnect it. `base` is the user's home, or the project's folder."""
    return CLIENTS[client](base, commands, in_project, remove)


def _claude_code(base: Path, commands: Commands, in_project: bool, remove: bool) -> list[Edit]:
    servers = base / (".mcp.json" if in_project else ".claude.json")
    return [
        Edit(base / ".claude" / "settings.json", lambda text: _hooks(text, _CLAUDE_CODE, commands, remove)),
        Edit(servers, lambda text: _server(text, commands, remove, {"type": "stdio"})),
    ]


def _codex(base: Path, commands: Commands, _: bool, remove: bool) -> list[Edit]:
    def change(text: str) -> str:
        if remove:
            return toml.remove_block(text)
        return toml.put_block(text, "mcp_servers.ultron", commands.mcp())

    return [
        Edit(base / ".codex" / "config.toml", change),
        Edit(base / ".codex" / "hooks.json", lambda text: _hooks(text, _CODEX, commands, remove)),
    ]


def _cursor(base: Path, commands: Commands, _: bool, remove: bool) -> list[Edit]:
    return [
        Edit(base / ".cursor" / "mcp.json", lambda text: _server(text, commands, remove, {})),
        Edit(base / ".cursor" / "hooks.json", lambda text: _cursor_hooks(text, commands, remove)),
    ]


#: the clients that `ultron connect` knows
CLIENTS: Mapping[str, Callable[[Path, Commands, bool, bool], list[Edit]]] = MappingProxyType(
    {"claude-code": _claude_code, "codex": _codex, "cursor": _cursor}
)


def _server(text: str, commands: Commands, remove: bool, more: dict[str, Any]) -> str:
    if remove:
        return jsonc.remove_member(text, ["mcpServers"], "ultron")
    return jsonc.put_member(text, ["mcpServers"], "ultron", {**more, **commands.mcp()})


def _hooks(text: str, events: Mapping[str, str], commands: Commands, remove: bool) -> str:
    for event, own in events.items():
        path = ["hooks", event]
        if remove:
            text = jsonc.remove_items(text, path, _is_ours)
            continue
        command = {"type": "command", "command": commands.hook_line(own), "timeout": _HOOK_SECONDS}
        text = jsonc.put_item(text, path, {"hooks": [command]}, _is_ours)
    return text


def _cursor_hooks(text: str, commands: Commands, remove: bool) -> str:
    """`{"version": 1, "hooks": {"sessionStart": [{"command": ...}]}}`: no groups."""
    before = text
    if not remove and jsonc.read(text).get("version") is None:
        text = jsonc.put_member(text, [], "version", 1)
    for event, own in _CURSOR.items():
        path = ["hooks", event]
        if remove:
            text = jsonc.remove_items(text, path, _is_our_hook)
        else:
            command = {"command": commands.hook_line(own), "timeout": _HOOK_SECONDS}
            text = jsonc.put_item(text, path, command, _is_our_hook)
    if remove and text != before and jsonc.read(text).get("hooks") is None:
        text = jsonc.remove_member(text, [], "version")  # the form of hooks that are gone
    return text


def _is_our_hook(hook: Any) -> bool:
    return isinstance(hook, dict) and "ultron-hook" in str(hook.get("command"))


def _is_ours(group: Any) -> bool:
    """A group of hooks that holds nothing but our own."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or not hooks:
        return False
    return all(map(_is_our_hook, hooks))
