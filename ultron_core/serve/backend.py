"""The one `Ultron` of a server process: loaded in the background, and what every request needs beside it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from ultron_core.access.limits import RateLimits
from ultron_core.client import Ultron
from ultron_core.errors import DatabaseUnreachableError, UltronError

__all__ = ["Away", "Backend", "Loading"]

logger = logging.getLogger("ultron.serve")
#: a database that is away while the models load is tried again so soon
_AGAIN_SECONDS = 1.0
#: a database that was not seen to answer for so long is away, whatever became of the look at it
_UNSEEN_SECONDS = 15.0


class Loading(DatabaseUnreachableError):
    """The models are not loaded yet, or could not be."""


class Away(DatabaseUnreachableError):
    """The database is away, as a look at it a moment ago said: nobody needs to wait to hear that."""


@dataclass(slots=True)
class Backend:
    """`open_ultron` is called once, in the background. Safe between threads."""

    open_ultron: Callable[[], Ultron]
    #: folders that `/ingest` may read; None: those of the settings
    roots: Sequence[Path] = ()
    #: host names beside this machine's own under which the server may be asked
    hosts: Sequence[str] = ()
    requests_per_minute: float = 6_000
    #: called after every ingest
    on_ingest: Callable[[], None] = lambda: None
    limits: RateLimits = field(init=False)
    last_request: float = field(init=False)
    error: str = ""
    _ultron: Ultron | None = None
    _ready: threading.Event = field(default_factory=threading.Event)
    _closed: threading.Event = field(default_factory=threading.Event)
    _away: bool = False
    #: when the database was last seen to answer; without a keeper nobody looks
    _seen: float | None = None

    def __post_init__(self) -> None:
        self.limits = RateLimits(self.requests_per_minute, time.monotonic)
        self.last_request = time.monotonic()

    def load(self) -> None:
        """Open Ultron and load its models; `error` says why it did not work, and a database that was away may be back
        at the next try."""
        try:
            self._load()
        except (DatabaseUnreachableError, psycopg.OperationalError) as error:
            self.error = str(error) if isinstance(error, UltronError) else "The database went away."
        except UltronError as error:
            self.error = str(error)
            self._ready.set()
        finally:
            self.note_request()

    def _load(self) -> None:
        ultron = self.open_ultron()
        try:
            ultron.runtime.database.patient = False
            ultron.search_memories("warm", limit=1, record_hits=False)
        except (UltronError, psycopg.Error):
            ultron.close()
            raise
        self._ultron, self.error = ultron, ""
        self._ready.set()
        if self._closed.is_set():  # meanwhile
            self.close()

    def note_request(self) -> None:
        """Somebody asked: a server that ends when it is idle stays."""
        self.last_request = time.monotonic()

    def load_in_background(self) -> None:
        """Until it works, or cannot."""

        def load() -> None:
            self.load()
            if not self._ready.is_set():
                logger.warning("The database is away, and is tried again: %s", self.error)
            while not self._ready.is_set() and not self._closed.wait(_AGAIN_SECONDS):
                self.load()

        threading.Thread(target=load, name="ultron-load", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Until the models are loaded, or could not be."""
        return self._ready.wait(seconds)

    @property
    def loaded(self) -> bool:
        return self._ultron is not None

    @property
    def ultron(self) -> Ultron:
        """Raises Loading before it is there, and Away while its database is known not to answer."""
        if self._ultron is None:
            raise Loading(self.error or "Ultron is loading its models: try again in a moment.")
        if self._away:
            raise Away("The database does not answer: try again in a moment.")
        return self._ultron

    @property
    def status(self) -> str:
        """`loading`, `failed` (it will not become ready), `degraded` (the database is away) or `ready`."""
        if self._ultron is None:
            return "failed" if self._ready.is_set() else "degraded" if self.error else "loading"
        return "degraded" if self.is_away else "ready"

    @property
    def is_away(self) -> bool:
        """Whether the database was away when it was last looked at, or the look at it hangs."""
        return self._away or (self._seen is not None and time.monotonic() - self._seen > _UNSEEN_SECONDS)

    def note_database(self, answers: bool) -> None:
        """What a look at the database said just now."""
        self._away = not answers
        if answers:
            self._seen = time.monotonic()

    def close(self) -> None:
        """Let go of everything; a second call does nothing."""
        self._closed.set()
        ultron, self._ultron = self._ultron, None
        if ultron is not None:
            ultron.close()
