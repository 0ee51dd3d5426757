"""Files of other programs, written whole or not at all: what is there stays, as a backup."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["write_beside"]


def write_beside(path: Path, new: str, old: str | None) -> None:
    """Write `new`; `old`, the text that is there, goes to `<name>.ultron-backup`, None for no file. Links are followed,
    modes kept, folders made."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if old is not None else 0o600
    if old is not None:
        _put(path.with_name(path.name + ".ultron-backup"), old, mode)
    beside = path.with_name(f".{path.name}.ultron-new")
    _put(beside, new, mode)
    beside.replace(path)


def _put(path: Path, text: str, mode: int) -> None:
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
