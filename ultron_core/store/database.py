"""A pool of connections to PostgreSQL >= 15 with pgvector >= 0.8.

    database = Database.open(url, pool_size=8, statement_timeout_seconds=120)
    with database.transaction() as conn:
        conn.execute(SQL["insert"], {"id": id})
    found = database.run(lambda conn: conn.execute(SQL["count"]).fetchone())   # with retries

Rows are dicts. Every connection sees the schemas `ultron, public`, speaks UTC and knows pgvector's types.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from pgvector.psycopg import register_vector
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from psycopg.types import TypeInfo
from psycopg_pool import ConnectionPool, PoolTimeout

from ultron_core.errors import DatabaseUnreachableError, PgvectorMissingError, StoreError

__all__ = [
    "CONNECT_SECONDS",
    "PGVECTOR_HELP",
    "Connection",
    "Database",
    "check_pgvector",
    "describe_url",
    "ensure_database",
    "sibling_url",
]

Connection = psycopg.Connection[dict[str, Any]]
T = TypeVar("T")

#: seconds for one connection
CONNECT_SECONDS = 5
#: seconds until a free connection must have been found, and for who may not wait
POOL_WAIT_SECONDS, POOL_SHORT_SECONDS = 30.0, 4.0
#: after so many of them the pool is asked anew, since it tries to connect less and less often; who may not wait gives
#: up then if the server does not answer at all
POOL_LOOK_SECONDS = 1.5
#: a connection that lay idle this long is tried before it is given out: a restarted server has ended it
IDLE_SECONDS = 1.0
#: a client that stopped inside a transaction may not hold its locks for ever
IDLE_IN_TRANSACTION_SECONDS = 300
#: how soon a server notices that a waiting client is gone
VANISHED_SECONDS = 10
#: of a transaction that lost its connection or a lock
ATTEMPTS = 6
#: doubled after each attempt: 1.5 s in all
FIRST_WAIT_SECONDS = 0.05
PGVECTOR_HELP = (
    "Ultron needs pgvector 0.8 or newer: install it on the database server (https://github.com/pgvector/"
    "pgvector), then run `CREATE EXTENSION vector;` (or `ALTER EXTENSION vector UPDATE;`) as its owner."
)


class Database:
    """Connections to one database; safe to share between threads."""

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 8,
        statement_timeout_seconds: float = 120,
        patient: bool = True,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Nothing is connected yet; `open` also checks the server. `jitter` gives numbers from 0 to 1.

        `patient`: a server that is away or busy is waited for, as a long run of stages should; else it is reported
        within seconds.
        """
        self.url = url
        self.patient = patient
        self.statement_timeout_seconds = statement_timeout_seconds
        self._sleep = sleep
        self._jitter = jitter
        self._returned: WeakKeyDictionary[Connection, float] = WeakKeyDictionary()
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=0,
            max_size=pool_size,
            open=False,
            timeout=POOL_LOOK_SECONDS,
            reconnect_timeout=POOL_LOOK_SECONDS / 2,
            kwargs={"row_factory": dict_row, "connect_timeout": CONNECT_SECONDS},
            configure=self._configure,
            check=self._check,
            reset=self._reset,
            connection_class=Connection,
        )

    @classmethod
    def open(cls, url: str, *, pool_size: int = 8, statement_timeout_seconds: float = 120) -> Self:
        """A pool of at most `pool_size` connections to the database at `url`.

        Raises DatabaseUnreachableError, PgvectorMissingError, or StoreError for a server older than 15.
        """
        database = cls(url, pool_size=pool_size, statement_timeout_seconds=statement_timeout_seconds)
        with database.direct() as conn:
            _check_server(conn)
        database._pool.open()
        return database

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; a second call does nothing."""
        self._pool.close()

    def refresh(self) -> None:
        """Replace all connections, after types have been added to the database."""
        self._pool.drain()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection; commits at the end, rolls back on an error. Raises DatabaseUnreachableError."""
        context, conn = self._free_connection()
        try:
            yield conn
        except BaseException as error:
            context.__exit__(type(error), error, error.__traceback__)
            raise
        context.__exit__(None, None, None)

    def _free_connection(self) -> tuple[AbstractContextManager[Connection], Connection]:
        seconds = POOL_WAIT_SECONDS if self.patient else POOL_SHORT_SECONDS
        until = time.monotonic() + seconds
        while True:
            context = self._pool.connection()
            try:
                return context, context.__enter__()
            except PoolTimeout as error:
                if not self.patient:
                    _connect(self.url).close()
                if time.monotonic() > until:
                    raise DatabaseUnreachableError(
                        f"No connection to {describe_url(self.url)} within {seconds:.0f} s: it is down, or "
                        "all connections are in use (ULTRON_DATABASE_POOL_SIZE)."
                    ) from error

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection inside one transaction."""
        with self.connection() as conn, conn.transaction():
            yield conn

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """A connection in autocommit for work of several transactions; its temporary tables go at the end."""
        with self.connection() as conn:
            conn.autocommit = True
            try:
                yield conn
            finally:
                if not conn.broken:
                    conn.execute("DISCARD TEMPORARY")
                    conn.autocommit = False

    @contextmanager
    def direct(self) -> Iterator[Connection]:
        """A connection of its own outside the pool, in autocommit. Raises DatabaseUnreachableError."""
        with _connect(self.url) as conn:
            self._configure(conn)
            yield conn

    def run(self, work: Callable[[Connection], T], *, attempts: int = ATTEMPTS) -> T:
        """What `work` returns, run in one transaction; again after a deadlock, a serialisation failure or a
        lost connection, at most `attempts` times with growing waits.

        A connection lost during COMMIT may have committed, so `work` must be safe to repeat. Raises
        DatabaseUnreachableError when the connection is lost each time, else psycopg's own error.
        """
        return self._repeat(self.transaction, work, attempts)

    def run_session(self, work: Callable[[Connection], T], *, attempts: int = ATTEMPTS) -> T:
        """`run` for work that commits as it goes: see `session`."""
        return self._repeat(self.session, work, attempts)

    def _repeat(
        self,
        connect: Callable[[], AbstractContextManager[Connection]],
        work: Callable[[Connection], T],
        attempts: int,
    ) -> T:
        for attempt in range(1, attempts + 1):
            lost = False
            try:
                with connect() as conn:
                    try:
                        return work(conn)
                    finally:
                        lost = conn.broken
            except (errors.SerializationFailure, errors.DeadlockDetected):
                if attempt == attempts:
                    raise
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                if not (lost or _is_lost(error)):
                    raise
                if attempt == attempts:
                    raise DatabaseUnreachableError(
                        f"Lost the connection to {describe_url(self.url)} {attempts} times in a row. "
                        "Look whether the server runs, then start the same again."
                    ) from error
            self._sleep(FIRST_WAIT_SECONDS * 2 ** (attempt - 1) * (0.5 + self._jitter()))
        raise ValueError("attempts must be at least 1")

    def _reset(self, conn: Connection) -> None:
        self._returned[conn] = time.monotonic()

    def _check(self, conn: Connection) -> None:
        if time.monotonic() - self._returned.get(conn, 0.0) > IDLE_SECONDS:
            ConnectionPool.check_connection(conn)

    def _configure(self, conn: Connection) -> None:
        conn.execute(
            "SELECT set_config('search_path', 'ultron, public', false), set_config('TimeZone', 'UTC', false),"
            " set_config('statement_timeout', %(ms)s, false),"
            " set_config('idle_in_transaction_session_timeout', %(idle)s, false),"
            " set_config('client_connection_check_interval', %(vanished)s, false),"
            # a filter must not empty the result; plans of short statements, on servers not set up by us too
            " set_config('hnsw.iterative_scan', 'relaxed_order', false), set_config('hnsw.ef_search', '100', false),"
            " set_config('jit', 'off', false), set_config('max_parallel_workers_per_gather', '0', false)",
            {
                "ms": str(int(self.statement_timeout_seconds * 1000)),
                "idle": f"{IDLE_IN_TRANSACTION_SECONDS}s",
                "vanished": f"{VANISHED_SECONDS}s",
            },
        )
        # before the first migration a new database has no extension yet
        if TypeInfo.fetch(conn, "vector") is not None:
            register_vector(conn)
        if not conn.autocommit:
            conn.commit()


def describe_url(url: str) -> str:
    """`database on host` of a connection string, without user and password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return "the database (its URL is malformed)"
    where = parts.get("host") or "the local socket"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"database {parts.get('dbname') or '(default)'} on {where}{port}"


def ensure_database(url: str) -> None:
    """Create the database that `url` names when its server has none of that name.

    Raises DatabaseUnreachableError when the server cannot be reached or does not let this user create one.
    """
    try:
        _connect(url).close()
        return
    except DatabaseUnreachableError as error:
        first = error
    name = str(conninfo_to_dict(url).get("dbname") or "") if _is_url(url) else ""
    if not name:
        raise first
    try:
        maintenance = _connect(make_conninfo(url, dbname="postgres"))
    except DatabaseUnreachableError:
        raise first from None
    with maintenance as conn:
        if conn.execute("SELECT 1 FROM pg_database WHERE datname = %(name)s", {"name": name}).fetchone():
            raise first
        try:
            conn.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(name))
            )
        except (errors.DuplicateDatabase, errors.UniqueViolation):
            return  # another process was faster
        except errors.InsufficientPrivilege as error:
            raise DatabaseUnreachableError(
                f"Database {name} does not exist and this user may not create it; create it as its owner."
            ) from error


def sibling_url(url: str, name: str) -> str:
    """The URL of another database on the same server, in the form of the given one."""
    if "://" not in url:
        return make_conninfo(url, dbname=name)
    head, _, query = url.partition("?")
    scheme, _, rest = head.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/{name}" + (f"?{query}" if query else "")


def _connect(url: str) -> Connection:
    try:
        return Connection.connect(url, autocommit=True, row_factory=dict_row, connect_timeout=CONNECT_SECONDS)
    except psycopg.ProgrammingError as error:
        # psycopg quotes the whole string, password and all
        raise DatabaseUnreachableError(
            "The database URL is malformed; it looks like postgresql://USER@HOST:5432/ultron, with a colon and the "
            "password behind USER."
        ) from (error if _is_url(url) else None)
    except psycopg.OperationalError as error:
        password = str(conninfo_to_dict(url).get("password") or "")
        reason = str(error).strip().replace(password, "***") if password else str(error).strip()
        raise DatabaseUnreachableError(
            f"Cannot connect to {describe_url(url)}: {reason}. Check ULTRON_DATABASE_URL and the server."
        ) from None


def _is_url(url: str) -> bool:
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return False
    return True


def _is_lost(error: psycopg.Error) -> bool:
    """Class 57P (shut down by the operator), class 08 (connection), or no answer from the server at all."""
    state = error.sqlstate
    return state is None or state.startswith(("57P", "08"))


def _check_server(conn: Connection) -> None:
    if conn.info.server_version < 150_000:
        raise StoreError(
            f"PostgreSQL {conn.info.server_version // 10_000} is too old; Ultron needs 15 or newer."
        )
    row = conn.execute(
        "SELECT coalesce(installed_version, default_version) AS version FROM pg_available_extensions"
        " WHERE name = 'vector'"
    ).fetchone()
    check_pgvector(row["version"] if row else None)


def check_pgvector(version: str | None) -> None:
    """Raises PgvectorMissingError unless `version` (as `0.8.1`; None = not there) is at least 0.8."""
    if version is None:
        raise PgvectorMissingError(f"The database server has no pgvector. {PGVECTOR_HELP}")
    if tuple(int(part) for part in version.split(".")[:2]) < (0, 8):
        raise PgvectorMissingError(f"The database has pgvector {version}. {PGVECTOR_HELP}")
