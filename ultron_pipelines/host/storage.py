"""Where Dagster keeps its runs and events: the database that `ultron dev` names, or a folder that is
thrown away where nobody does.

Else `dg list defs` and `dg check defs` on a fresh clone would ask for a database that they do not need.

Dagster opens a connection for each question and throws it away: it may open its storage any number of times, and does
for every look of a sensor. A connection costs PostgreSQL more than most of these questions, so a process keeps a few.

It writes that a run is going to make a partition one by one, though it hands these events over in batches.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from dagster import DagsterEventType, EventLogEntry
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage, PostgresEventLogStorage
from dagster_postgres.utils import create_pg_engine
from sqlalchemy.engine import Engine

__all__ = ["UltronStorage"]

#: postgresql+psycopg2://...: a bare postgresql:// would pick psycopg 3, which Dagster cannot use
VARIABLE = "ULTRON_DAGSTER_SQLALCHEMY_URL"
#: connections of a process that stay open: one for what it does alone, one for a thread beside it; more are opened when
#: they are needed and closed after that
_KEPT_OPEN = 2
#: no older: a server that is replaced, or a proxy that forgets, is noticed
_RECYCLE_SECONDS = 600
_PLANNED = DagsterEventType.ASSET_MATERIALIZATION_PLANNED


class UltronStorage(DagsterPostgresStorage):
    """PostgreSQL by the environment."""

    @classmethod
    def config_type(cls) -> Mapping[str, Any]:
        return {}

    @classmethod
    def from_config_value(  # type: ignore[override]
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> DagsterStorage:
        """The storage itself; the class only chooses it."""
        url = os.environ.get(VARIABLE)
        if url is None:
            folder = tempfile.mkdtemp(prefix="ultron-dagster-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            return DagsterSqliteStorage.from_local(folder, inst_data)
        return _with_open_connections(url, inst_data)


def _with_open_connections(url: str, inst_data: ConfigurableClassData | None) -> DagsterPostgresStorage:
    """Dagster's storage with the connections of this process, and tables that are looked for once."""
    engine = _engine(url, os.getpid())
    storage = DagsterPostgresStorage(
        postgres_url=url, should_autocreate_tables=url not in _WITH_TABLES, inst_data=inst_data
    )
    _WITH_TABLES.add(url)
    storage._event_log_storage = _Events(url, should_autocreate_tables=False, inst_data=inst_data)
    for part in (storage.run_storage, storage.event_log_storage, storage.schedule_storage):
        part._engine = engine  # type: ignore[union-attr]
    return storage


class _Events(PostgresEventLogStorage):
    """Dagster's own, which writes what was made in batches, but what is planned one by one: milliseconds of PostgreSQL
    and of the daemon for each partition of a run."""

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        if {event.get_dagster_event().event_type for event in events} != {_PLANNED}:
            super().store_event_batch(events)
            return
        rows = [self._event_to_row(event) for event in events]
        insert = SqlEventLogStorageTable.insert().returning(
            SqlEventLogStorageTable.c.id, sort_by_parameter_order=True
        )
        with self._connect() as conn:
            ids = [number for (number,) in conn.execute(insert, rows)]
        newest = {
            event.get_dagster_event().asset_key: (event, number)
            for event, number in zip(events, ids, strict=True)
        }
        with self.index_transaction() as conn:
            for event, number in newest.values():
                self._store_asset_event(conn, event, number)


#: databases in which Dagster's tables were found or made
_WITH_TABLES: set[str] = set()


@lru_cache(maxsize=8)
def _engine(url: str, process: int) -> Engine:
    """One for `process`: a connection must not be used on both sides of a fork."""
    return create_pg_engine(
        url,
        isolation_level="AUTOCOMMIT",
        pool_size=_KEPT_OPEN,
        max_overflow=-1,  # nobody waits for a connection: Dagster opened as many as it liked before
        pool_pre_ping=True,  # of a server that was started again since
        pool_recycle=_RECYCLE_SECONDS,
        pool_use_lifo=True,
    )
