"""Who is signed in: sessions of browsers, held by this process alone, each bound to a key.

A session ends with its key, with the process, after twelve hours, or when its visitor signs out.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from fastapi import HTTPException, Request, Response

from ultron_core.access.keys import SCOPES, AccessKey, hash_of
from ultron_core.errors import KeyRefusedError
from ultron_core.serve.backend import Backend
from ultron_core.serve.callers import Caller, backend_of
from ultron_core.serve.pages.forms import Form

__all__ = [
    "COOKIE",
    "TOKEN_FIELD",
    "Opens",
    "PageSessions",
    "Visitor",
    "sessions_of",
    "sign_in",
    "visitor_of",
]

COOKIE = "ultron_session"
#: the field of every form that says that our own page sent it
TOKEN_FIELD = "form_token"
_HOLDS = timedelta(hours=12)
#: of one process; the oldest is forgotten first
_MOST_SESSIONS = 1_000
_SIGN_IN = "Sign in first."


@dataclass(frozen=True, slots=True)
class _Session:
    key_id: str
    #: who owns the home may do everything, as on the command line
    as_owner: bool
    form_token: str
    ends: datetime


class PageSessions:
    """The sessions of one process, by the SHA-256 of their cookie; safe between threads."""

    def __init__(self) -> None:
        self._held: dict[str, _Session] = {}
        self._lock = threading.Lock()

    def open(self, key: AccessKey, now: datetime, *, as_owner: bool = False) -> str:
        """A new session; returns its cookie."""
        cookie = secrets.token_urlsafe(32)
        made = _Session(key.id, as_owner, secrets.token_urlsafe(32), now + _HOLDS)
        with self._lock:
            self._held = {name: one for name, one in self._held.items() if one.ends > now}
            while len(self._held) >= _MOST_SESSIONS:
                self._held.pop(next(iter(self._held)))
            self._held[hash_of(cookie)] = made
        return cookie

    def find(self, cookie: str, now: datetime) -> _Session:
        """Raises KeyRefusedError."""
        with self._lock:
            found = self._held.get(hash_of(cookie))
        if found is None or found.ends <= now:
            raise KeyRefusedError(_SIGN_IN)
        return found

    def close(self, cookie: str) -> None:
        with self._lock:
            self._held.pop(hash_of(cookie), None)


@dataclass(frozen=True, slots=True)
class Visitor(Caller):
    """The caller of a page."""

    #: what each form of theirs carries
    form_token: str = ""

    @property
    def may_read_logs(self) -> bool:
        return "sessions" in self.key.scopes or self.key.agent_id is not None

    def may(self, scope: str) -> bool:
        return scope in self.key.scopes


class Opens:
    """The dependency of a page: its visitor, who is signed in and has `scope`. What changes something also needs
    the token that only our own pages hold."""

    def __init__(self, scope: str) -> None:
        self.scope = scope

    def __call__(self, request: Request, form: Form) -> Visitor:
        visitor = visitor_of(request)
        check_token(request, visitor, form)
        visitor.key.require(self.scope)
        return visitor


def check_token(request: Request, visitor: Visitor, form: Mapping[str, str]) -> None:
    """Raises HTTPException 403 for a form that another page sent."""
    sent = form.get(TOKEN_FIELD, "")
    if request.method == "POST" and not hmac.compare_digest(sent.encode(), visitor.form_token.encode()):
        raise HTTPException(403, "This form was not sent by a page of your session: reload it and try again.")


def visitor_of(request: Request) -> Visitor:
    """Raises KeyRefusedError, also when the session's key ended, and RateLimitError."""
    backend = backend_of(request)
    ultron = backend.ultron
    held = sessions_of(request).find(request.cookies.get(COOKIE, ""), ultron.runtime.clock())
    key = ultron.keys.standing(held.key_id)
    backend.limits.take(key.id)
    if held.as_owner:
        key = replace(key, scopes=SCOPES)
    return Visitor(key, backend, form_token=held.form_token)


def sessions_of(request: Request) -> PageSessions:
    held = request.app.state.page_sessions
    assert isinstance(held, PageSessions)
    return held


def sign_in(request: Request, response: Response, key: AccessKey, *, as_owner: bool = False) -> None:
    """Put the cookie of a new session into an answer."""
    backend: Backend = backend_of(request)
    cookie = sessions_of(request).open(key, backend.ultron.runtime.clock(), as_owner=as_owner)
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=int(_HOLDS.total_seconds()),
        path="/ui",
        httponly=True,
        samesite="strict",
        # what others reach is behind TLS; this machine's own address is not
        secure=bool(backend.hosts),
    )
