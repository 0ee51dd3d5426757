"""Segments of the session sets as candidates for a dataset, without a database: parsed, cut and labelled here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inputs.places import session_sets

from ultron_core.labels.offline import label_offline
from ultron_core.labels.success import LinearModel
from ultron_core.models import Message, QualityLabel, SessionInfo
from ultron_core.segments import segment_messages
from ultron_core.sessions import parse_session
from ultron_core.sft import Candidate, Reject
from ultron_core.sft.records import EVIDENCE
from ultron_core.steps.sft.candidates import Gate, gate_reason
from ultron_core.steps.sft.evidence import ended_well, evidence_of


@dataclass(frozen=True)
class Cut:
    """One segment with its source, its session's label row, and the label that the shipped models give."""

    source: str
    file: str
    gold: Mapping[str, Any]
    info: SessionInfo
    messages: tuple[Message, ...]
    start: int
    topic: str
    system: str
    thread: str
    number: int

    def label(self, models: Mapping[str, LinearModel] | None = None) -> QualityLabel:
        return label_offline(self.messages, self.topic, **({"models": models} if models else {}))


def cuts(data: Path) -> Iterator[Cut]:
    """Every segment of every set, in the order of sets, files and threads."""
    number = 0
    for found in session_sets(data):
        gold = _labels(data, found.name)
        for name, raw in found.files():
            session = parse_session(raw)
            threads: dict[str, list[Message]] = {}
            for message in session.messages:
                threads.setdefault(message.thread, []).append(message)
            for thread, own in threads.items():
                system = own[0].content if own[0].role == "system" else ""
                for segment in segment_messages(own):
                    number += 1
                    yield Cut(
                        found.name,
                        name,
                        gold.get(Path(name).name, {}),
                        session.info,
                        tuple(own[segment.start : segment.end]),
                        segment.start,
                        segment.topic,
                        system if segment.start else "",
                        thread,
                        number,
                    )


def _labels(data: Path, name: str) -> dict[str, Mapping[str, Any]]:
    path = data / "sessions" / f"{name}.labels.jsonl"
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {Path(row["file"]).name: row for row in rows}


def as_candidate(
    cut: Cut, label: QualityLabel, *, likely: float = 0.6, known: Any = None, kind: str = "sft"
) -> Candidate | Reject:
    """What the export would make of the segment; its id is its number. `known`: its outcome was imported."""
    reason = gate_reason(label, Gate(0.8, EVIDENCE, likely, kind)) if known is None else ""
    if known is not None and not known and kind == "sft":
        reason = "imported_failure"
    evidence = evidence_of(label, cut.messages, likely=likely) if known is None else "verified"
    succeeded = ended_well(label, evidence) if known is None else bool(known)
    if kind != "sft" and succeeded is None:
        reason = reason or "evidence_unknown"
    if reason:
        summary = label.summary
        return Reject(f"{cut.number:06d}", reason, "", summary.overall_score, summary.task_type)
    return Candidate(
        segment_id=f"{cut.number:06d}",
        messages=cut.messages,
        label=label,
        topic=cut.topic,
        tools=cut.info.tools,
        harness=cut.info.harness or cut.info.format,
        session_key=f"{cut.source}/{cut.file}",
        agent_id="bench",
        session_id="",
        start_line=0,
        end_line=0,
        redaction_version="none",
        system=cut.system,
        continues=cut.start > 0,
        project=cut.source,
        evidence=evidence,
        succeeded=succeeded,
    )
