"""Memories: the three endpoints of the specification with their aliases, and one memory by its id."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import AwareDatetime

from ultron_core.errors import NotFoundError
from ultron_core.models import MemoryType, Proof, Status
from ultron_core.serve.answers import ok, plain
from ultron_core.serve.bodies import ChangeBody, DetailsBody, SearchBody, Sort, Tier, UploadBody, VerdictBody
from ultron_core.serve.callers import Caller, KeyedRoute, Needs
from ultron_core.steps.edit import get_memories
from ultron_core.steps.ids import as_id
from ultron_core.steps.recall import named_project

__all__ = ["router"]

router = APIRouter(tags=["memories"], route_class=KeyedRoute)
Reader = Annotated[Caller, Depends(Needs("read"))]
Writer = Annotated[Caller, Depends(Needs("write"))]
Curator = Annotated[Caller, Depends(Needs("curate"))]
MemoryId = Annotated[str, Path(max_length=64)]
Name = Annotated[str | None, Query(min_length=1, max_length=200)]


@router.post("/memories/upload")
@router.post("/memory/upload", include_in_schema=False)
def upload(body: UploadBody, caller: Writer) -> Response:
    """Store one memory: redacted, classified, and merged with one that says the same."""
    given = {**body.model_dump(exclude_none=True), "agent_id": caller.agent(body.agent_id) or "default"}
    return ok(plain(caller.ultron.upload_memory(**given)))


@router.post("/memories/search")
@router.post("/memory/search", include_in_schema=False)
def search(body: SearchBody, caller: Reader) -> Response:
    """Memories by meaning and by words, best first; with `claimed` what only an agent said stands below them."""
    hits = caller.ultron.search_memories(
        body.query,
        body.detail_level,
        body.limit,
        memory_types=body.memory_types,
        tags=body.tags,
        tiers=None if body.tier is None else [body.tier],
        status=body.status,
        claimed=body.claimed,
        proof=body.proof,
        agent_id=body.agent_id,
        project=body.project,
        explain=body.explain,
    )
    return ok([_hit(hit) for hit in hits], len(hits), notes=hits.notes)


def _hit(hit: Any) -> dict[str, Any]:
    scores = {"similarity_score": hit.similarity_score, "score": hit.score, "weak": hit.weak}
    return {**plain(hit.record), **scores, **({"explain": hit.explain} if hit.explain else {})}


@router.post("/memories/details")
@router.post("/memory/details", include_in_schema=False)
def details(body: DetailsBody, caller: Reader) -> Response:
    """Full memories in the order of `ids`; unknown ones are left out."""
    found = caller.ultron.get_memory_details(body.ids)
    return ok([plain(record) for record in found], len(found))


@router.get("/memories/stats")
@router.get("/memory/stats", include_in_schema=False)
def memory_stats(caller: Reader, project: Name = None) -> Response:
    """Totals by tier, type and status."""
    return ok(caller.ultron.get_memory_stats(project=project))


@router.get("/memories")
def listing(
    caller: Reader,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
    memory_type: MemoryType | None = None,
    tier: Tier | None = None,
    status: Status = "active",
    proof: Proof | None = None,
    tag: Name = None,
    agent_id: Name = None,
    project: Name = None,
    cluster_id: Name = None,
    session: Annotated[str | None, Query(min_length=1, max_length=401)] = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    sort: Sort = "time",
) -> Response:
    """One page of memories, the newest first, or those with the most hits (`hits`), or those that were hit last
    (`last_hit`); `cursor` of an answer asks for the next."""
    page = caller.ultron.browse.memories(
        limit=limit,
        cursor=cursor,
        memory_type=memory_type,
        tier=tier,
        status=status,
        proof=proof,
        tag=tag,
        agent_id=agent_id,
        project=project and (named_project(caller.ultron.runtime, project) or project),
        cluster_id=cluster_id,
        session=session,
        since=since,
        until=until,
        sort=sort,
    )
    return ok([plain(record) for record in page.rows], len(page.rows), cursor=page.cursor)


@router.get("/memories/{memory_id}")
def one(memory_id: MemoryId, caller: Reader) -> Response:
    """One memory; looking at it counts no hit."""
    found = get_memories(caller.ultron.runtime, [as_id(memory_id)], record_hits=False)
    if not found:
        raise NotFoundError(f"No memory {as_id(memory_id)}.")
    return ok(plain(found[0]))


@router.patch("/memories/{memory_id}")
def change(memory_id: MemoryId, body: ChangeBody, caller: Writer) -> Response:
    """Correct a memory. What it said before is kept in its history, with who corrected it."""
    changes = body.model_dump(exclude={"version"})
    record = caller.ultron.update_memory(
        memory_id,
        **changes,
        changed_by=caller.name,
        trust="human" if caller.is_owner else "upload",
        if_version=body.version,
    )
    return ok(plain(record))


@router.delete("/memories/{memory_id}")
def delete(memory_id: MemoryId, caller: Curator) -> Response:
    """Remove a memory with everything derived from it, its history too."""
    caller.ultron.delete_memory(memory_id)
    return ok({"id": str(as_id(memory_id))})


@router.get("/memories/{memory_id}/sources")
def sources(memory_id: MemoryId, caller: Reader) -> Response:
    """Where a memory comes from: session, lines, redacted quote."""
    if not get_memories(caller.ultron.runtime, [as_id(memory_id)], record_hits=False):
        raise NotFoundError(f"No memory {as_id(memory_id)}.")
    found = caller.ultron.get_memory_sources(memory_id)
    return ok([plain(source) for source in found], len(found))


@router.get("/memories/{memory_id}/history")
def history(memory_id: MemoryId, caller: Reader) -> Response:
    """What it said before, newest first; every merge, every time it was archived or came back, its links and hits."""
    return ok(caller.ultron.get_memory_history(memory_id))


@router.post("/memories/{memory_id}/confirm")
def confirm(memory_id: MemoryId, caller: Curator) -> Response:
    """The owner's verdict that it holds as it stands: it is handed on like a person's words, also where it was held."""
    caller.require_person()
    return ok(plain(caller.ultron.confirm_memory(memory_id, given_by=caller.name)))


@router.post("/memories/{memory_id}/verdict")
def judge(memory_id: MemoryId, body: VerdictBody, caller: Curator) -> Response:
    """A person's verdict: useful, or junk, which is archived and stays so when its words are found again."""
    caller.require_person()
    return ok(plain(caller.ultron.judge_memory(memory_id, body.verdict, given_by=caller.name)))


@router.post("/memories/{memory_id}/archive")
def archive(memory_id: MemoryId, caller: Curator) -> Response:
    """Leave it out of searches."""
    return ok(plain(caller.ultron.archive_memory(memory_id)))


@router.post("/memories/{memory_id}/unarchive")
def unarchive(memory_id: MemoryId, caller: Curator) -> Response:
    """Bring it back."""
    return ok(plain(caller.ultron.unarchive_memory(memory_id)))
