"""Who asks: the key of the Authorization header, its scopes and its agent."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from ultron_core.access.keys import REFUSED, AccessKey, key_id_of
from ultron_core.client import Ultron
from ultron_core.errors import KeyRefusedError, ScopeError
from ultron_core.serve.backend import Backend
from ultron_core.steps.given import check_agent

__all__ = ["AGENT_HEADER", "Caller", "KeyedRoute", "Needs", "backend_of", "bearer_of", "identify"]

#: which agent a key that belongs to none acts for; hooks and bridges of one machine share the owner's key
AGENT_HEADER = "x-ultron-agent"


@dataclass(frozen=True, slots=True)
class Caller:
    """One request's key and the Ultron it is for."""

    key: AccessKey
    backend: Backend
    #: what the agent header named
    named_agent: str | None = None

    @property
    def ultron(self) -> Ultron:
        return self.backend.ultron

    @property
    def name(self) -> str:
        """Who is written down as having changed something."""
        return self.key.agent_id or self.named_agent or self.key.name

    @property
    def is_owner(self) -> bool:
        """Whether a person with the scope `curate` acts here, and not an agent whose name the request bears."""
        return "curate" in self.key.scopes and self.named_agent is None

    def require_person(self) -> None:
        """Raises ScopeError for an agent: none gives verdicts, not with the owner's key either."""
        if not self.is_owner:
            raise ScopeError("Only a person gives verdicts: send the request without an agent's name.")

    @property
    def brings_as(self) -> str | None:
        """Who is written down as having sent a log in: the key; None for the owner's, whose hooks name an agent."""
        return None if "curate" in self.key.scopes else self.key.id

    def agent(self, given: str | None = None) -> str | None:
        """The agent that a request acts for. Raises ScopeError when the key belongs to another one, and InputError for
        what is no agent's id."""
        check_agent("agent_id", given, optional=True)
        return self.key.acts_for(given or self.named_agent)

    def log_of(self, given: str | None = None) -> str | None:
        """Whose private log may be read: the key's own agent's, or with the scope `sessions` the named one's or
        everyone's (None). Raises ScopeError."""
        if "sessions" in self.key.scopes:
            return self.key.acts_for(given)
        if self.key.agent_id is None:
            raise ScopeError(
                "This key lacks the scope sessions, and belongs to no agent whose log it might read."
            )
        return self.key.acts_for(given)


def backend_of(request: Request) -> Backend:
    backend = request.app.state.backend
    assert isinstance(backend, Backend)
    return backend


def identify(backend: Backend, headers: Mapping[str, str]) -> Caller:
    """The caller of a request, counted against its rate. Raises KeyRefusedError, RateLimitError, and InputError for a
    header that names no agent."""
    ultron = backend.ultron
    key = ultron.keys.recognise(bearer_of(headers))
    backend.limits.take(key.id)
    named = _utf8(headers.get(AGENT_HEADER, "")) or None
    check_agent("X-Ultron-Agent", named, optional=True)
    return Caller(key, backend, named)


def _utf8(header: str) -> str:
    """A header as its sender wrote it: servers hand on the bytes as latin-1."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


def bearer_of(headers: Mapping[str, str]) -> str:
    """The key that a request shows. Raises KeyRefusedError for none, and for what has no key's form."""
    kind, _, text = headers.get("authorization", "").partition(" ")
    if kind.casefold() != "bearer":
        raise KeyRefusedError(REFUSED)
    key_id_of(text.strip())
    return text.strip()


class Needs:
    """The dependency of a route of `KeyedRoute`: its caller, who has `scope`."""

    def __init__(self, scope: str) -> None:
        self.scope = scope

    async def __call__(self, request: Request) -> _Asked:
        return _Asked(backend_of(request), request.headers, self.scope)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A caller who is not recognised yet: nothing can be done with it."""

    backend: Backend
    headers: Mapping[str, str]
    scope: str

    def caller(self) -> Caller:
        caller = identify(self.backend, self.headers)
        caller.key.require(self.scope)
        return caller


class KeyedRoute(APIRoute):
    """Recognises the caller in the thread that then does the work: a thread of its own for the question to the database
    costs more than the question."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        @wraps(endpoint)
        def recognised(**values: Any) -> Any:
            return endpoint(**{name: _recognised(value) for name, value in values.items()})

        super().__init__(path, recognised, **more)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Whoever sends a body that is wrong is recognised too, before being told so."""
        handle = super().get_route_handler()
        needs = [one.call for one in self.dependant.dependencies if isinstance(one.call, Needs)]

        async def handler(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError:
                for need in needs:
                    await run_in_threadpool((await need(request)).caller)
                raise

        return handler


def _recognised(value: Any) -> Any:
    return value.caller() if isinstance(value, _Asked) else value
