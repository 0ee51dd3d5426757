"""Which project a session, a question or a folder belongs to, by the names that are stored."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ultron_core.errors import InputError, UnknownNameError
from ultron_core.models import SessionInfo
from ultron_core.redaction import redact_patterns
from ultron_core.sessions.project import Project, choose_name, project_of
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions

__all__ = [
    "EVERYTHING",
    "Scope",
    "checked_project",
    "folder_project",
    "project_at",
    "scope_of",
    "session_project",
]

#: a repository's remote in its configuration, e.g. `[remote "origin"] url = git@github.com:owner/shop.git`
_URL = re.compile(r'\[remote "[^"]*"\][^\[]*?\burl\s*=\s*(\S+)')
#: what a worktree has in place of the folder, e.g. `gitdir: /src/shop/.git/worktrees/fix-cart`
_GITDIR = re.compile(r"^gitdir: (.+?)/\.git(?:/|$)")


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories a question is for: `only` leaves out other projects, `first` puts one before them."""

    only: str | None = None
    first: str | None = None


EVERYTHING = Scope()


def session_project(runtime: Runtime, conn: Connection, info: SessionInfo) -> Project | None:
    """The project of a log that was read, under the name that it has here; name and remote are fit to be shown."""
    found = project_of(info.cwd, info.root, info.remote)
    if found is None:
        return None
    found = Project(redact_patterns(found.name).text, found.root, redact_patterns(found.remote).text)
    return Project(choose_name(found, _known(runtime, conn)), found.root, found.remote)


def scope_of(runtime: Runtime, project: str | None = None, all_projects: bool = False) -> Scope:
    """What the caller chose, else the project of the working folder first. Raises UnknownNameError."""
    if all_projects:
        if project is not None:
            raise InputError("Give project or all_projects=True, not both.")
        return EVERYTHING
    if project is not None:
        return Scope(only=checked_project(runtime, project))
    folder = runtime.settings.store.working_folder
    return EVERYTHING if folder is None else Scope(first=_project_here(runtime, folder))


def checked_project(runtime: Runtime, name: str) -> str:
    """The stored name, whatever the case given. Raises UnknownNameError with the near ones."""
    names = {one.name.casefold(): one.name for one in runtime.database.run(lambda c: _known(runtime, c))}
    if name.casefold() not in names:
        raise UnknownNameError("project", name, list(names.values()))
    return names[name.casefold()]


def project_at(runtime: Runtime, place: str | Path) -> str | None:
    """The stored project of a name (raises UnknownNameError), or of a folder (None when it has none here)."""
    return _project_here(runtime, place) if isinstance(place, Path) else checked_project(runtime, place)


def folder_project(folder: Path) -> Project | None:
    """The project of a folder on this machine: that of the repository around it, else its own."""
    for root in (folder, *folder.parents):
        git = root / ".git"
        if git.is_file() and (kept := _GITDIR.match(_read(git))):
            main = Path(kept[1])
            return project_of(str(main), None, _remote(main / ".git" / "config"))
        if git.is_dir():
            return project_of(str(root), str(root), _remote(git / "config"))
    return project_of(str(folder))


def _project_here(runtime: Runtime, folder: Path) -> str | None:
    """The name of the stored project that a folder belongs to: the same repository, or the only one called so."""
    here = folder_project(folder)
    if here is None:
        return None
    known = runtime.database.run(lambda conn: _known(runtime, conn))
    for one in known:
        if here.is_same(one):
            return one.name
    # a clone in another place, of another person
    alike = {
        one.name
        for one in known
        if one.name.casefold() == here.name.casefold() and not (one.remote and here.remote)
    }
    return alike.pop() if len(alike) == 1 else None


def _known(runtime: Runtime, conn: Connection) -> Sequence[Project]:
    rows = sessions.fetch(conn, "known_projects", runtime.account)
    return [Project(row["name"], os.fsdecode(row["root"] or b""), row["remote"]) for row in rows]


def _remote(config: Path) -> str | None:
    found = _URL.search(_read(config))
    return found[1] if found else None


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""  # a folder that may not be read has no known remote
