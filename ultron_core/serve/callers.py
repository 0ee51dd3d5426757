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

from ultron_core.access.keys import REFUSED, AccessKey
from ultron_core.client import Ultron
from ultron_core.errors import KeyRefusedError, ScopeError
from ultron_core.serve.backend import Backend

__all__ = ["AGENT_HEADER", "Caller", "KeyedRoute", "Needs", "backend_of", "identify"]

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

    @property
    def brings_as(self) -> str | None:
        """Who is written down as having sent a log in: the key; None for the owner's, whose hooks name an agent."""
        return None if "curate" in self.key.scopes else self.key.id

    def agent(self, given: str | None = None) -> str | None:
        """The agent that a request acts for. Raises ScopeError when the key belongs to another one."""
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
    """The caller of a request, counted against its rate. Raises KeyRefusedError and RateLimitError."""
    kind, _, text = headers.get("authorization", "").partition(" ")
    ultron = backend.ultron
    if kind.casefold() != "bearer" or not text.strip():
        raise KeyRefusedError(REFUSED)
    key = ultron.keys.recognise(text.strip())
    backend.limits.take(key.id)
    return Caller(key, backend, headers.get(AGENT_HEADER) or None)


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
