"""Takes up what ingests left to do, unless Dagster does, and what hooks could not deliver.

While `ultron dev` runs in the same home its sensors take up what waits. Dagster elsewhere on the same database and this
worker share the work: rows are taken under leases, none twice.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg

from ultron_core.client import Ultron
from ultron_core.errors import InputError, UltronError
from ultron_core.folders import DAGSTER_LOCK, is_taken
from ultron_core.serve.backend import Backend
from ultron_core.serve.roots import check_inside, default_roots

__all__ = ["Worker", "deliver_spool"]

logger = logging.getLogger("ultron.serve")
#: a log that nobody ended is judged once it is quiet: looked for this often
_LOOK_SECONDS = 60.0
#: what is under way when the server ends has this long; a log of 300,000 messages took more than four minutes
_STOP_SECONDS = 3.0
#: a beginning that failed is tried again so soon
_AGAIN_SECONDS = 1.0


class Worker:
    """One thread; `wake` after an ingest."""

    def __init__(
        self, backend: Backend, home: Path, on_start: Callable[[Ultron], None] = lambda _: None
    ) -> None:
        """`on_start` is called once, when the models are loaded."""
        self._backend, self._home, self._on_start = backend, home, on_start
        self._wanted = threading.Event()
        self._stopping = threading.Event()
        # the process may end under it: rows are written whole, and a dead holder's leases are free
        self._thread = threading.Thread(target=self._run, name="ultron-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self._wanted.set()

    def stop(self, seconds: float = _STOP_SECONDS) -> None:
        """After what it does now, if that ends soon; else it is left as a kill would leave it, to the next start."""
        self._stopping.set()
        self._wanted.set()
        self._thread.join(seconds)
        if self._thread.is_alive():
            logger.warning("work was under way when the server ended: the next start takes it up again")

    def _run(self) -> None:
        while not self._backend.wait(0.2):
            if self._stopping.is_set():
                return
        if not self._backend.loaded:
            logger.error("Nothing can be answered: %s", self._backend.error)
            return
        begun = False
        while not self._stopping.is_set():
            self._wanted.clear()
            try:
                if not begun:
                    self._on_start(self._backend.ultron)
                    begun = True
                self._look()
            except (UltronError, psycopg.Error) as error:
                # the next round tries again; the message may hold a path or a row
                logger.warning("work that waits could not be done: %s", type(error).__name__)
            self._wanted.wait(_LOOK_SECONDS if begun else _AGAIN_SECONDS)

    def _look(self) -> None:
        ultron = self._backend.ultron
        deliver_spool(ultron, self._home, self._backend.roots or default_roots(ultron.settings, Path.home()))
        if not is_taken(self._home / DAGSTER_LOCK):
            ultron.process_pending()


def deliver_spool(ultron: Ultron, home: Path, roots: Sequence[Path]) -> int:
    """Ingest the sessions that hooks noted while no server answered; returns how many. A note that cannot be used is
    put aside as `.bad`, where `ultron doctor` counts it."""
    done = 0
    for note in sorted((home / "spool").glob("*.json")):
        try:
            told = json.loads(note.read_text("utf-8"))
            ultron.ingest(check_inside([told["path"]], roots), told["agent_id"], over=told["over"])
        except (ValueError, KeyError, TypeError, InputError):
            note.replace(note.with_suffix(".bad"))
            continue
        note.unlink(missing_ok=True)
        done += 1
    return done
