"""Looks whether the database answers, and starts the embedded server again where it has ended.

Requests hear of a database that is away at once, and `/health` tells it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import psycopg

from ultron_core.client import Ultron
from ultron_core.errors import UltronError
from ultron_core.serve.backend import Backend
from ultron_core.store.watch import DatabaseWatch

__all__ = ["DatabaseKeeper"]

logger = logging.getLogger("ultron.serve")
#: how often the database is asked: a tenth of a millisecond over a connection that is open
_LOOK_SECONDS = 0.5
#: a server that could not be started is tried again so soon
_AGAIN_SECONDS = 5.0


class DatabaseKeeper:
    """One thread, from when the models are loaded until `stop`."""

    def __init__(self, backend: Backend, on_back: Callable[[], None] = lambda: None) -> None:
        """`on_back` is called when a database that was away answers again."""
        self._backend, self._on_back = backend, on_back
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ultron-database", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Look no more. A start that is under way goes on: closing the server waits for it."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._backend.wait(0.2):
            if self._stopping.is_set():
                return
        if not self._backend.loaded:
            return
        ultron = self._backend.ultron
        watch = DatabaseWatch(ultron.runtime.database.url)
        while not self._stopping.wait(_LOOK_SECONDS):
            if watch.answers():
                self._backend.note_database(answers=True)
            else:
                self._bring_back(ultron, watch)
        watch.close()

    def _bring_back(self, ultron: Ultron, watch: DatabaseWatch) -> None:
        self._backend.note_database(answers=False)
        logger.warning("The database does not answer.")
        told = ""
        while not self._stopping.is_set():
            problem = _revive(ultron)
            if watch.answers():
                ultron.runtime.database.refresh()  # its connections are gone
                self._backend.note_database(answers=True)
                logger.warning("The database answers again.")
                self._on_back()
                return
            if problem and problem != told:
                logger.error("%s", problem)
            told = problem
            self._stopping.wait(_AGAIN_SECONDS if problem else _LOOK_SECONDS)


def _revive(ultron: Ultron) -> str:
    """Start the embedded server again, if it is one; returns what went wrong."""
    if ultron.server is not None:
        try:
            ultron.server.revive()
        except (UltronError, psycopg.Error) as error:
            return str(error)
    return ""
