"""Who may send a body at all: a key first, then the body, and only so many requests and bytes at a time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

import anyio.to_thread
import psycopg
from fastapi import Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ultron_core.access.keys import hash_of
from ultron_core.errors import KeyRefusedError, UltronError
from ultron_core.serve.answers import failure, problem_of
from ultron_core.serve.backend import Backend
from ultron_core.serve.callers import bearer_of
from ultron_core.serve.edge.arrival import (
    Budget,
    Gone,
    TooLarge,
    TooSlow,
    has_body,
    read_body,
    refuse,
    replay,
)
from ultron_core.serve.pages.visitors import COOKIE, PageSessions

__all__ = ["MOST_BYTES", "WITH_BODY", "Admission", "too_large"]

#: of one request
MOST_BYTES = 10_000_000
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
#: answered whatever else there is to do
_ALWAYS = "/health"
#: at a time; eight are worked on
_MOST_REQUESTS = 256
#: a body up to here is read beside the budget: as many as there are requests are 16 MB
_SMALL_BYTES = 65_536
#: of all larger bodies that are held at a time, and how long one waits for its share
_BUDGET_BYTES, _BUDGET_SECONDS = 40_000_000, 10.0
#: a form before its sender is known: a key, or the token of a sign-in
_FORM_BYTES = 4_096
#: a key that was recognised may send bodies so long without being looked up for that; what the body asks for is done
#: after the key was looked up again, so that a revoked one ends at once
_KNOWN_SECONDS = 60.0
#: such keys, the latest
_MOST_KNOWN = 1_000
_RETRY = {"Retry-After": "5"}


class Admission:
    """ASGI middleware around the routes."""

    def __init__(self, app: ASGIApp, backend: Backend, sessions: PageSessions) -> None:
        self._app, self._backend, self._sessions = app, backend, sessions
        self._budget = Budget(_BUDGET_BYTES)
        self._running = 0
        self._known: dict[str, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == _ALWAYS:
            await self._app(scope, receive, send)
            return
        if self._running >= _MOST_REQUESTS:
            busy = failure(503, "busy", "Too many requests are under way: try again.", _RETRY)
            await refuse(busy, receive, send) if has_body(scope) else await busy(scope, receive, send)
            return
        self._running += 1
        try:
            if scope["method"] in WITH_BODY and has_body(scope):
                await self._with_body(scope, receive, send)
            else:
                await self._app(scope, receive, send)
        finally:
            self._running -= 1

    async def _with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        most = MOST_BYTES
        if scope["path"].startswith("/ui"):
            most = MOST_BYTES if self._is_signed_in(headers) else _FORM_BYTES
        else:
            refused = await self._key_refusal(headers)
            if refused is not None:
                await refuse(refused, receive, send)
                return
        size = int(headers.get("content-length", MOST_BYTES))
        if size > most and "content-length" in headers:
            await refuse(too_large(most), receive, send)
            return
        held = size if size > _SMALL_BYTES else 0
        try:
            if held:
                await self._budget.take(held, _BUDGET_SECONDS)
        except TimeoutError:
            busy = failure(503, "busy", "Too many large requests are under way: try again.", _RETRY)
            await refuse(busy, receive, send)
            return
        try:
            await self._pass_on(scope, receive, send, most)
        finally:
            self._budget.give(held)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        try:
            body = await read_body(receive, most)
        except TooLarge:
            await refuse(too_large(most), receive, send)
        except TooSlow:
            await refuse(
                failure(408, "too_slow", "The body did not come in time: send it again."), receive, send
            )
        except Gone:
            return
        else:
            await self._app(scope, replay(body, receive), send)

    async def _key_refusal(self, headers: Mapping[str, str]) -> Response | None:
        """The answer to whoever has no key; that of one who has may still lack a scope, as its route says."""
        try:
            text = bearer_of(headers)
            if self._known.get(hash_of(text), 0.0) < time.monotonic():
                await anyio.to_thread.run_sync(lambda: self._backend.ultron.keys.recognise(text))
                self._note(text)
        except UltronError as error:
            return failure(*problem_of(error))
        except psycopg.Error:
            return failure(503, "unavailable", "The database is away or too slow: try again.", _RETRY)
        return None

    def _note(self, text: str) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[hash_of(text)] = time.monotonic() + _KNOWN_SECONDS

    def _is_signed_in(self, headers: Headers) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
            self._sessions.find(cookie.value if cookie else "", self._backend.ultron.runtime.clock())
        except (CookieError, KeyRefusedError):
            return False
        except UltronError:  # it loads: the route says so
            return False
        return True


def too_large(most: int = MOST_BYTES) -> Response:
    return failure(413, "too_large", f"A request may have {most:,} bytes: send less, or in parts.")
