"""Records of the export: a candidate segment in, a training row or a named rejection out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ultron_core.models import Message, QualityLabel

__all__ = ["Candidate", "Reject", "Row", "canonical_json", "content_sha256"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A labelled, finished segment that may be trained on."""

    segment_id: str
    messages: tuple[Message, ...]
    label: QualityLabel
    topic: str
    tools: tuple[Mapping[str, Any], ...]
    harness: str
    #: hash of agent and file: rows of one log stay in one split without naming it
    session_key: str
    agent_id: str
    session_id: str
    start_line: int
    end_line: int
    redaction_version: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the canonical file; `messages` and `tools` in OpenAI shape, arguments as objects."""

    id: str
    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    task_type: str
    topic: str
    quality_score: float
    source_harness: str
    session_key: str
    group_key: str
    content_sha256: str
    dup_cluster: str
    num_turns: int
    num_tool_calls: int
    num_tokens: int
    num_trained_tokens: int
    has_reasoning: bool
    max_parallel_calls: int
    truncated_tool_outputs: int
    tools_inferred: bool
    labeler_version: str
    redaction_version: str
    start_line: int
    end_line: int
    #: `session`: every row is a segment of a log
    origin: str
    #: `human` when a person speaks in it, else `agent`
    trust: str
    split: str = "train"
    #: not in the file: which agent and session it comes from, for the table of shipped rows
    agent_id: str = field(default="", compare=False)
    session_id: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Reject:
    """A segment that is not exported, with its reason and what a reader needs to judge it."""

    segment_id: str
    reason: str
    detail: str
    quality_score: float
    task_type: str


def canonical_json(value: Any) -> str:
    """Compact JSON with sorted keys and plain UTF-8: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def content_sha256(messages: tuple[Mapping[str, Any], ...], tools: tuple[Mapping[str, Any], ...]) -> str:
    """Identity of a row's content: messages and tools with the call ids left out."""
    plain = [{k: v for k, v in m.items() if k != "tool_call_id"} for m in messages]
    for message in plain:
        if "tool_calls" in message:
            message["tool_calls"] = [{k: v for k, v in c.items() if k != "id"} for c in message["tool_calls"]]
    return hashlib.sha256(canonical_json([plain, list(tools)]).encode()).hexdigest()
