"""What is refused before anybody is asked: foreign hosts and sites, bodies of the wrong kind or size."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from urllib.parse import urlsplit

from fastapi import Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ultron_core.serve.answers import failure
from ultron_core.serve.edge.admission import MOST_BYTES, WITH_BODY, too_large
from ultron_core.serve.edge.arrival import has_body, refuse

__all__ = ["Guards", "is_local_host", "site_refusal"]

#: a name or an address and a port, and nothing else, e.g. `localhost:9999`, `[::1]`
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
#: routes whose body is a log, of whatever kind the sender calls it
_RAW = ("/ingest/session",)
_FORM = ("application/x-www-form-urlencoded",)


def is_local_host(host: str, more: Container[str] = ()) -> bool:
    """Whether a Host header names this machine, or one of `more`: a page of another name that resolves to it must not
    pass, nor a header that two readers take differently, e.g. `localhost:9999, evil` or `localhost@evil`."""
    found = _HOST.fullmatch(host)
    name = found[1].strip("[]").casefold() if found else ""
    return name in _LOCAL or name in more


def site_refusal(method: str, headers: Headers, hosts: Container[str]) -> Response | None:
    """The answer to a request under another host name, or of another site's page; None for one that may go on."""
    named = headers.getlist("host")
    host = named[0] if len(named) == 1 else ""  # of several, proxies and servers take different ones
    if not is_local_host(host, hosts):
        return failure(421, "foreign_host", "This server does not answer under that host name.")
    origin = headers.get("origin")
    if origin is not None and _place_of(origin) != host.casefold():
        return failure(403, "foreign_site", "Pages of other sites may not ask this server.")
    if headers.get("sec-fetch-site") == "cross-site" and method not in ("GET", "HEAD"):
        return failure(403, "foreign_site", "Pages of other sites may not ask this server.")
    return None


def _place_of(origin: str) -> str:
    """Host and port of a page, nothing for what is no address: `http://[::1`."""
    try:
        return urlsplit(origin).netloc.casefold()
    except ValueError:
        return ""


class Guards:
    """ASGI middleware around everything."""

    def __init__(
        self, app: ASGIApp, hosts: Sequence[str] = (), on_request: Callable[[], None] = lambda: None
    ) -> None:
        self._app = app
        self._on_request = on_request
        self._hosts = [host.casefold() for host in hosts]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._on_request()
        headers = Headers(scope=scope)
        refused = self._refusal(scope["method"], scope["path"], headers)
        if refused is None:
            await self._app(scope, receive, send)
        elif has_body(scope):
            await refuse(refused, receive, send)
        else:
            await refused(scope, receive, send)

    def _refusal(self, method: str, path: str, headers: Headers) -> Response | None:
        refused = site_refusal(method, headers, self._hosts)
        if refused is not None:
            return refused
        if method not in WITH_BODY:
            return None
        return _body_refusal(path, headers)


def _body_refusal(path: str, headers: Headers) -> Response | None:
    length = headers.get("content-length")
    if length is not None and (not (length.isascii() and length.isdigit()) or int(length) > MOST_BYTES):
        return too_large()
    kind = headers.get("content-type", "").partition(";")[0].strip().casefold()
    is_empty = length == "0" or (length is None and "transfer-encoding" not in headers)
    if path in _RAW or is_empty:
        return None
    wanted = _FORM if path.startswith("/ui") else ("application/json",)
    if kind not in wanted:
        return failure(415, "unsupported_type", f"Send the body as {wanted[0]}.")
    return None
