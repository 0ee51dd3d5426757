"""Every finished segment, in a stream: a candidate for the dataset, or the gate's reason why not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from ultron_core.labels import is_sft_eligible
from ultron_core.labels.success import KNOWN_FAILURE, VERIFIED
from ultron_core.models import QualityLabel
from ultron_core.sft.draft import Drafted
from ultron_core.sft.records import Candidate, Evidence, Reject
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.sft.corrected import corrected
from ultron_core.steps.sft.drafts import Drafts
from ultron_core.steps.sft.evidence import ended_well, evidence_of
from ultron_core.store.tables import exports

__all__ = ["Gate", "candidates", "gate_reason"]


@dataclass(frozen=True, slots=True)
class Gate:
    """What lets a segment through: a score, and how much must be known of its end."""

    min_score: float
    evidence: tuple[Evidence, ...]
    #: from this `expected_success` on a run without a verdict counts as `likely`
    likely: float
    #: sft takes what worked; preference and outcome take what failed, too
    kind: str = "sft"
    #: names of projects and agents whose segments stay out
    projects: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()


def candidates(
    runtime: Runtime,
    gate: Gate,
    task_type: str | None = None,
    project: str | None = None,
    *,
    segments: Sequence[UUID] | None = None,
    drafts: Drafts | None = None,
) -> Iterator[Candidate | Drafted | Reject]:
    """Every finished segment of the account, refused ones included; one query a batch for their messages.

    What `drafts` still knows of a segment stands in for its candidate.
    """
    for rows in exports.finished_segments(
        runtime.database, runtime.account_id, task_type=task_type, project=project, segments=segments
    ):
        reasons = {row["id"]: _refusal(row, gate) for row in rows}
        yield from (_reject(row, reasons[row["id"]]) for row in rows if reasons[row["id"]])
        wanted = [row for row in rows if not reasons[row["id"]] or _may_be_corrected(row, gate)]
        sources = {str(row["id"]): drafts.source(row) for row in wanted} if drafts else {}
        known = drafts.recall(sources) if drafts else {}
        yield from known.values()
        wanted = [row for row in wanted if str(row["id"]) not in known]
        if not wanted:
            continue
        with runtime.database.transaction() as conn:
            spoken = exports.messages_of(conn, runtime.account_id, wanted)
        unknown: list[tuple[bytes, Reject]] = []
        for row in wanted:
            source = sources.get(str(row["id"]), b"")
            candidate = _candidate(runtime, row, spoken[row["id"]], gate, source)
            if _may_be_corrected(row, gate):
                yield from corrected(candidate)
            if reasons[row["id"]]:
                continue
            if candidate.evidence in gate.evidence and (
                gate.kind == "sft" or candidate.succeeded is not None
            ):
                yield candidate
            else:
                unknown.append((source, _reject(row, f"evidence_{candidate.evidence}")))
        yield from (reject for _, reject in unknown)
        if drafts:
            drafts.remember(unknown)


def _may_be_corrected(row: Mapping[str, Any], gate: Gate) -> bool:
    """The text of any labelled run may hold an answer that was corrected and then accepted."""
    out = row["project"] in gate.projects or row["agent_id"] in gate.agents
    return gate.kind == "preference" and row["labeled"] == 1 and not out


def _refusal(row: Mapping[str, Any], gate: Gate) -> str:
    if row["project"] in gate.projects:
        return "project_left_out"
    if row["agent_id"] in gate.agents:
        return "agent_left_out"
    if row["labeled"] != 1:
        return "not_labelled"
    if row["known_success"] is not None:
        # an imported outcome overrides the rules in both directions
        return "" if row["known_success"] or gate.kind != "sft" else "imported_failure"
    return gate_reason(QualityLabel.from_json(row["quality_metrics"]), gate)


def gate_reason(label: QualityLabel, gate: Gate) -> str:
    """Why the gate refuses a run with this label and no imported outcome, or nothing."""
    eligible = is_sft_eligible(label, gate.min_score)
    if eligible.ok or gate.kind == "sft" or label.summary.outcome != "failure":
        return "" if eligible.ok else eligible.reason
    # a failed run need not be good, but safe and a run
    fair = is_sft_eligible(replace(label, summary=replace(label.summary, outcome="unknown")), 0.0)
    return "" if fair.ok else fair.reason


def _reject(row: Mapping[str, Any], reason: str) -> Reject:
    summary = (row["quality_metrics"] or {}).get("summary") or {}
    score = summary.get("overall_score")
    known = float(score) if isinstance(score, int | float) else 0.0
    return Reject(str(row["id"]), reason, "", known, str(summary.get("task_type") or ""))


def _candidate(
    runtime: Runtime, row: Mapping[str, Any], spoken: exports.Spoken, gate: Gate, source: bytes
) -> Candidate:
    label = QualityLabel.from_json(row["quality_metrics"])
    known = row["known_success"]
    evidence = "verified" if known is not None else evidence_of(label, spoken.messages, likely=gate.likely)
    log = f"{row['account_id']}/{row['agent_id']}/{row['session_file']}"
    return Candidate(
        segment_id=str(row["id"]),
        messages=tuple(spoken.messages),
        label=label,
        topic=row["topic"],
        tools=tuple(spoken.tools),
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
        success_probability=float(known) if known is not None else _chance(label),
        evidence=evidence,
        succeeded=known if known is not None else ended_well(label, evidence),
        source=source,
    )


def _chance(label: QualityLabel) -> float:
    """Where the label has none, what the fitted sets say of a verdict like its own."""
    if label.summary.success_probability is not None:
        return label.summary.success_probability
    return VERIFIED if label.summary.outcome == "success" else KNOWN_FAILURE


def _salted(runtime: Runtime, text: str) -> str:
    """A name that tells nothing: file paths hold names of people and projects."""
    salt = runtime.settings.sft.salt or "ultron"
    return hashlib.sha256(f"{salt}/{text}".encode()).hexdigest()[:16]
