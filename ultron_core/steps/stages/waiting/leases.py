"""Leases on rows: pending work, automation, a backfill and the library never work on the same row at once."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from types import TracebackType
from typing import Protocol, Self, TypeVar
from uuid import UUID, uuid4

import psycopg

from ultron_core.errors import DatabaseUnreachableError
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.waiting import holders
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["LASTS", "Leases", "telling"]

logger = logging.getLogger("ultron.process")
_SQL = NamedQueries("log/leases")
#: a holder that died elsewhere is replaced after at most this long, the interval of the pending-work sensor; one that
#: died on this machine, in this container, at once
LASTS = timedelta(seconds=60)
#: three renewals may fail before another process takes the rows over
_RENEW_SECONDS = LASTS.total_seconds() / 4
#: 20,000 files are told of in about two minutes on a busy machine
_LONGEST_TELLING = timedelta(minutes=10)


class _HasId(Protocol):
    @property
    def id(self) -> UUID: ...


Waiting = TypeVar("Waiting", bound=_HasId)


class Leases:
    """What one batch of one process holds. Renewed by a thread while the block runs, released at its end.

    No transaction stays open meanwhile: a model call may take minutes.
    """

    def __init__(self, runtime: Runtime, stage: str) -> None:
        self._runtime, self._stage, self._holder = runtime, stage, uuid4()
        self._over = threading.Event()
        self._renewer: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._renewer is None:
            return
        self._over.set()
        self._renewer.join()
        with self._runtime.database.transaction() as conn:
            _SQL.run(conn, "release", self._params)

    @property
    def _params(self) -> dict[str, object]:
        return {"holder": self._holder, "lasts": LASTS}

    def take(self, find: Callable[[Connection], Sequence[Waiting]]) -> list[Waiting]:
        """What `find` says waits, locked by its query, as far as nobody else works on it."""
        with self._runtime.database.transaction() as conn:
            self._release_dead(conn)
            waiting = find(conn)
            mine = self.claim(conn, [row.id for row in waiting])
        return [row for row in waiting if row.id in mine]

    def _release_dead(self, conn: Connection) -> None:
        """Free what processes of this place held that are gone."""
        for row in _SQL.fetch(conn, "holders", {"host": holders.place()}):
            if not holders.is_running(row["pid"], row["started"]):
                _SQL.run(conn, "release", {"holder": row["holder"]})

    def claim(self, conn: Connection, ids: Sequence[UUID]) -> set[UUID]:
        """Those of these rows that are free; the transaction must have locked them while they waited."""
        if not ids:
            return set()
        mine = {
            "account_id": self._runtime.account_id,
            "stage": self._stage,
            "ids": list(ids),
            "host": holders.place(),
            "pid": os.getpid(),
            "started": holders.began(os.getpid()),
        }
        claimed = {row["row_id"] for row in _SQL.fetch(conn, "claim", {**self._params, **mine})}
        if claimed and self._renewer is None:
            self._renewer = threading.Thread(target=self._renew, name=f"leases of {self._stage}", daemon=True)
            self._renewer.start()
        return claimed

    def _renew(self) -> None:
        while not self._over.wait(_RENEW_SECONDS):
            try:
                with self._runtime.database.transaction() as conn:
                    _SQL.run(conn, "renew", self._params)
            # also while all connections of the pool are in use: the next renewal may find one
            except (psycopg.Error, DatabaseUnreachableError) as error:
                logger.warning("the leases of %s could not be renewed: %s", self._stage, error)


@contextmanager
def telling(runtime: Runtime, asset: str) -> Iterator[None]:
    """Whoever tells others of an asset is alone in this block: what one looks up as not told yet, no other
    tells meanwhile. A connection of its own holds it, and lets go when its process dies.

    Of one that neither tells nor dies nobody hears: after _LONGEST_TELLING others go on, as told twice is better than
    never.
    """
    with runtime.database.direct() as conn:
        conn.execute("SET statement_timeout = 0")  # who tells of many files at a busy hour takes minutes
        _SQL.run(conn, "wait_to_tell", {"seconds": f"{_LONGEST_TELLING.total_seconds():.0f}s"})
        conn.execute("SET tcp_keepalives_idle = 30")  # a machine that has gone away holds it for no longer
        try:
            _SQL.run(conn, "tell", {**runtime.account, "asset": asset})
        except psycopg.errors.LockNotAvailable:
            logger.warning("another process has told of %s for %s: this one goes on", asset, _LONGEST_TELLING)
        yield
