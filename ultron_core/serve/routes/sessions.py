"""The private log: sessions, a search over them, their lines; and the block that reminds an agent."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from ultron_core.serve.answers import ok, plain
from ultron_core.serve.bodies import RecallBody, SessionSearchBody
from ultron_core.serve.callers import Caller, KeyedRoute, Needs

__all__ = ["router"]

router = APIRouter(tags=["sessions"], route_class=KeyedRoute)
Reader = Annotated[Caller, Depends(Needs("read"))]
Name = Annotated[str | None, Query(min_length=1, max_length=200)]


@router.get("/sessions")
def listing(
    caller: Reader,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
    agent_id: Name = None,
    project: Name = None,
) -> Response:
    """One page of sessions, the one that grew last first: those of the key's agent, or with `sessions` of all."""
    page = caller.ultron.browse.sessions(
        limit=limit, cursor=cursor, agent_id=caller.log_of(agent_id), project=project
    )
    return ok(page.rows, len(page.rows), cursor=page.cursor)


@router.post("/sessions/search")
def search(body: SessionSearchBody, caller: Reader) -> Response:
    """Sessions that talk about it, each with its best lines, verbatim."""
    agent = caller.log_of(body.agent_id)
    found = caller.ultron.search_sessions(
        body.query, body.limit, agent_id=agent, all_agents=agent is None, project=body.project
    )
    return ok([plain(hit) for hit in found], len(found))


@router.get("/sessions/{session_id}/lines")
def lines(
    session_id: Annotated[str, Path(max_length=64)],
    caller: Reader,
    start: Annotated[int, Query(ge=1, le=2**31 - 1)] = 1,
    end: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Response:
    """What was said on some lines of a session, verbatim."""
    found = caller.ultron.browse.lines(session_id, start, end, agent_id=caller.log_of())
    return ok(found, len(found))


@router.post("/recall")
def recall(body: RecallBody, caller: Reader) -> Response:
    """A block for an agent: for its next message, or without `query` for its beginning. Empty when nothing fits."""
    agent = caller.agent(body.agent_id)
    if "sessions" not in caller.key.scopes and caller.key.agent_id is None:
        agent = None  # a key of no agent may not read an agent's log
    if body.query is None:
        found = caller.ultron.wake_up(agent, body.project, body.budget_tokens, session_id=body.session_id)
    else:
        found = caller.ultron.recall(
            body.query,
            agent_id=agent,
            session_id=body.session_id,
            project=body.project,
            top_k=body.top_k,
            budget_tokens=body.budget_tokens,
        )
    return ok(plain(found), len(found.items))
