"""Which files under the given paths are session files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ultron_core.errors import InputError, SessionFileError

__all__ = ["SUFFIXES", "discover_sessions", "is_session_name"]

#: what a session file in a folder is called
SUFFIXES = (".jsonl", ".jsonl.gz")


def discover_sessions(paths: Iterable[str | Path] | str | Path) -> list[Path]:
    """Session files, sorted, each once.

    A file is taken as given. A directory is searched for `*.jsonl` and `*.jsonl.gz`; below it, names that begin
    with a dot and symbolic links are skipped. Raises SessionFileError for a path that does not exist or a directory
    that cannot be read, InputError for what is not a path at all.
    """
    given = [paths] if isinstance(paths, (str, Path)) else paths
    found: set[Path] = set()
    for path in map(_as_path, given):
        try:
            if path.is_dir():
                found.update(_below(path))
            elif path.exists():
                found.add(path)
            else:
                raise SessionFileError(f"{path} does not exist: name a session file or a folder of them.")
        except OSError as error:
            raise SessionFileError(f"{path} cannot be read: {error.strerror}.") from error
    return sorted(found)


def is_session_name(name: str) -> bool:
    """Whether a file found in a folder is taken for a session; hidden ones are not."""
    return name.endswith(SUFFIXES) and not name.startswith(".")


def _as_path(given: object) -> Path:
    """Raises InputError for what names no file: `ingest("")` would read the working directory."""
    if not isinstance(given, (str, Path)) or given == "":
        raise InputError(f"{given!r} is not a path: name a session file or a folder of them.")
    try:
        os.fsencode(given)
        path = Path(given).expanduser()
    except (UnicodeEncodeError, RuntimeError) as error:
        raise InputError(f"{str(given)!r} is not a path: {error}.") from error
    if "\0" in str(path):
        raise InputError(f"{str(path)!r} is not a path: it contains a NUL.")
    return path


def _below(folder: Path) -> Iterable[Path]:
    def fail(error: OSError) -> None:
        raise SessionFileError(f"{error.filename} cannot be read: {error.strerror}.") from error

    for top, folders, names in os.walk(folder, onerror=fail, followlinks=False):
        folders[:] = sorted(n for n in folders if not n.startswith("."))
        for name in names:
            path = Path(top, name)
            if is_session_name(name) and not path.is_symlink() and path.is_file():
                yield path
