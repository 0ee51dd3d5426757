"""How `ultron serve` ends within ten seconds of a signal, whatever its requests and its database do.

Requests have three seconds; then the database is let go of, which ends the statements that they wait for; a process
that is still there after nine seconds ends as it stands. Rows are written whole, and leases of a process that is gone
are free.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import uvicorn

__all__ = ["REQUEST_SECONDS", "StoppableServer"]

logger = logging.getLogger("ultron.serve")
#: requests under way have so long
REQUEST_SECONDS = 3
#: after the signal: the database is let go of, and the process is gone
_LET_GO_SECONDS, _GONE_SECONDS = REQUEST_SECONDS + 1.0, 9.0


class StoppableServer(uvicorn.Server):
    """uvicorn sends itself the signal again once it has stopped; here a stop that was asked for is no failure."""

    def __init__(
        self, config: uvicorn.Config, at_once: Callable[[], None], let_go: Callable[[], None]
    ) -> None:
        """`at_once` is called with the signal, `let_go` when requests have had their time; it may block."""
        super().__init__(config)
        self._at_once, self._let_go = at_once, let_go

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """What a signal does; a second one changes nothing."""
        if not self.should_exit:
            self._at_once()
            for seconds, what in ((_LET_GO_SECONDS, self._let_go), (_GONE_SECONDS, _end_as_it_stands)):
                timer = threading.Timer(seconds, what)
                timer.daemon = True
                timer.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _end_as_it_stands() -> None:
    logger.warning(
        "Something was under way for longer than a stop may take: the next start takes it up again."
    )
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(0)
