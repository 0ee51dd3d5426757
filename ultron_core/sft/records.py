"""Records of the export: a candidate segment in, a training row or a named rejection out."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import orjson

from ultron_core.models import Message, QualityLabel

__all__ = [
    "EVIDENCE",
    "HIDDEN",
    "Candidate",
    "Evidence",
    "Reject",
    "Row",
    "Scanned",
    "canonical_json",
    "content_sha256",
    "is_json_list",
    "row_sha256",
]

#: what is known of how the run ended: a check, a person or an imported outcome says so; a calibrated guess; nothing
Evidence = Literal["verified", "likely", "unknown"]
EVIDENCE: tuple[Evidence, ...] = ("verified", "likely", "unknown")
#: not in the file: where a row comes from, for the table of shipped rows, and which file it is in
HIDDEN = frozenset({"split", "agent_id", "session_id", "succeeded", "sides"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A labelled, finished segment that may be trained on."""

    segment_id: str
    messages: tuple[Message, ...]
    label: QualityLabel
    topic: str
    tools: tuple[Mapping[str, Any], ...]
    harness: str
    #: salted hash of agent and file: rows of one log stay in one split without naming it
    session_key: str
    agent_id: str
    session_id: str
    start_line: int
    end_line: int
    redaction_version: str
    #: system prompt of the session, for a segment that does not begin with it
    system: str = ""
    #: other tasks come before it in its thread
    continues: bool = False
    #: where the work was done; only a hash of it is written
    project: str = ""
    #: the task's name in imported outcomes, or empty
    task_id: str = ""
    evidence: Evidence = "unknown"
    #: calibrated; 1 where an imported outcome says so
    success_probability: float = 0.0
    #: how the run ended, where that is known well enough for a pair
    succeeded: bool | None = None
    #: of an answer that was corrected and its correction: the id of the other one
    twin: str = ""
    #: hash of everything that its draft depends on; empty when drafts are not remembered
    source: bytes = b""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the canonical file; `messages` and `tools` in OpenAI shape, arguments as objects."""

    id: str
    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    task_type: str
    topic: str
    quality_score: float
    evidence: Evidence
    success_probability: float
    source_harness: str
    session_key: str
    task_key: str
    group_key: str
    content_sha256: str
    dup_cluster: str
    num_turns: int
    num_tool_calls: int
    num_tokens: int
    num_trained_tokens: int
    num_images: int
    has_reasoning: bool
    max_parallel_calls: int
    ends_with_call: bool
    truncated_tool_outputs: int
    tools_inferred: bool
    #: what was put right, by kind, as a JSON object
    repairs: str
    labeler_version: str
    redaction_version: str
    start_line: int
    end_line: int
    #: `session`: every row is a segment of a log
    origin: str
    #: `human` when a person speaks in it, else `agent`
    trust: str
    split: str = "train"
    agent_id: str = field(default="", compare=False)
    session_id: str = field(default="", compare=False)
    succeeded: bool | None = field(default=None, compare=False)

    @property
    def sides(self) -> tuple[Row, ...]:
        """The runs that the row is made of."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Scanned:
    """What is known of a row's content before it is read back: no secret in it or its topic, so many tokens."""

    id: str
    topic: str
    tokens: int
    trained: int


@dataclass(frozen=True, slots=True)
class Reject:
    """A segment that is not exported, with its reason and what a reader needs to judge it."""

    segment_id: str
    reason: str
    detail: str
    quality_score: float
    task_type: str


#: orjson is ten times as fast as json; it writes numbers with exponents in another way and NaN as null, e.g. `1e-5`
_WRITTEN_OTHERWISE = re.compile(r"null|\de[-+]?\d")


def is_json_list(annotation: Any) -> bool:
    """Is the column a list of JSON objects: messages or tools?"""
    return str(annotation) in {"tuple[Mapping[str, Any], ...]", "_Messages"}


def canonical_json(value: Any) -> str:
    """Compact JSON with sorted keys and plain UTF-8: equal values give equal bytes."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # a lone surrogate, a number above 64 bits, a key that is no text
        text = ""
    if text and not _WRITTEN_OTHERWISE.search(text):
        return text
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def content_sha256(messages: tuple[Mapping[str, Any], ...], tools: tuple[Mapping[str, Any], ...]) -> str:
    """Identity of a row's content: messages and tools with the call ids left out."""
    plain = [{k: v for k, v in m.items() if k != "tool_call_id"} for m in messages]
    for message in plain:
        if "tool_calls" in message:
            message["tool_calls"] = [{k: v for k, v in c.items() if k != "id"} for c in message["tool_calls"]]
    return hashlib.sha256(canonical_json([plain, list(tools)]).encode()).hexdigest()


def row_sha256(row: Any) -> str:
    """Identity of everything that is written of a row, of whatever kind: content, every other column, and its split."""
    values = {
        f.name: getattr(row, f.name) for f in fields(row) if f.name not in HIDDEN and not is_json_list(f.type)
    }
    return hashlib.sha256(canonical_json([values, row.split]).encode()).hexdigest()
