"""What was refused and why, and what is stored, waits and was spent."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from ultron_core.serve.pages.render import page
from ultron_core.serve.pages.visitors import Opens, Visitor
from ultron_core.steps.overview import drop_counts, drops, stats

__all__ = ["router"]

router = APIRouter(prefix="/ui", include_in_schema=False)
Text = Annotated[str, Query(max_length=200)]
_PAGE_ROWS = 50
_MOST_ROWS = 1_000


@router.get("/refusals")
def refusals(
    # what was refused may have been refused because it is private to an agent
    visitor: Annotated[Visitor, Depends(Opens("sessions"))],
    stage: Text = "",
    reason: Text = "",
    limit: Annotated[int, Query(ge=1, le=_MOST_ROWS)] = _PAGE_ROWS,
) -> Response:
    """What became no memory, no message or no row of training data, by reason."""
    runtime = visitor.ultron.runtime
    rows = drops(runtime, stage or None, reason or None, limit + 1)
    counted = groupby(drop_counts(runtime), key=lambda row: row["stage"])
    return page(
        "refusals.html",
        visitor,
        stages=[(name, list(group)) for name, group in counted],
        rows=rows[:limit],
        stage=stage,
        reason=reason,
        more=min(limit + _PAGE_ROWS, _MOST_ROWS) if len(rows) > limit and limit < _MOST_ROWS else None,
    )


@router.get("/statistics")
def statistics(visitor: Annotated[Visitor, Depends(Opens("read"))]) -> Response:
    """How much there is of everything, and what models cost."""
    found = stats(visitor.ultron.runtime)
    calls: list[dict[str, Any]] = found["model calls"]
    return page(
        "statistics.html",
        visitor,
        found=found,
        # memories that name a project without a log cannot be asked for by it
        linked={row["project"] for row in visitor.ultron.browse.projects() if row["project"]},
        calls=calls,
        total={
            name: sum(row[name] or 0 for row in calls)
            for name in ("calls", "cached", "errors", "input_tokens", "output_tokens", "cost")
        },
    )
