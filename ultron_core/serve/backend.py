"""The one `Ultron` of a server process: loaded in the background, and what every request needs beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ultron_core.access.limits import RateLimits
from ultron_core.client import Ultron
from ultron_core.errors import DatabaseUnreachableError, UltronError

__all__ = ["Backend", "Loading"]


class Loading(DatabaseUnreachableError):
    """The models are not loaded yet, or could not be."""


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

    def __post_init__(self) -> None:
        self.limits = RateLimits(self.requests_per_minute, time.monotonic)
        self.last_request = time.monotonic()

    def load(self) -> None:
        """Open Ultron and load its models; `error` says why it did not work."""
        try:
            ultron = self.open_ultron()
            ultron.search_memories("warm", limit=1, record_hits=False)
            self._ultron = ultron
        except UltronError as error:
            self.error = str(error)
        finally:
            self.note_request()
            self._ready.set()

    def note_request(self) -> None:
        """Somebody asked: a server that ends when it is idle stays."""
        self.last_request = time.monotonic()

    def load_in_background(self) -> None:
        threading.Thread(target=self.load, name="ultron-load", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Until the models are loaded, or could not be."""
        return self._ready.wait(seconds)

    @property
    def loaded(self) -> bool:
        return self._ultron is not None

    @property
    def ultron(self) -> Ultron:
        """Raises Loading before it is there."""
        if self._ultron is None:
            raise Loading(self.error or "Ultron is loading its models: try again in a moment.")
        return self._ultron

    def close(self) -> None:
        if self._ultron is not None:
            self._ultron.close()
            self._ultron = None
