"""Which project a session belongs to: the root of its repository or its working folder, and its remote, as the log
tells them.

    >>> project_of("/home/ana/src/shop-worktrees/fix-cart/assets").name
    'shop'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Project", "choose_name", "project_of"]

#: folders that people keep many projects in, or that every sandbox has
_CONTAINERS = frozenset(
    (
        *("projects", "workspaces", "workspace", "work", "code", "src", "source", "repos", "git", "dev"),
        *("documents", "desktop", "downloads", "tmp", "temp", "home", "users", "root", "mnt", "data", "opt"),
        *("app", "testbed", "var", "private", "volumes", "github.com"),
    )
)
#: a name that many projects share says which one only with the folder above it
_COMMON = frozenset(
    ("repo", "project", "app", "api", "web", "backend", "frontend", "server", "client", "main")
)
#: folders inside a repository that a session may be started in
_INSIDE = frozenset(("assets", "lib", "docs", "tests", "test", "scripts", "cmd", "pkg", "internal", "src"))
#: git worktrees, e.g. `/src/shop-worktrees/fix-cart`, `/src/shop/.worktrees/fix`, `/src/shop/.claude/worktrees/fix`
_WORKTREE = re.compile(
    r"^(?P<root>.*/[^/]+?)(?:[-._]worktrees|/\.worktrees|/\.claude/worktrees)/[^/]+(?:/|$)"
)
#: and where a harness keeps those of all repositories, e.g. `/home/ana/.codex/worktrees/3f2a/shop`
_KEPT_WORKTREE = re.compile(r"^(?P<home>.*/)\.\w+/worktrees/[^/]+/(?P<name>[^/]+)")
#: somebody's own folder, e.g. `/home/ana`, `/Users/ana`, `/root`, `C:/Users/ana`
_HOME = re.compile(r"^(?:[A-Za-z]:)?/(?:home|Users|users)/[^/]+(?:/|$)|^/root(?:/|$)")
#: an address, e.g. `git@host.org:owner/name.git`, `https://user:key@host.org/owner/name.git`, `owner/name`
_REMOTE = re.compile(
    r"^(?:\w+://)?(?:[^@/\s]*@)?(?:(?P<host>[\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/])?(?P<path>[\w.~-]+(?:/[\w.~-]+)+?)"
    r"(?:\.git)?/?$"
)


@dataclass(frozen=True, slots=True)
class Project:
    """`root` is private: a path that may hold a person's name. `remote` is `host/owner/name`, empty when unknown."""

    name: str
    root: str
    remote: str = ""

    @property
    def qualified(self) -> str:
        """The name with the owner or the folder above it, where two projects have one name."""
        above = (self.remote or self.place).split("/")[-2:]
        return "/".join(above) if len(above) == 2 else self.name

    @property
    def place(self) -> str:
        """The root below its owner's folder: the same for everyone who keeps projects alike."""
        return _HOME.sub("", self.root).strip("/")

    def is_same(self, other: Project) -> bool:
        """One remote, or one place where no remote tells them apart."""
        if self.remote and other.remote:
            # a log may leave the host out
            longer, shorter = sorted((f"/{self.remote}", f"/{other.remote}"), key=len, reverse=True)
            return longer.casefold().endswith(shorter.casefold())
        return bool(self.place) and self.place == other.place


def project_of(cwd: str | None, root: str | None = None, remote: str | None = None) -> Project | None:
    """The project of a session that was run in `cwd`, or None: in a temporary folder, or where the log is silent."""
    place = _root_of(root or cwd or "")
    known = _remote_of(remote or "")
    name = known.rpartition("/")[2] or _name_of(place)
    return Project(name, place, known) if name else None


def choose_name(project: Project, known: Iterable[Project]) -> str:
    """The name that the same project has already, else one that no other has; `known` bear their stored names."""
    others = list(known)
    for other in others:
        if project.is_same(other):
            return other.name
    taken = {other.name.casefold() for other in others}
    return project.name if project.name.casefold() not in taken else project.qualified


def _root_of(path: str) -> str:
    """The root of the repository that a path lies in, as far as the path tells it."""
    path = re.sub(r"/{2,}", "/", path.strip().replace("\\", "/")).rstrip("/")
    if not re.match(r"^(?:[A-Za-z]:)?/", path):
        return ""
    if tree := _WORKTREE.match(path):
        return tree["root"]
    if kept := _KEPT_WORKTREE.match(path):
        return kept["home"] + kept["name"]
    parts = path.split("/")
    while parts[-1].casefold() in _INSIDE and _name_of("/".join(parts[:-1])):
        parts.pop()
    return "/".join(parts)


def _name_of(root: str) -> str:
    """The last folder's name; with the one above it where many projects are called so."""
    parts = [part for part in _HOME.sub("", root).split("/") if part]
    if not parts or parts[-1].casefold() in _CONTAINERS or parts[-1].startswith("."):
        return ""
    name = parts[-1]
    if name.casefold() in _COMMON and len(parts) > 1 and parts[-2].casefold() not in _CONTAINERS:
        return f"{parts[-2]}/{name}"
    return name


def _remote_of(remote: str) -> str:
    found = _REMOTE.match(remote.strip())
    if found is None:
        return ""
    host = f"{found['host'].lower()}/" if found["host"] else ""
    return host + found["path"].strip("/").removesuffix(".git")
