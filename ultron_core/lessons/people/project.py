"""The name of the project that a segment works on, from the paths that its tools were given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ultron_core.models import Message
from ultron_core.transcript.actions import argument_strings

__all__ = ["project_name"]

#: the folder before the first one that a repository's root holds names the project, in a patch too, e.g.
#: `/home/ana/src/shop/lib/cart.ex`, `diff --git a/cli/pkg/x.go`
_PATH = re.compile(r"(?:(?<![\w/.~-])|(?<=\s[ab]))(?:/[\w.@+-]+){3,}|[A-Z]:(?:\\[\w.@ +-]+){3,}")
_ROOT_HOLDS = frozenset(
    [
        "src",
        "lib",
        "libs",
        "pkg",
        "packages",
        "cmd",
        "internal",
        "app",
        "apps",
        "test",
        "tests",
        "spec",
        "docs",
        "scripts",
        "assets",
        "priv",
        "config",
        "public",
        "crates",
        "components",
        "frontend",
        "backend",
        "server",
        "client",
        ".git",
        ".github",
        "node_modules",
        "package.json",
        "go.mod",
        "pyproject.toml",
        "Cargo.toml",
        "README.md",
        "CLAUDE.md",
        "AGENTS.md",
        "Makefile",
        "mix.exs",
        "main.go",
        "main.py",
        "pom.xml",
    ]
)
#: where no project is: "/usr/lib/python3", "~/.claude/projects", "/opt/conda/lib"
_ELSEWHERE = frozenset(
    [
        "usr",
        "opt",
        "var",
        "etc",
        "tmp",
        "private",
        "bin",
        "sbin",
        "proc",
        "sys",
        "Library",
        ".cache",
        ".claude",
        ".config",
        ".local",
        ".pi",
        ".gemini",
        ".npm",
        ".cargo",
        "go",
        "conda",
        "miniconda3",
        "anaconda3",
        "site-packages",
        "node_modules",
        "dist-packages",
    ]
)
#: folders that people keep projects in, and names of no project
_NOT_NAMES = frozenset(
    [
        "home",
        "users",
        "user",
        "root",
        "workspace",
        "workspaces",
        "repo",
        "repos",
        "projects",
        "source",
        "app",
        "testbed",
    ]
)
#: a person's own folder comes after these: "/home/ana/src" is not a project
_HOMES = frozenset(("home", "Users"))
#: a folder that names no project, e.g. `.cache`, `3f2a9c1d`, `v`
_ODD = re.compile(r"^[.\d]|[0-9a-f]{8,}|^\w$")
#: characters of an argument in which paths are looked for
_MOST = 400
#: characters of a message in which paths are looked for
_MOST_SHOWN = 4000


def project_name(messages: Sequence[Message]) -> str:
    """The name that most paths agree on: those the agent's calls were given, else all that the log shows."""
    return _agreed(_argument_paths(messages)) or _agreed(_shown_paths(messages))


def _argument_paths(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for call in message.tool_calls if message.role == "assistant" else ():
            for text in argument_strings(call.arguments):
                yield from _PATH.findall(text[:_MOST])


def _shown_paths(messages: Sequence[Message]) -> Iterator[str]:
    """Paths below somebody's folder; in a patch those whose second part is what a repository's root holds."""
    for message in messages:
        for path in _PATH.findall(message.content[:_MOST_SHOWN]):
            parts = re.split(r"[/\\]", path)
            if parts[1] in _HOMES or parts[0].endswith(":") or (parts[2:3] and parts[2] in _ROOT_HOLDS):
                yield path


def _agreed(paths: Iterable[str]) -> str:
    votes = Counter(name for path in paths if (name := _named(path)))
    if not votes:
        return ""
    name, count = votes.most_common(1)[0]
    return name if count >= 2 and 2 * count >= votes.total() else ""


def _named(path: str) -> str:
    parts = [part for part in re.split(r"[/\\]", path) if part]
    if parts[0] in _ROOT_HOLDS or not _ELSEWHERE.isdisjoint(parts):
        return ""
    for before, part in pairwise(parts[2:] if parts[0] in _HOMES else parts):
        if part in _ROOT_HOLDS:
            return (
                ""
                if before.casefold() in _NOT_NAMES or before in _ROOT_HOLDS or _ODD.search(before)
                else before
            )
    return ""
