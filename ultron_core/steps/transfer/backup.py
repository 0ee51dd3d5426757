"""The whole store as one file: both databases of one moment each, the settings without keys, the logs on request."""

from __future__ import annotations

import io
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ultron_core.errors import ConflictError, ExportError, InputError, SettingsError
from ultron_core.folders import make_folders, only_one
from ultron_core.settings import CONFIG_FILE, Settings
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.transfer.archive import (
    DAGSTER_DUMP,
    SESSIONS,
    SETTINGS,
    STORE_DUMP,
    Contents,
    Log,
    Writer,
)
from ultron_core.steps.transfer.manifest import newest_schema, private
from ultron_core.store.database import Connection, Database, sibling_url
from ultron_core.store.digest import digest_of
from ultron_core.store.queries import NamedQueries
from ultron_core.store.server.dumps import Tools, dumped, find_tools, server_major
from ultron_core.version import __version__

__all__ = ["BackedUp", "back_up", "dagster_url", "digests_of"]

_SQL = NamedQueries("upkeep/backup")
#: logs are appended to while they are copied: what was read is what is restored
_LOGS = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What was written. `digests`: of each account's content at that moment."""

    file: Path
    bytes: int
    digests: dict[str, str]
    dagster: bool
    logs: int
    settings: bool


def back_up(runtime: Runtime, file: Path, *, embedded: bool, logs: bool = False) -> BackedUp:
    """Write a new file with everything that the store holds; `logs` the drop folder too.

    Raises InputError for a file that exists, ConflictError while another backup writes it, StoreError when the tools of
    PostgreSQL are missing, too old or fail, ExportError when it cannot be written: then nothing is left of it.
    """
    part = file.with_name(f"{file.name}.part")
    try:
        make_folders(file.parent)
        with only_one(part) as alone:
            if not alone:
                raise ConflictError(f"Another backup writes {file}: wait for it, or name another file.")
            if file.exists():
                raise InputError(f"{file} exists: name a new file.")
            try:
                with open(part, "wb", opener=private) as target:
                    contents = _write(runtime, target, embedded, logs)
                    target.flush()
                    os.fsync(target.fileno())
                part.replace(file)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise ExportError(
            f"The backup cannot be written to {file}: {error.strerror or error}. Check permissions and free space."
        ) from error
    return BackedUp(
        file,
        file.stat().st_size,
        dict(contents.digests),
        DAGSTER_DUMP in contents.files,
        len(contents.logs),
        SETTINGS in contents.files,
    )


def _write(runtime: Runtime, target: IO[bytes], embedded: bool, logs: bool) -> Contents:
    made_at = runtime.clock().isoformat()
    with Writer(target) as writer:
        with runtime.database.direct() as conn:
            tools = find_tools(server_major(conn), embedded=embedded)
            digests = _dump(runtime.database, conn, tools, writer)
            dagster = dagster_url(runtime.settings, runtime.database.url, conn)
        if dagster is not None:
            with dumped(tools, dagster) as stream:
                writer.add(DAGSTER_DUMP, stream)
        if (settings := _settings(runtime.settings)) is not None:
            writer.add(SETTINGS, io.BytesIO(settings.encode()))
        found = _add_logs(runtime.settings, writer) if logs else {}
        contents = Contents(__version__, newest_schema(), tools.major, made_at, digests, writer.files, found)
        writer.end(contents)
    return contents


def _add_logs(settings: Settings, writer: Writer) -> dict[str, Log]:
    found = {}
    for number, path in enumerate(_logs(settings), 1):
        name = f"{SESSIONS}{number:05d}"
        below = path.relative_to(settings.sessions_dir).as_posix()
        found[name] = Log(below, path.stat().st_mtime_ns)
        with path.open("rb") as log:
            writer.add(name, log)
    return found


def _dump(database: Database, conn: Connection, tools: Tools, writer: Writer) -> dict[str, str]:
    """The digests and the dump of one snapshot."""
    conn.execute("SET statement_timeout = 0")
    conn.execute("SET idle_in_transaction_session_timeout = 0")
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        row = conn.execute("SELECT pg_export_snapshot() AS name").fetchone()
        snapshot = None if row is None else row["name"]
        digests = digests_of(conn)
        with dumped(tools, database.url, schema="ultron", snapshot=snapshot) as stream:
            writer.add(STORE_DUMP, stream)
    return digests


def digests_of(conn: Connection) -> dict[str, str]:
    """The digest of every account of the database, in the caller's transaction."""
    return {row["account_id"]: digest_of(conn, row["account_id"]) for row in _SQL.fetch(conn, "accounts", {})}


def dagster_url(settings: Settings, url: str, conn: Connection) -> str | None:
    """Where Dagster keeps its history; None where it never ran."""
    given = settings.store.dagster_database_url
    if given is not None:
        return given
    found = _SQL.fetch(conn, "has_database", {"name": "dagster"})[0]["found"]
    return sibling_url(url, "dagster") if found else None


def _settings(settings: Settings) -> str | None:
    """The settings file of the home without any secret. Raises SettingsError when one cannot be taken out."""
    path = settings.store.home / CONFIG_FILE
    if not path.is_file():
        return None
    text = path.read_text("utf-8")
    variables = {variable for _, names, _, _, secret in settings.describe() if secret for variable in names}
    keys = {variable.removeprefix("ULTRON_").lower() for variable in variables}
    line = re.compile(rf"^[ \t]*(?:{'|'.join(sorted(keys))})[ \t]*=.*(?:\n|\Z)", re.MULTILINE)
    kept = line.sub("", text)
    try:
        known = {key: value for key, value in tomllib.loads(text).items() if key not in keys}
        is_whole = tomllib.loads(kept) == known
    except tomllib.TOMLDecodeError:
        is_whole = False
    if not is_whole:
        raise SettingsError(
            f"{path} has a key that cannot be left out: write each setting on a line of its own."
        )
    return kept


def _logs(settings: Settings) -> Iterator[Path]:
    """Plain files of the drop folder."""
    for path in sorted(settings.sessions_dir.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.name.endswith(_LOGS):
            yield path
