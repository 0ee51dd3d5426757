"""Where the home is; new folders belong to their owner alone: they hold what people and agents said."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "DAGSTER_LOCK",
    "exposed",
    "find_home",
    "is_taken",
    "make_folders",
    "make_home",
    "narrow",
    "only_one",
]

#: in the home: held while `ultron dev` runs, whose sensors take up what waits
DAGSTER_LOCK = "dev.lock"
#: for the owner alone
_PRIVATE = 0o700
#: another account may pass through to what it owns further in, and sees no names on the way
_PASSABLE = 0o711
#: reading and writing, and entering, by anybody but the owner
_READ_OR_WRITE, _ENTER = 0o066, 0o011


def find_home(env: Mapping[str, str]) -> Path:
    """ULTRON_HOME, else the user's data folder: the same store whatever folder a command runs in."""
    if env.get("ULTRON_HOME"):
        return Path(env["ULTRON_HOME"]).expanduser()
    base = env.get("XDG_DATA_HOME") or str(Path(env.get("HOME", "~")).expanduser() / ".local" / "share")
    return Path(base) / "ultron"


def make_folders(folder: Path) -> None:
    """Like `mkdir -p`: new folders are for their owner alone, whatever the umask; others keep their permissions."""
    _make(folder, _PRIVATE)


def make_home(folder: Path) -> None:
    """The same, but root's let others pass: PostgreSQL runs as another account within."""
    _make(folder, _PASSABLE if os.geteuid() == 0 else _PRIVATE)


def exposed(*places: Path) -> Iterator[Path]:
    """Folders and files of ours in these places, and the places themselves, that other accounts may read or write. What
    lies below a folder that others cannot enter is out of their reach; links are not followed."""
    for place in places:
        if place.exists() and all(_mode(folder) & _ENTER for folder in place.absolute().parents):
            yield from _exposed(place)


def _exposed(path: Path) -> Iterator[Path]:
    try:
        found = path.lstat()
    except OSError:
        return  # not there, or gone meanwhile
    if found.st_uid == os.geteuid() and found.st_mode & _READ_OR_WRITE and not stat.S_ISLNK(found.st_mode):
        yield path
    if stat.S_ISDIR(found.st_mode) and found.st_mode & _ENTER:
        try:
            below = sorted(path.iterdir())
        except OSError:
            return  # another account's, as PostgreSQL's
        for one in below:
            yield from _exposed(one)


def narrow(path: Path) -> None:
    """Take reading and writing from other accounts; that they may pass through a folder stays."""
    path.chmod(_mode(path) & ~_READ_OR_WRITE)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def only_one(lock: Path) -> Iterator[bool]:
    """Hold a lock file for the block, made if need be; False, without waiting, when another process has it.

    The kernel lets go of it however the holder ends. Programs that are started within do not inherit it.
    """
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def is_taken(lock: Path) -> bool:
    """Whether a process holds this lock; makes no file."""
    try:
        handle = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _make(folder: Path, mode: int) -> None:
    if folder.is_dir():
        return
    _make(folder.parent, mode)
    try:
        folder.mkdir(mode=_PRIVATE)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(mode)
