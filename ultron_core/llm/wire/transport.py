"""HTTP within limits: no redirects, a cap on the bytes of an answer, packed and unpacked, and a total deadline.

A time-out of httpx is one for each read: an endpoint that sends a byte a second is never timed out by it. Here a
timer shuts the socket down when the whole request has taken too long.
"""

from __future__ import annotations

import socket
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from ultron_core.setting_models import is_loopback

__all__ = ["MOST_BYTES", "AnswerTooLargeError", "limited_http"]

#: of one HTTP answer after decompression: twice the longest text that is parsed, which has 4,000,000 characters. A body
#: of empty lists takes forty times its size as values
MOST_BYTES = 8_000_000
#: bytes unpacked at a time, so that a bomb is noticed early
_UNPACKED = 65_536
_HEADERS_OF_BODY = ("content-encoding", "content-length", "transfer-encoding")
_PACKED = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


class AnswerTooLargeError(Exception):
    """The body of an answer is over the cap, or packed in a way that was not offered."""


def limited_http(url: str, seconds: float, most_bytes: int = MOST_BYTES) -> httpx2.Client:
    """An HTTP client for one endpoint; a proxy of the environment is used as usual, but for one on this machine."""
    transport = _LimitedTransport(seconds, most_bytes, _proxy_of(url))
    return httpx2.Client(transport=transport, follow_redirects=False, timeout=seconds)


def _proxy_of(url: str) -> str | None:
    """The proxy of the environment; none for this machine itself: a prompt for its own server would leave it."""
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


class _LimitedTransport(httpx2.HTTPTransport):
    """Reads the whole answer here, whatever its status, so that no caller can be made to read without limit."""

    def __init__(self, seconds: float, most_bytes: int, proxy: str | None) -> None:
        # one connection a request: the deadline needs its socket, which httpx shows when it connects
        super().__init__(proxy=proxy, limits=httpx2.Limits(max_keepalive_connections=0))
        self._seconds, self._most = seconds, most_bytes

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "gzip, deflate"
        deadline = _Deadline(self._seconds)
        request.extensions = {**request.extensions, "trace": deadline.trace}
        try:
            with deadline:
                response = super().handle_request(request)
                try:
                    body = self._body(response)
                finally:
                    response.close()
        except httpx2.HTTPError:
            if deadline.passed:
                raise httpx2.ReadTimeout("the answer took too long", request=request) from None
            raise
        if deadline.passed:  # a socket that is shut down may look like the end of the answer
            raise httpx2.ReadTimeout("the answer took too long", request=request)
        headers = [(k, v) for k, v in response.headers.multi_items() if k.lower() not in _HEADERS_OF_BODY]
        return httpx2.Response(response.status_code, headers=headers, content=body, request=request)

    def _body(self, response: httpx2.Response) -> bytes:
        parts, size = [], 0
        for part in _unpacked(response):
            parts.append(part)
            size += len(part)
            if size > self._most:
                raise AnswerTooLargeError
        return b"".join(parts)


def _unpacked(response: httpx2.Response) -> Iterator[bytes]:
    """The bytes of the body in pieces of bounded size, also when a piece unpacks to a thousand times its size."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        yield from response.iter_raw()
        return
    if coding not in _PACKED:
        raise AnswerTooLargeError
    unpack = zlib.decompressobj(_PACKED[coding])
    try:
        for raw in response.iter_raw():
            yield unpack.decompress(raw, _UNPACKED)
            while unpack.unconsumed_tail:
                yield unpack.decompress(unpack.unconsumed_tail, _UNPACKED)
    except zlib.error:
        raise httpx2.DecodingError("the body is not what its header says", request=response.request) from None


class _Deadline:
    """Shuts the socket of a request down when its time is over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._shut)
        self._timer.daemon = True
        self._socket: Any = None
        self._lock = threading.Lock()

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self._end

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """What httpx calls at each step; the connected socket is a result of some of them."""
        stream = info.get("return_value")
        extra = getattr(stream, "get_extra_info", None)
        if not event.endswith(".complete") or extra is None:
            return
        with self._lock:
            self._socket = extra("socket") or self._socket
        if self.passed:
            self._shut()

    def _shut(self) -> None:
        with self._lock:
            if isinstance(self._socket, socket.socket):
                try:
                    self._socket.shutdown(socket.SHUT_RDWR)
                except OSError:  # closed already
                    self._socket = None

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
