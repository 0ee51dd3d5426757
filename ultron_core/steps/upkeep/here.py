"""Where in this home the things lie that a row remembers by an absolute path: a home may have been copied or moved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ultron_core.paths import is_below
from ultron_core.settings import Settings

__all__ = ["adapter_here", "dataset_here", "log_here", "read_from"]


def read_from(row: Mapping[str, Any]) -> str:
    """The path or address that the file of a session row was read from; empty when none is known."""
    private = row["private_path"]
    return "" if private is None else os.fsdecode(bytes(private))


def log_here(settings: Settings, row: Mapping[str, Any]) -> Path | None:
    """The log of a session row in this home's drop folder, if it is there: a plain file, no link."""
    remembered = read_from(row)
    if not remembered or "://" in remembered:
        return None
    root = settings.sessions_dir.resolve()
    found = (place for place in _log_places(root, Path(remembered), row) if _is_plain_file_below(place, root))
    return next(found, None)


def _log_places(root: Path, remembered: Path, row: Mapping[str, Any]) -> Iterator[Path]:
    """Where the drop folder would have it. The end of the remembered path is taken, not the stored name: that one is
    redacted."""
    yield remembered
    name: str = row["session_file"]
    if name.startswith("@abs/"):
        return
    depth = name.removeprefix("@root/").count("/") + 1
    if not name.startswith("@root/"):
        yield root.joinpath(*remembered.parts[-depth - 1 :])
    if row["agent_id"] == "default":  # also of what lies in no folder of an agent
        yield root.joinpath(*remembered.parts[-depth:])


def _is_plain_file_below(path: Path, root: Path) -> bool:
    return path.is_file() and not path.is_symlink() and is_below(path, [root])


def dataset_here(settings: Settings, remembered: Path) -> Path:
    """The folder `<name>/<version>` of a dataset, in this home if it is there."""
    return _folder_here(settings.exports_dir.resolve(), remembered, 2)


def adapter_here(settings: Settings, remembered: Path) -> Path:
    """The folder of an adapter, in this home if it is there."""
    return _folder_here(settings.adapters_dir.resolve(), remembered, 1)


def _folder_here(root: Path, remembered: Path, depth: int) -> Path:
    here = root.joinpath(*remembered.parts[-depth:])
    return here if here.is_dir() and not is_below(remembered, [root]) else remembered
