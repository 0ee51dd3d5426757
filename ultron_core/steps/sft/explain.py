"""Why one segment is, or is not, in the dataset; works for any segment, those below the gate included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from ultron_core.errors import NotFoundError
from ultron_core.llm.tokens import token_counter
from ultron_core.sft.draft import Draft, draft_row
from ultron_core.sft.records import EVIDENCE, Candidate, Reject
from ultron_core.sft.tokens import token_counts
from ultron_core.sft.verify import TOKENIZER
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.sft.candidates import Gate, candidates
from ultron_core.steps.sft.export import ExportRequest, plan_of
from ultron_core.store.tables import exports

__all__ = ["explain_segment"]


def explain_segment(runtime: Runtime, segment: UUID) -> Mapping[str, Any]:
    """State, scores, evidence and shape of the segment, the reason why it is left out (as far as it alone decides), and
    the datasets that hold it. Raises NotFoundError for an unknown id."""
    with runtime.database.transaction() as conn:
        row = exports.segment(conn, runtime.account_id, segment)
        shipped = exports.holding(conn, runtime.account_id, segment)
    if row is None:
        raise NotFoundError(f"There is no segment {segment}.")
    summary = (row["quality_metrics"] or {}).get("summary") or {}
    told: dict[str, Any] = {
        "segment": str(segment),
        "closed": row["closed"],
        "labelled": row["labeled"] == 1,
        "overall_score": summary.get("overall_score"),
        "success_probability": summary.get("success_probability"),
        "outcome": summary.get("outcome"),
        "datasets": [f"{found['name']} {found['version']} ({found['split']})" for found in shipped],
    }
    return {**told, **_verdict(runtime, segment)}


def _verdict(runtime: Runtime, segment: UUID) -> Mapping[str, Any]:
    plan = plan_of(runtime, ExportRequest())
    found = _read(runtime, plan.gate, segment)
    if found is None:
        return {"verdict": "left out: not finished, its session may go on"}
    if isinstance(found, Reject):
        # the shape is told all the same: what else would keep it out
        wide = Gate(0.0, EVIDENCE, plan.gate.likely)
        shape = _read(runtime, wide, segment)
        rest = {"evidence": shape.evidence} if isinstance(shape, Candidate) else {}
        return {"verdict": f"left out: {found.reason}", **rest}
    count = token_counter(TOKENIZER)
    done = draft_row(found, plan.config, count, plan.eval_index)
    if not isinstance(done, Draft):
        return {"verdict": f"left out: {done.reason}", "evidence": found.evidence}
    tokens, trained = token_counts(done.row.messages, done.row.tools, count)
    return {
        "verdict": "eligible; duplicates, caps and secrets are decided among all rows",
        "evidence": found.evidence,
        "tokens": tokens,
        "trained_tokens": trained,
        "put_right": done.row.repairs,
        "task": done.row.task_key,
    }


def _read(runtime: Runtime, gate: Gate, segment: UUID) -> Candidate | Reject | None:
    found = candidates(runtime, gate, segments=[segment])
    return next((one for one in found if isinstance(one, Candidate | Reject)), None)
