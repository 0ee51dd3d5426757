"""`pg_dump` and `pg_restore`: those of the package for the embedded server, those on the path for any other.

Both work through a pipe. What they connect to goes into their environment, where other accounts cannot read a password.
A restore is one transaction: it is there whole, or not at all.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo

from ultron_core.errors import StoreError
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.server.place import binaries

__all__ = ["Tools", "dumped", "end_leftovers", "find_tools", "restore_into", "server_major"]

_SQL = NamedQueries("upkeep/backup")
#: how a restore names itself to the server
RESTORING = "ultron restore"
#: e.g. `pg_dump (PostgreSQL) 18.6`, `pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
#: what the tools say first of an error, without the row that it was about: `pg_restore: error: could not execute query`
_ERROR = re.compile(r"^pg_\w+: (?:error|fatal): (.*)$", re.MULTILINE)
#: of an index over vectors, faster than with what servers give by default
_ROOM = "-c maintenance_work_mem=1GB"


@dataclass(frozen=True, slots=True)
class Tools:
    """Two programs of one major version of PostgreSQL."""

    dump: Path
    restore: Path
    major: int


def server_major(conn: Connection) -> int:
    """The major version of the server."""
    return conn.info.server_version // 10_000


def find_tools(major: int, *, embedded: bool) -> Tools:
    """The tools for a server of this major version. Raises StoreError when there are none or they are older."""
    paths = [_find(name, embedded) for name in ("pg_dump", "pg_restore")]
    own = [_major(path) for path in paths]
    if min(own) < major:
        raise StoreError(
            f"{paths[0].name} and {paths[1].name} on the path are of PostgreSQL {min(own)}, the server is of {major}: "
            f"put the client programs of PostgreSQL {major} or newer first on the PATH."
        )
    return Tools(paths[0], paths[1], min(own))


def _find(name: str, embedded: bool) -> Path:
    if embedded:
        return binaries() / name
    found = shutil.which(name)
    if found is None:
        raise StoreError(
            f"{name} is not on the PATH: install the client programs of PostgreSQL (`postgresql-client`)."
        )
    return Path(found)


def _major(program: Path) -> int:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise StoreError(f"{program} cannot be run: {error}. Install it again.") from error
    found = _VERSION.search(said)
    if found is None:
        raise StoreError(f"{program} does not say its version: {said.strip()!r}. Install it again.")
    return int(found[1])


@contextmanager
def dumped(
    tools: Tools, url: str, *, schema: str | None = None, snapshot: str | None = None
) -> Iterator[IO[bytes]]:
    """A database, or one schema of it, as a stream; of the moment of an exported snapshot if one is named. Raises
    StoreError at the end when the dump did not come to its end."""
    options = ["--format=custom", "--no-owner", "--no-privileges"]
    options += [f"--schema={schema}"] if schema else []
    options += [f"--snapshot={snapshot}"] if snapshot else []
    with (
        tempfile.TemporaryFile() as said,
        _started([tools.dump, *options], _environment(url), said, stdout=subprocess.PIPE) as process,
    ):
        assert process.stdout is not None
        with process.stdout as stream:
            yield stream
        _check(process, said)


def restore_into(tools: Tools, url: str, source: IO[bytes]) -> None:
    """Write a dump into an empty database, all or nothing. Raises StoreError."""
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--dbname="]
    environment = _environment(make_conninfo(url, application_name=RESTORING), PGOPTIONS=_ROOM)
    with (
        tempfile.TemporaryFile() as said,
        _started([tools.restore, *options], environment, said, stdin=subprocess.PIPE) as process,
    ):
        assert process.stdin is not None
        try:
            with process.stdin as pipe:
                shutil.copyfileobj(source, pipe, 1 << 20)
        except BrokenPipeError:
            pass  # it has ended, and says why below
        _check(process, said)


@contextmanager
def _started(
    command: list[Path | str],
    environment: Mapping[str, str],
    said: IO[bytes],
    *,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
) -> Iterator[subprocess.Popen[bytes]]:
    """A program at work on a database; ended if we end before it."""
    process = subprocess.Popen(command, env=environment, stdin=stdin, stdout=stdout, stderr=said)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def _check(process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
    code = process.wait()
    if code:
        said.seek(0)
        told = _ERROR.search(said.read().decode("utf-8", "replace"))
        reason = told[1].splitlines()[0] if told else f"exit code {code}"
        raise StoreError(f"{Path(str(process.args[0])).name} failed: {reason}")  # type: ignore[index]  # a list


def _environment(url: str, **more: str) -> Mapping[str, str]:
    """Ours without any other database, and the parts of the URL under the names that the programs know."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    told = Conninfo.parse(make_conninfo(url).encode())
    parts = {o.envvar.decode(): o.val.decode() for o in told if o.envvar and o.val is not None}
    options = f"{parts.get('PGOPTIONS', '')} {more.get('PGOPTIONS', '')}".strip()
    return {**own, **parts, "LC_ALL": "C", **({"PGOPTIONS": options} if options else {})}


def end_leftovers(conn: Connection) -> None:
    """End restores of killed commands that still work on this database; nobody else may be restoring into it."""
    _SQL.run(conn, "end_leftovers", {"name": RESTORING})
