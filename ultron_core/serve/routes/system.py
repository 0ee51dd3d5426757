"""How the server is, what is stored, and the keys."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response

from ultron_core.access.keys import AccessKey
from ultron_core.serve.answers import ok
from ultron_core.serve.bodies import KeyBody
from ultron_core.serve.callers import Caller, KeyedRoute, Needs, backend_of
from ultron_core.steps.costs import costs
from ultron_core.steps.overview import stats as stored_stats
from ultron_core.version import __version__

__all__ = ["open_router", "router"]

open_router = APIRouter(tags=["system"])
router = APIRouter(tags=["system"], route_class=KeyedRoute)
Admin = Annotated[Caller, Depends(Needs("admin"))]


@open_router.get("/health")
async def health(request: Request) -> Response:
    """`loading`, `ready`, `degraded` (the database is away) or `failed`; the only route without a key.

    It takes no thread: requests that wait for the database may have them all.
    """
    return ok({"status": backend_of(request).status, "version": __version__})


@router.get("/stats")
def stats(caller: Annotated[Caller, Depends(Needs("read"))]) -> Response:
    """Counts of sessions, segments, memories, what waits, and what models cost."""
    return ok(stored_stats(caller.ultron.runtime))


@router.get("/cost")
def cost(caller: Annotated[Caller, Depends(Needs("read"))], since: datetime | None = None) -> Response:
    """What models were asked since a moment, or ever: in all, by stage, day and model, and for each memory kept."""
    return ok(costs(caller.ultron.runtime, since))


@router.get("/keys")
def keys(caller: Admin) -> Response:
    """All keys of the account, without their secrets."""
    found = [shown_key(key, caller) for key in caller.ultron.keys.list()]
    return ok(found, len(found))


@router.post("/keys")
def add_key(body: KeyBody, caller: Admin) -> Response:
    """A new key. Its text is in this answer and never again."""
    key, text = caller.ultron.keys.add(
        body.name,
        preset=body.preset,
        scopes=body.scopes,
        agent_id=body.agent_id,
        expires_at=body.expires_at,
    )
    return ok({**shown_key(key, caller), "key": text})


@router.delete("/keys/{which}")
def revoke_key(which: Annotated[str, Path(max_length=200)], caller: Admin) -> Response:
    """End a key by its id or name, at once."""
    found = [shown_key(key, caller) for key in caller.ultron.keys.revoke(which)]
    return ok(found, len(found))


def shown_key(key: AccessKey, caller: Caller) -> dict[str, Any]:
    """A key without its hash."""
    names = ("id", "name", "agent_id", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at")
    shown = {name: getattr(key, name) for name in names}
    return {**shown, "state": key.state(caller.ultron.runtime.clock())}
