"""Which files under the given paths are session files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ultron_core.errors import SessionFileError

__all__ = ["discover_sessions"]


def discover_sessions(paths: Iterable[str | Path] | str | Path) -> list[Path]:
    """Session files, sorted, each once.

    A file is taken as given. A directory is searched for `*.jsonl`; below it, names that begin with a dot
    and symbolic links are skipped. Raises SessionFileError for a path that does not exist or a directory
    that cannot be read.
    """
    given = [paths] if isinstance(paths, (str, Path)) else paths
    found: set[Path] = set()
    for path in map(Path, given):
        if path.is_dir():
            found.update(_below(path))
        elif path.exists():
            found.add(path)
        else:
            raise SessionFileError(f"{path} does not exist.")
    return sorted(found)


def _below(folder: Path) -> Iterable[Path]:
    def fail(error: OSError) -> None:
        raise SessionFileError(f"{error.filename} cannot be read: {error.strerror}.") from error

    for top, folders, names in os.walk(folder, onerror=fail, followlinks=False):
        folders[:] = sorted(n for n in folders if not n.startswith("."))
        for name in names:
            path = Path(top, name)
            if (
                name.endswith(".jsonl")
                and not name.startswith(".")
                and not path.is_symlink()
                and path.is_file()
            ):
                yield path
