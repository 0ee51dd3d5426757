"""Every finished segment, in a stream: a candidate for the dataset, or the gate's reason why not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ultron_core.labels import is_sft_eligible
from ultron_core.models import QualityLabel
from ultron_core.sft.records import Candidate, Evidence, Reject
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.sft.evidence import evidence_of
from ultron_core.store.tables import exports

__all__ = ["Gate", "candidates"]


@dataclass(frozen=True, slots=True)
class Gate:
    """What lets a segment through: a score, and how much must be known of its end."""

    min_score: float
    evidence: tuple[Evidence, ...]
    #: from this `expected_success` on a run without a verdict counts as `likely`
    likely: float


def candidates(
    runtime: Runtime,
    gate: Gate,
    task_type: str | None = None,
    project: str | None = None,
    *,
    segment_id: UUID | None = None,
) -> Iterator[Candidate | Reject]:
    """Every finished segment of the account, refused ones included; one query a batch for their messages."""
    for rows in exports.finished_segments(
        runtime.database, runtime.account_id, task_type=task_type, project=project, segment_id=segment_id
    ):
        passed = []
        for row in rows:
            reason = _refusal(row, gate)
            if reason:
                yield _reject(row, reason)
            else:
                passed.append(row)
        if not passed:
            continue
        with runtime.database.transaction() as conn:
            spoken = exports.messages_of(conn, runtime.account_id, passed)
        for row in passed:
            candidate = _candidate(runtime, row, spoken[row["id"]], gate)
            if candidate.evidence in gate.evidence:
                yield candidate
            else:
                yield _reject(row, f"evidence_{candidate.evidence}")


def _refusal(row: Mapping[str, Any], gate: Gate) -> str:
    if row["labeled"] != 1:
        return "not_labelled"
    if row["known_success"] is not None:
        # an imported outcome overrides the rules in both directions
        return "" if row["known_success"] else "imported_failure"
    eligible = is_sft_eligible(row["quality_metrics"], gate.min_score)
    return "" if eligible.ok else eligible.reason


def _reject(row: Mapping[str, Any], reason: str) -> Reject:
    summary = (row["quality_metrics"] or {}).get("summary") or {}
    score = summary.get("overall_score")
    known = float(score) if isinstance(score, int | float) else 0.0
    return Reject(str(row["id"]), reason, "", known, str(summary.get("task_type") or ""))


def _candidate(runtime: Runtime, row: Mapping[str, Any], spoken: exports.Spoken, gate: Gate) -> Candidate:
    label = QualityLabel.from_json(row["quality_metrics"])
    log = f"{row['account_id']}/{row['agent_id']}/{row['session_file']}"
    return Candidate(
        segment_id=str(row["id"]),
        messages=tuple(spoken.messages),
        label=label,
        topic=row["topic"],
        tools=tuple(row["tools"] or ()),
        harness=row["harness"] or row["format"],
        session_key=_salted(runtime, log),
        agent_id=row["agent_id"],
        session_id=str(row["session_id"]),
        start_line=row["start_line"],
        end_line=row["end_line"],
        redaction_version=runtime.redactor.version,
        system=spoken.system,
        continues=row["start_message"] > 0,
        project=_salted(runtime, row["project"] or row["cwd"] or row["agent_id"]),
        task_id=row["known_task"] or "",
        success_probability=1.0 if row["known_success"] else label.summary.success_probability,
        evidence="verified"
        if row["known_success"]
        else evidence_of(label, spoken.messages, likely=gate.likely),
    )


def _salted(runtime: Runtime, text: str) -> str:
    """A name that tells nothing: file paths hold names of people and projects."""
    salt = runtime.settings.sft.salt or "ultron"
    return hashlib.sha256(f"{salt}/{text}".encode()).hexdigest()[:16]
