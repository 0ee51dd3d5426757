"""A backup into an empty home or database: checked whole first, each database in one transaction.

While it is under way the home names the backup in a file: after a kill the same command goes on, and no other one may.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from psycopg import sql

from ultron_core.errors import ConflictError, DatabaseUnreachableError, ExportError, InputError, StoreError
from ultron_core.folders import make_folders, make_home
from ultron_core.paths import below
from ultron_core.settings import CONFIG_FILE, Settings
from ultron_core.steps.transfer.archive import DAGSTER_DUMP, SETTINGS, STORE_DUMP, Archive, opened
from ultron_core.steps.transfer.backup import digests_of
from ultron_core.steps.transfer.manifest import newest_schema, private
from ultron_core.store.database import Connection, Database, ensure_database, sibling_url
from ultron_core.store.migrate import make_extension
from ultron_core.store.queries import NamedQueries
from ultron_core.store.server.dumps import Tools, end_leftovers, find_tools, restore_into, server_major

__all__ = ["Restored", "restore"]

_SQL = NamedQueries("upkeep/backup")
#: in the home, while a restore is under way: which backup it is of
_MARK = "restoring"


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored. `digests`: of each account's content as it is now, equal to those of the backup; none where an
    older version made it, whose digests tell of other things."""

    file: Path
    digests: dict[str, str]
    dagster: bool
    logs: int
    #: whether the settings of the backup were taken; those that the home has stay
    settings: bool


def restore(settings: Settings, url: str, file: Path, *, embedded: bool) -> Restored:
    """Bring everything in a backup into the database at `url` and the home; may be killed and called again.

    Raises InputError, before anything is written, for a file that is damaged, foreign or newer and for a database or
    drop folder that is not empty, ConflictError while another restore runs, StoreError for tools or a server that are
    too old and when what was restored is not what was backed up.
    """
    with opened(file) as archive, _alone(url) as conn:
        try:
            return _Restoring(settings, url, archive, conn, embedded).run()
        except OSError as error:
            raise ExportError(
                f"{settings.store.home} cannot be written: {error.strerror or error}. Make room and restore again."
            ) from error


@contextmanager
def _alone(url: str) -> Iterator[Connection]:
    with Database(url).direct() as conn:
        if not _SQL.fetch(conn, "try_lock", {})[0]["got"]:
            raise ConflictError("Another restore into this database is running: wait for it.")
        end_leftovers(conn)
        conn.execute("SET statement_timeout = 0")
        yield conn


class _Restoring:
    """One restore at work."""

    def __init__(
        self, settings: Settings, url: str, archive: Archive, conn: Connection, embedded: bool
    ) -> None:
        self._settings, self._url, self._archive, self._conn = settings, url, archive, conn
        self._contents = archive.contents
        self._dagster = settings.store.dagster_database_url or sibling_url(url, "dagster")
        self._mark = settings.store.home / _MARK
        self._tools = _fitting(archive, conn, embedded)

    def run(self) -> Restored:
        is_resumed = self._is_resumed()
        if not is_resumed:
            self._check_empty()
            make_home(self._mark.parent)
            _write_whole(self._mark, self._archive.identity.encode())
        try:
            self._restore_ultron()
        except BaseException:
            if not is_resumed:
                self._mark.unlink(missing_ok=True)
            raise
        has_history = self._restore_dagster()
        for name in self._contents.logs:
            self._put_log(name)
        has_settings = self._put_settings()
        digests = self._checked_digests()
        self._mark.unlink()
        return Restored(self._archive.path, digests, has_history, len(self._contents.logs), has_settings)

    def _is_resumed(self) -> bool:
        try:
            return self._mark.read_text("utf-8") == self._archive.identity
        except FileNotFoundError:
            return False

    def _check_empty(self) -> None:
        if _filled(self._conn):
            raise InputError(
                "The store is not empty: restore into a new home (--home) or an empty database. `ultron import` adds "
                "the memories of an export to a store."
            )
        if DAGSTER_DUMP in self._contents.files and self._has_history():
            raise InputError(
                "Dagster's database is not empty: restore into a new home, or name an empty one with "
                "ULTRON_DAGSTER_DATABASE_URL."
            )
        taken = [log.path for log in self._contents.logs.values() if self._log(log.path).exists()]
        if taken:
            raise InputError(
                f"The drop folder has a file {taken[0]} already: restore into a new home, or set ULTRON_SESSIONS_DIR."
            )

    def _has_history(self) -> bool:
        try:
            with Database(self._dagster).direct() as conn:
                return bool(_SQL.fetch(conn, "tables", {}))
        except DatabaseUnreachableError:
            return False  # not made yet; what is wrong otherwise is said when it is made

    def _restore_ultron(self) -> None:
        if _filled(self._conn):
            return  # by the run before
        _SQL.run(self._conn, "drop_schema", {})
        make_extension(self._conn)
        with self._archive.stream(STORE_DUMP) as dump:
            restore_into(self._tools, self._url, dump)

    def _restore_dagster(self) -> bool:
        if DAGSTER_DUMP not in self._contents.files:
            return False
        ensure_database(self._dagster)
        with Database(self._dagster).direct() as conn:
            end_leftovers(conn)
            is_there = bool(_SQL.fetch(conn, "tables", {}))
        if not is_there:
            with self._archive.stream(DAGSTER_DUMP) as dump:
                restore_into(self._tools, self._dagster, dump)
        return True

    def _log(self, path: str) -> Path:
        return below(self._settings.sessions_dir, path)

    def _put_log(self, name: str) -> None:
        log = self._contents.logs[name]
        target = self._log(log.path)
        make_folders(target.parent)
        begun = target.with_name(f".{target.name}.part")
        with open(begun, "wb", opener=private) as handle:
            self._archive.copy(name, handle)
        os.utime(begun, ns=(log.changed, log.changed))
        begun.replace(target)

    def _put_settings(self) -> bool:
        target = self._settings.store.home / CONFIG_FILE
        if SETTINGS not in self._contents.files or target.exists():
            return False
        with self._archive.stream(SETTINGS) as text:
            _write_whole(target, text.read())
        return True

    def _checked_digests(self) -> dict[str, str]:
        """Raises StoreError when the store does not hold what was backed up."""
        if self._contents.schema != newest_schema():
            return {}
        with self._conn.transaction():
            self._conn.execute("SET LOCAL search_path = ultron, public")
            digests = digests_of(self._conn)
        if digests != self._contents.digests:
            raise StoreError(
                f"What was restored is not what {self._archive.path} was made of: their digests differ. Keep the "
                "backup, and restore it into another empty home."
            )
        return digests


def _fitting(archive: Archive, conn: Connection, embedded: bool) -> Tools:
    """The tools for this server. Raises StoreError when it is older than the one that was backed up."""
    major, made_by = server_major(conn), archive.contents.postgres
    if major < made_by:
        raise StoreError(
            f"{archive.path} was made by PostgreSQL {made_by}, this server is {major}: use {made_by} or newer, or take "
            "the memories over with `ultron export` and `ultron import`."
        )
    return find_tools(major, embedded=embedded)


def _filled(conn: Connection) -> bool:
    """Whether a store is there that holds any row; one that was only opened holds none."""
    tables = [row["name"] for row in _SQL.fetch(conn, "tables", {}) if row["schema"] == "ultron"]
    names = [sql.Identifier("ultron", name) for name in tables if name != "schema_migrations"]
    return any(_holds_rows(conn, name) for name in names)


def _holds_rows(conn: Connection, table: sql.Identifier) -> bool:
    row = conn.execute(sql.SQL(_SQL["holds_rows"]).format(table=table)).fetchone()
    return bool(row and row["found"])


def _write_whole(path: Path, text: bytes) -> None:
    begun = path.with_name(f"{path.name}.part")
    with open(begun, "wb", opener=private) as handle:
        handle.write(text)
    begun.replace(path)
