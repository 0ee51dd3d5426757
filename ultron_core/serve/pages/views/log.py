"""The private log, from agents down to one message: agent, project, session, task, message; and a search over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response

from ultron_core.errors import NotFoundError
from ultron_core.serve.bodies import SessionSearchBody
from ultron_core.serve.pages.forms import checked
from ultron_core.serve.pages.render import page
from ultron_core.serve.pages.visitors import Opens, Visitor
from ultron_core.steps.browse import MOST_LINES, remedy
from ultron_core.steps.given import MOST_COUNT, MOST_QUERY

__all__ = ["router"]

router = APIRouter(prefix="/ui", include_in_schema=False)
Reader = Annotated[Visitor, Depends(Opens("read"))]
Text = Annotated[str, Query(max_length=MOST_QUERY)]
Id = Annotated[str, Path(max_length=64)]
Line = Annotated[int, Query(ge=1, le=MOST_COUNT)]
#: sessions of one page
_PAGE_ROWS = 30
#: messages of one page; each is cut where it is long
_PAGE_MESSAGES = 40


@router.get("/log")
def log(visitor: Reader, q: Text = "", agent: Text = "") -> Response:
    """Agents with their sessions; of one agent its projects; or the passages that speak about something."""
    own = visitor.log_of(agent or None)
    hits = _search(visitor, q.strip(), own) if q.strip() else None
    agents = [row for row in visitor.ultron.browse.agents() if own in (None, row["agent_id"])]
    if own is not None and not agents:
        raise NotFoundError(f"No agent {own} has a log or a memory here.")
    projects = visitor.ultron.browse.projects(agent_id=own) if own is not None else []
    return page("log.html", visitor, q=q, agent=own or "", agents=agents, projects=projects, hits=hits)


def _search(visitor: Visitor, query: str, agent: str | None) -> Sequence[Any]:
    asked = checked(SessionSearchBody, {"query": query, "agent_id": agent})
    return visitor.ultron.search_sessions(
        asked.query, 20, agent_id=agent, all_agents=agent is None, all_projects=True
    )


@router.get("/sessions")
def sessions(visitor: Reader, agent: Text = "", project: str | None = None, cursor: Text = "") -> Response:
    """Sessions, the one that grew last first. An empty project: those that name none."""
    own = visitor.log_of(agent or None)
    rows = visitor.ultron.browse.sessions(
        limit=_PAGE_ROWS, cursor=cursor or None, agent_id=own, project=project
    )
    return page(
        "sessions.html", visitor, rows=rows.rows, cursor=rows.cursor, agent=own or "", project=project
    )


@router.get("/sessions/{session_id}")
def session(session_id: Id, visitor: Reader) -> Response:
    """A session and its tasks."""
    row = visitor.ultron.browse.session(session_id, agent_id=visitor.log_of())
    tasks = visitor.ultron.browse.segments(row["id"])
    return page("session.html", visitor, session=row, tasks=tasks, remedy=remedy(row))


@router.get("/sessions/{session_id}/lines")
def lines(
    session_id: Id,
    visitor: Reader,
    start: Line = 1,
    end: Line | None = None,
    first: Line | None = None,
    last: Line | None = None,
) -> Response:
    """The messages of a session from a line on, verbatim; those on the lines `first` to `last` are marked."""
    own = visitor.log_of()
    row = visitor.ultron.browse.session(session_id, agent_id=own)
    messages = visitor.ultron.browse.lines(row["id"], start, end, agent_id=own)
    marked = (first or 0, last or first or 0)
    return page("lines.html", visitor, session=row, start=start, end=end, marked=marked, **_paged(messages))


@router.get("/sessions/{session_id}/lines/{line}")
def message(session_id: Id, line: Annotated[int, Path(ge=1, le=MOST_COUNT)], visitor: Reader) -> Response:
    """What stands on one line, whole."""
    own = visitor.log_of()
    row = visitor.ultron.browse.session(session_id, agent_id=own)
    found = visitor.ultron.browse.lines(row["id"], line, line, agent_id=own)
    if not found:
        raise NotFoundError(f"No message stands on line {line}.")
    return page("message.html", visitor, session=row, line=line, messages=found)


@router.get("/tasks/{segment_id}")
def task(segment_id: Id, visitor: Reader, start: Line | None = None) -> Response:
    """One task: how it was judged, what was learned from it, and its messages."""
    own = visitor.log_of()
    found = visitor.ultron.browse.task(segment_id, agent_id=own)
    begin = max(start or 1, found.row["start_line"])
    end = max(begin, found.row["end_line"])
    messages = visitor.ultron.browse.lines(found.row["session_id"], begin, end, agent_id=own)
    return page("task.html", visitor, task=found, **_paged(messages, found.row["thread"]))


def _paged(messages: Sequence[dict[str, Any]], thread: str | None = None) -> dict[str, Any]:
    """The messages of one page, of a thread if one is named, and the line at which the next page begins."""
    own = [row for row in messages if thread in (None, row["thread"])]
    next_line = None
    if len(own) > _PAGE_MESSAGES:
        next_line = own[_PAGE_MESSAGES]["start_line"]
    elif len(messages) == MOST_LINES:
        next_line = messages[-1]["end_line"] + 1
    return {"messages": own[:_PAGE_MESSAGES], "next_line": next_line}
