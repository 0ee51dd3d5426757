"""Bodies on their way in: read to a limit, in time, and only so many bytes of all of them at once."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress

from fastapi import Response
from starlette.types import Message, Receive, Scope, Send

__all__ = ["Budget", "Gone", "TooLarge", "TooSlow", "has_body", "read_body", "refuse", "replay"]

#: the longest pause in a body
_PAUSE_SECONDS = 10.0
#: a body may be slow for so long, and after that comes at so many bytes a second on average
_SLOW_SECONDS, _SLOWEST_BYTES = 20.0, 10_000
#: what is still on its way to a request that was refused is thrown away for so long, so that the answer is read
_DRAIN_SECONDS = 2.0


class TooLarge(Exception):
    """A body over the limit."""


class TooSlow(Exception):
    """A body that does not come in time."""


class Gone(Exception):
    """The client left."""


class Budget:
    """Bytes of bodies that are held at a time; who comes first is served first. For one event loop."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, size: int, seconds: float) -> None:
        """Wait for so many bytes. Raises TimeoutError."""
        if not self._waiting and size <= self._free:
            self._free -= size
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        try:
            await asyncio.wait_for(asyncio.shield(turn), seconds)
        except BaseException:
            if turn.done():
                self.give(size)
            else:
                turn.cancel()
            raise

    def give(self, size: int) -> None:
        """So many bytes are let go of."""
        self._free += size
        while self._waiting and (self._waiting[0][1].done() or self._waiting[0][0] <= self._free):
            wanted, turn = self._waiting.popleft()
            if not turn.done():
                self._free -= wanted
                turn.set_result(None)


async def read_body(receive: Receive, most: int) -> bytes:
    """The whole body. Raises TooLarge, TooSlow and Gone."""
    parts: list[bytes] = []  # a buffer that grows leaves holes in the heap, of several times its size
    size = 0
    began = time.monotonic()
    while True:
        try:
            message = await asyncio.wait_for(receive(), _PAUSE_SECONDS)
        except TimeoutError:
            raise TooSlow from None
        if message["type"] != "http.request":
            raise Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise TooLarge
        if not message.get("more_body", False):
            return b"".join(parts)
        if time.monotonic() - began > _SLOW_SECONDS + size / _SLOWEST_BYTES:
            raise TooSlow


def replay(body: bytes, receive: Receive) -> Receive:
    """A body that was read, once more."""
    left: bytes | None = body

    async def again() -> Message:
        nonlocal left
        if left is None:
            return await receive()
        given, left = left, None
        return {"type": "http.request", "body": given, "more_body": False}

    return again


async def refuse(answer: Response, receive: Receive, send: Send) -> None:
    """Answer before the body was read, and end the connection: nobody wants what is still to come."""
    headers = [*answer.raw_headers, (b"connection", b"close")]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": bytes(answer.body), "more_body": True})
    # closed amid what the client sends, the answer would be lost with it
    with suppress(TimeoutError):
        await asyncio.wait_for(_drain(receive), _DRAIN_SECONDS)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    while True:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


def has_body(scope: Scope) -> bool:
    """Whether a request has more than a head."""
    headers = {name.lower(): value for name, value in scope["headers"]}
    return headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
