"""Paths that are made of outside words: the one place that says whether a path stays below its folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePath

from ultron_core.errors import InputError

__all__ = ["MOST_NAME_BYTES", "below", "check_folder_name", "is_below", "real_path"]

#: of one name: file systems take 255, and a file that is being written has a longer name for a moment
MOST_NAME_BYTES = 240


def below(root: Path, *words: str | PurePath) -> Path:
    """The path of outside words below `root`, with every symbolic link followed. Touches nothing.

    Raises InputError for one that leads out of it, for the root itself, and for what is no path.
    """
    path = real_path(real_path(root).joinpath(*words))
    if not is_below(path, [root]):
        raise InputError("A path leads out of its folder: name what lies below it, without `..` and links.")
    return path


def is_below(path: Path, roots: Iterable[Path]) -> bool:
    """Whether the path lies below one of the folders, with every symbolic link of all of them followed. Raises
    InputError for what is no path."""
    return not {real_path(root) for root in roots}.isdisjoint(real_path(path).parents)


def real_path(given: str | Path) -> Path:
    """The absolute path behind every symbolic link, there or not; in a text `~` is the user's home. Raises InputError
    for what is no path of this machine."""
    try:
        return (Path(given).expanduser() if isinstance(given, str) else given).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(
            "This is not a path of this machine: it holds a loop, a NUL or an unknown user."
        ) from error


def check_folder_name(field: str, name: str) -> None:
    """Raises InputError, which names the field, unless the name is that of one visible file or folder: no `/`, no dot
    at its beginning, at most MOST_NAME_BYTES."""
    if "/" in name or name.startswith("."):
        raise InputError(
            f"{field} becomes the name of a folder: use one without `/` and without a dot before it."
        )
    if len(name.encode("utf-8", "surrogateescape")) > MOST_NAME_BYTES:
        raise InputError(f"{field} becomes the name of a folder: use at most {MOST_NAME_BYTES} bytes.")
