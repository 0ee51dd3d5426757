"""Bring the schema of a database up to this version.

Migrations are the files `store/migrations/NNNN_name.sql`, forward only; a long one is a folder of that name
whose files are its parts. Each runs in a transaction of its own, all of them under one advisory lock, so that
any number of processes may start at once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import errors

from ultron_core.errors import MigrationError, PgvectorMissingError
from ultron_core.store.database import PGVECTOR_HELP, Connection, Database, check_pgvector

__all__ = ["Migration", "make_extension", "migrate", "read_migrations"]

FOLDER = Path(__file__).parent / "migrations"
LOCK = 0x756C74726F6E  # "ultron"
#: e.g. `0001_first`
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+")


@dataclass(frozen=True)
class Migration:
    """One file or folder: its name without `.sql`, its text, and the SHA-256 of that text."""

    name: str
    text: str
    checksum: str


def migrate(database: Database, folder: Path = FOLDER) -> list[str]:
    """Apply what is missing and return the names of what was applied, in order.

    Raises MigrationError when an applied migration was changed since or is not known here (the database is
    newer), or when one fails (it leaves no trace); PgvectorMissingError when the extension cannot be made.
    """
    migrations = read_migrations(folder)
    with database.direct() as conn:
        conn.execute("SET statement_timeout = 0")
        conn.execute("SELECT pg_advisory_lock(%(lock)s)", {"lock": LOCK})  # let go with the connection
        try:
            _prepare(conn)
        except errors.InsufficientPrivilege as error:
            raise MigrationError(
                "This user may not create schema ultron: make it the owner of the database (docs/deployment.md)."
            ) from error
        missing = _missing(conn, migrations)
        for migration in missing:
            _apply(conn, migration)
    if missing:
        database.refresh()
    return [migration.name for migration in missing]


def read_migrations(folder: Path = FOLDER) -> list[Migration]:
    """The migrations in a folder, by number. Raises MigrationError for a bad or repeated number."""
    found = [_read(path) for path in sorted(folder.iterdir()) if path.is_dir() or path.suffix == ".sql"]
    numbers = [int(migration.name[:4]) for migration in found]
    if numbers != list(range(1, len(numbers) + 1)):
        raise MigrationError(f"Migrations must be numbered from 0001 without a gap, not {numbers}.")
    return found


def _read(path: Path) -> Migration:
    if not _NAME.fullmatch(path.stem):
        raise MigrationError(f"{path.name} is not a valid migration name: name it like 0011_topics.sql.")
    parts = sorted(path.glob("*.sql")) if path.is_dir() else [path]
    text = "\n".join(part.read_text("utf-8") for part in parts)
    return Migration(path.stem, text, hashlib.sha256(text.encode()).hexdigest())


def _prepare(conn: Connection) -> None:
    # IF NOT EXISTS asks for the right to create even where nothing is to be made
    if not conn.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'ultron'").fetchone():
        conn.execute("CREATE SCHEMA IF NOT EXISTS ultron")
    if not conn.execute("SELECT to_regclass('ultron.schema_migrations') AS t").fetchone()["t"]:  # type: ignore[index]
        conn.execute(
            "CREATE TABLE ultron.schema_migrations (name text PRIMARY KEY, checksum text NOT NULL,"
            " applied_at timestamptz NOT NULL DEFAULT now())"
        )
    make_extension(conn)


def make_extension(conn: Connection) -> None:
    """Enable pgvector where it is not. Raises PgvectorMissingError."""
    installed = "SELECT extversion AS version FROM pg_extension WHERE extname = 'vector'"
    row = conn.execute(installed).fetchone()
    if row is None:
        try:
            conn.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        except (errors.InsufficientPrivilege, errors.FeatureNotSupported, errors.UndefinedFile) as error:
            raise PgvectorMissingError(f"pgvector could not be enabled. {PGVECTOR_HELP}") from error
        row = conn.execute(installed).fetchone()
    check_pgvector(row["version"] if row else None)


def _missing(conn: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    rows = conn.execute("SELECT name, checksum FROM ultron.schema_migrations ORDER BY name").fetchall()
    known = {migration.name: migration for migration in migrations}
    for row in rows:
        if row["name"] not in known:
            raise MigrationError(
                f"The database has migration {row['name']}, which this version does not know: it is newer. "
                "Install the version of Ultron that made it."
            )
        if known[row["name"]].checksum != row["checksum"]:
            raise MigrationError(
                f"Migration {row['name']} was changed after it was applied. Restore the file, or start with a "
                "new database."
            )
    applied = {row["name"] for row in rows}
    return [migration for migration in migrations if migration.name not in applied]


def _apply(conn: Connection, migration: Migration) -> None:
    try:
        with conn.transaction():
            conn.execute("SET LOCAL search_path = ultron, public")
            conn.execute(migration.text)  # a file of the package
            conn.execute(
                "INSERT INTO ultron.schema_migrations (name, checksum) VALUES (%(name)s, %(checksum)s)",
                {"name": migration.name, "checksum": migration.checksum},
            )
    except psycopg.Error as error:
        raise MigrationError(f"Migration {migration.name} failed and was rolled back: {error}") from error
