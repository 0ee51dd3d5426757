"""Logs and texts that come in. Reading them is done at once, learning from them by the worker."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from ultron_core.errors import InputError
from ultron_core.serve.answers import ok, plain
from ultron_core.serve.bodies import IngestBody, TextBody
from ultron_core.serve.callers import Caller, KeyedRoute, Needs
from ultron_core.serve.roots import check_inside, roots_for

__all__ = ["router"]

router = APIRouter(tags=["ingest"], route_class=KeyedRoute)
Sender = Annotated[Caller, Depends(Needs("ingest"))]
_SHOWN = ("success", "session_file", "agent_id", "partition_key", "status", "messages", "format", "lines")


def _agent(caller: Caller, given: str | None) -> str:
    agent = caller.agent(given)
    if agent is None:
        raise InputError("agent_id: name the agent whose logs these are.")
    return agent


@router.post("/ingest")
def ingest(body: IngestBody, caller: Sender) -> Response:
    """Read session files of the server's machine: those in the agent's drop folder, and with the scope `sessions` those
    below ULTRON_INGEST_ROOTS."""
    agent = _agent(caller, body.agent_id)
    paths = check_inside(body.paths, roots_for(caller, agent))
    done = caller.ultron.ingest(paths, agent, over=body.over, brought_by=caller.brings_as)
    caller.backend.on_ingest()
    results = [_result(result) for result in done.pop("results")]
    return ok({**done, "results": results}, len(results), success=done["successful"] > 0)


async def _log(request: Request) -> bytes:
    """The bytes as they came: FastAPI would parse what the sender calls JSON."""
    return await request.body()


_LOG_BODY = {
    "required": True,
    "content": {"application/x-ndjson": {"schema": {"type": "string", "format": "binary"}}},
}


@router.post("/ingest/session", openapi_extra={"requestBody": _LOG_BODY})
def session(
    caller: Sender,
    name: Annotated[str, Query(min_length=1, max_length=200)],
    body: Annotated[bytes, Depends(_log)],
    agent_id: Annotated[str | None, Query(min_length=1, max_length=200)] = None,
    over: bool = False,
) -> Response:
    """Read the log that is the body. A longer one of the same name continues it."""
    agent = _agent(caller, agent_id)
    result = caller.ultron.ingest_log(body, agent, name, over=over, brought_by=caller.brings_as)
    caller.backend.on_ingest()
    return ok(_result({"success": result.success, **plain(result)}), success=result.success)


@router.post("/ingest/text")
def text(body: TextBody, caller: Sender) -> Response:
    """Learn from a plain text."""
    done = caller.ultron.ingest_text(body.text, caller.agent(body.agent_id) or "default")
    return ok(done, success=done["success"])


def _result(result: dict[str, Any]) -> dict[str, Any]:
    """What became of a file; why it failed is told in general words, as a path of the machine is no business of
    a caller."""
    shown = {name: result[name] for name in _SHOWN}
    return {**shown, "error": None if result["success"] else "The file cannot be read as a session log."}
