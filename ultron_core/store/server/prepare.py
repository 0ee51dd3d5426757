"""The data folder of the embedded PostgreSQL before each start: made once, settings written, dead locks taken away."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from ultron_core.errors import ServerStartError
from ultron_core.store.server.access import USER, write_access
from ultron_core.store.server.place import PORT, Place, make_socket_dir, package_major
from ultron_core.store.server.process import NO_PROCESS, is_postgres, read_pid_file, run_program

__all__ = ["prepare"]

#: a longer log of the server is put aside at its next start
_LOG_LIMIT_BYTES = 10_000_000


def prepare(place: Place, listen_port: int | None) -> None:
    """Everything that a start needs; nobody else may start or stop the server meanwhile. Raises ServerStartError."""
    _check_major(place)
    try:
        if not (place.data_dir / "PG_VERSION").exists():
            _init(place)
        before = read_pid_file(place)
        # programs with another temporary folder go on at the address that they know
        socket_dir = make_socket_dir(place, before.socket_dir if before is not None and before.port else None)
        _write_conf(place, socket_dir, listen_port)
        write_access(place, listen_port)
        _prepare_log(place)
        _forget_dead_server(place, socket_dir)
    except OSError as error:
        raise ServerStartError(
            f"The server could not be prepared: {error}. Check permissions and free space of {place.root}."
        ) from error


def _check_major(place: Place) -> None:
    """Raises ServerStartError for a data folder of another major version, before anything in it is touched."""
    try:
        made_by = (place.data_dir / "PG_VERSION").read_text("utf-8").strip()
    except OSError:
        return  # none, or damaged: what comes next says so
    if made_by != str(package_major()):
        raise ServerStartError(
            f"{place.data_dir} was made by PostgreSQL {made_by}, this version of Ultron has {package_major()}: nothing "
            "was touched. With the version of Ultron that you used before, run `ultron backup FILE`; move "
            f"{place.root} aside, and run `ultron restore FILE` with this one."
        )


def _init(place: Place) -> None:
    """A new data folder, made aside and renamed, so that an interrupted one is never taken for whole."""
    if (place.data_dir / "global").exists():
        raise ServerStartError(
            f"{place.data_dir} is a damaged PostgreSQL data folder: it has no PG_VERSION. Restore {place.root} from "
            "your backup (docs/transfer.md), with what is there now moved aside."
        )
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
    done = run_program(place, "initdb", "-D", str(work), "-U", USER, "--auth=trust", "--encoding=UTF8",
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
        "log_min_messages": "log",  # without errors of statements: they are told whoever sent them, and quote words
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
    if log.exists() and log.stat().st_size > _LOG_LIMIT_BYTES:
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
        if not (first.isdigit() and is_postgres(int(first), place.data_dir)):
            lock.unlink()
    path = place.data_dir / "postmaster.pid"
    running = read_pid_file(place)
    if running is None or is_postgres(running.pid, place.data_dir):
        return
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([f"{NO_PROCESS}\n", *lines[1:]]), "utf-8")
