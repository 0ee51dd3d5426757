"""Memories: a list to leaf through, and a search with the reasons of each rank. Looking counts no hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, Query, Response

from ultron_core.errors import InputError
from ultron_core.models import MemoryType
from ultron_core.search.ranking import TIER_BOOSTS
from ultron_core.serve.bodies import SearchBody
from ultron_core.serve.pages.forms import checked
from ultron_core.serve.pages.render import page
from ultron_core.serve.pages.visitors import Opens, Visitor
from ultron_core.steps.given import MOST_QUERY, PROOFS, STATUSES, TIERS
from ultron_core.steps.search.memories import SearchHit
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["router"]

router = APIRouter(prefix="/ui", include_in_schema=False)
Reader = Annotated[Visitor, Depends(Opens("read"))]
Text = Annotated[str, Query(max_length=MOST_QUERY)]
#: memories of one page of the list
_PAGE_ROWS = 30
#: orders of the list, and what each is called
_ORDERS = {"time": "Newest", "hits": "Most used", "last_hit": "Last used"}
_UNHEARD = "A question is asked of every cluster and session: leave it out to list those of one."
#: answers of a search: who does not find it among these asks in other words
_FOUND_ROWS = 20


@dataclass(frozen=True, slots=True)
class Found:
    """One row of the list; a found one with the parts of its score, as (what, value) in words."""

    record: MemoryRecord
    hit: SearchHit | None = None
    reasons: tuple[tuple[str, str], ...] = ()


@router.get("")
def listing(
    visitor: Reader,
    q: Text = "",
    memory_type: Text = "",
    tier: Text = "",
    status: Text = "active",
    proof: Text = "",
    tag: Text = "",
    agent: Text = "",
    project: Text = "",
    cluster: Text = "",
    session: Text = "",
    since: Text = "",
    until: Text = "",
    sort: Text = "time",
    cursor: Text = "",
    deleted: bool = False,
) -> Response:
    """Memories in one of three orders, or those that answer a question."""
    chosen = {
        "q": q.strip(),
        "memory_type": memory_type,
        "tier": tier,
        "status": status,
        "proof": proof,
        "tag": tag.strip(),
        "agent": agent,
        "project": project,
        "cluster": cluster.strip(),
        "session": session.strip(),
        "since": since,
        "until": until,
        "sort": sort,
    }
    found = _search(visitor, chosen) if chosen["q"] else _list(visitor, chosen, cursor)
    return page(
        "memories.html",
        visitor,
        chosen=chosen,
        types=get_args(MemoryType),
        tiers=TIERS,
        statuses=STATUSES,
        proofs=PROOFS,
        orders=_ORDERS,
        agents=[row["agent_id"] for row in visitor.ultron.browse.agents()],
        projects=[row["project"] for row in visitor.ultron.browse.projects() if row["project"]],
        is_filtered=any(value for name, value in chosen.items() if name not in ("q", "status", "sort")),
        is_later=bool(cursor),
        was_deleted=deleted,
        **found,
    )


def _list(visitor: Visitor, chosen: Mapping[str, str], cursor: str) -> dict[str, Any]:
    rows = visitor.ultron.browse.memories(
        limit=_PAGE_ROWS,
        cursor=cursor or None,
        memory_type=chosen["memory_type"] or None,
        tier=chosen["tier"] or None,
        status=chosen["status"],
        proof=chosen["proof"] or None,
        tag=chosen["tag"] or None,
        agent_id=chosen["agent"] or None,
        project=chosen["project"] or None,
        cluster_id=chosen["cluster"] or None,
        session=chosen["session"] or None,
        since=_day(chosen, "since", time.min),
        until=_day(chosen, "until", time.max),
        sort=chosen["sort"],
    )
    return {"found": [Found(record) for record in rows.rows], "cursor": rows.cursor, "notes": ()}


def _day(chosen: Mapping[str, str], name: str, at: time) -> datetime | None:
    """The first or the last moment of a day, in the zone in which pages tell times. Raises InputError."""
    if not chosen[name]:
        return None
    try:
        return datetime.combine(date.fromisoformat(chosen[name]), at, UTC)
    except ValueError as error:
        raise InputError(f"{name} must be a day like 2026-11-28.") from error


def _search(visitor: Visitor, chosen: Mapping[str, str]) -> dict[str, Any]:
    asked = checked(
        SearchBody,
        {
            "query": chosen["q"],
            "tier": chosen["tier"],
            "memory_types": [chosen["memory_type"]] if chosen["memory_type"] else None,
            "tags": [chosen["tag"]] if chosen["tag"] else None,
            "status": chosen["status"],
            "proof": [chosen["proof"]] if chosen["proof"] else None,
            "agent_id": chosen["agent"],
            "project": chosen["project"],
        },
    )
    hits = visitor.ultron.search_memories(
        asked.query,
        limit=_FOUND_ROWS,
        memory_types=asked.memory_types,
        tags=asked.tags,
        tiers=asked.tier and [asked.tier],
        status=asked.status,
        proof=asked.proof,
        agent_id=asked.agent_id,
        project=asked.project,
        since=_day(chosen, "since", time.min),
        until=_day(chosen, "until", time.max),
        all_projects=asked.project is None,
        record_hits=False,
        explain=True,
    )
    return {
        "found": [Found(hit.record, hit, _reasons(hit)) for hit in hits],
        "cursor": None,
        "notes": (*hits.notes, _UNHEARD) if chosen["cluster"] or chosen["session"] else hits.notes,
    }


def _reasons(hit: SearchHit) -> tuple[tuple[str, str], ...]:
    """The parts of a score in words, in the order in which they are put together."""
    parts = hit.explain
    told = [
        ("Same meaning", f"{parts['cosine']:.2f} of 1"),
        ("Same words", f"{parts['bm25']:.1f}" if parts["bm25"] else "none"),
        ("Both on one scale", f"{parts['relevance']:.2f} of 1"),
        ("Tier", f"{hit.record.tier}, times {TIER_BOOSTS.get(hit.record.tier.lower(), 1.0):g}"),
        ("Last used", f"{parts['days']:.0f} days ago; what was not used for long counts a little less"),
    ]
    if parts.get("superseded"):
        told.append(("Superseded", "a later memory says otherwise: half"))
    if "place_before" in parts:
        told.append(("Place before the model reordered", f"{parts['place_before']:.0f}"))
    return tuple(told)
