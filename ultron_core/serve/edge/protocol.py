"""Connections that cost little: heads and readers that dawdle are let go, and there are only so many at a time.

uvicorn times a connection between two requests, but neither a head that never ends nor an answer that nobody reads.
"""

from __future__ import annotations

import asyncio
import resource

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["HEAD_BYTES", "BoundedProtocol", "most_connections"]

#: from the connection, or the last answer, to the whole head of a request
_HEAD_SECONDS = 10.0
#: for a client to take more of its answer
_READ_SECONDS = 30.0
#: of the head of a request; browsers and proxies send some 2 kB
HEAD_BYTES = 32_768
#: at a time; half of what the process may open where that is less, as database, logs and models need some, too
_MOST_CONNECTIONS = 512


def most_connections() -> int:
    """How many connections are held at a time."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(16, min(_MOST_CONNECTIONS, soft // 2))


class BoundedProtocol(H11Protocol):
    """One connection."""

    _head: asyncio.TimerHandle | None = None
    _reader: asyncio.TimerHandle | None = None

    @property
    def waits_since(self) -> float | None:
        """When its time for the next head ends; None while a request is under way."""
        return None if self._head is None else self._head.when()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()
        if len(self.connections) > most_connections():
            self._make_room()

    def _make_room(self) -> None:
        """Whoever has sent no request for longest goes: a newcomer is rather somebody who wants something."""
        waiting = [
            one
            for one in self.connections
            if isinstance(one, BoundedProtocol) and one.waits_since is not None
        ]
        oldest = min(waiting, key=lambda one: one.waits_since or 0.0, default=self)
        self.connections.discard(oldest)
        oldest.transport.abort()

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before and self.cycle is not None and not self.cycle.response_complete:
            self._stop_head()
            if (
                self.cycle.more_body
            ):  # not before it is asked for: its sender may have to wait, or have no key
                self.flow.pause_reading()

    def on_response_complete(self) -> None:
        self._await_head()  # before, as a request that came meanwhile begins in it
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reader = self._reader or self.loop.call_later(_READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None
        super().resume_writing()

    def _await_head(self) -> None:
        self._stop_head()
        self._head = self.loop.call_later(_HEAD_SECONDS, self._late)

    def _stop_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _late(self) -> None:
        self._head = None
        self.transport.abort()
