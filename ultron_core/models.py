"""The records that pass between stages: frozen, plain, with no behaviour beyond reading themselves.

    sessions -> Message, LineLedger, SessionInfo, Session
    segments -> Segment
    labels   -> QualityLabel
    memories -> MemoryDraft (with Evidence)
    redaction-> Redaction (with Finding)
    filters  -> Drop

Line numbers are physical lines of the file, 1-based and inclusive. Message positions are 0-based, ends
exclusive. Times are timezone-aware UTC.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Literal, Self, get_args

__all__ = [
    "WORTHS",
    "Cure",
    "Drop",
    "Evidence",
    "Finding",
    "LineLedger",
    "LineSkip",
    "MemoryDraft",
    "MemoryType",
    "Message",
    "MessageLike",
    "Metric",
    "Origin",
    "Outcome",
    "Proof",
    "QualityLabel",
    "QualitySummary",
    "Redaction",
    "Role",
    "Segment",
    "Session",
    "SessionInfo",
    "Status",
    "ToolCall",
    "Trust",
    "Verdict",
    "Worth",
    "as_messages",
]

Role = Literal["system", "user", "assistant", "tool"]
#: Who wrote the text: a person, the model, a tool, the harness (reminders, command echoes, compaction
#: summaries, system prompts), or a memory system that put earlier memories into the prompt.
Origin = Literal["human", "model", "tool", "harness", "recalled"]
#: Who stands behind a memory: a person, the agent, a tool (a file, the harness, recalled memories), or who uploaded it.
Trust = Literal["human", "agent", "tool", "upload"]
#: What bears its words out: a person, a check that failed and passed later, a result, another session, or nothing else.
Proof = Literal["person", "check", "result", "repeated", "claimed"]
#: How far its cure is borne out: a later result or a person shows that it helped, nothing does, or there is no cure of
#: which that is known.
Cure = Literal["verified", "claimed", "none"]
#: What a person says of a memory's worth, or that its words hold, which is more than that it is useful.
Worth = Literal["useful", "junk"]
WORTHS: tuple[Worth, ...] = get_args(Worth)
Verdict = Literal["confirmed"] | Worth
#: Where a memory stands: found by every search, only where a search asks for what agents claim, or by none.
Status = Literal["active", "claimed", "archived"]
MemoryType = Literal["error", "security", "correction", "pattern", "preference", "life"]
Outcome = Literal["success", "failure", "partial", "unknown"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model asked for. `arguments` is decoded JSON, or the raw string if it is not JSON."""

    id: str
    name: str
    arguments: Any = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a session after normalisation; the same for every log format."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    is_error: bool | None = None
    reasoning: str | None = None
    origin: Origin = "human"
    thread: str = "main"
    start_line: int = 0
    end_line: int = 0
    timestamp: datetime | None = None
    #: what is not text: {"type": "image", "media_type": ..., "bytes": ...} and unknown blocks unchanged
    parts: tuple[Mapping[str, Any], ...] = ()
    model: str | None = None
    #: token counts as the log gives them: {"input": 12, "output": 3}
    usage: Mapping[str, int] | None = None
    uuid: str | None = None

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> Self:
        """A message from a plain `{role, content, ...}` mapping, OpenAI tool calls included."""
        known = {f.name for f in fields(cls)}
        values = {key: value for key, value in raw.items() if key in known and value is not None}
        values.setdefault("role", "")  # counts as an empty string in the fingerprint
        values["content"] = str(values.get("content") or "")
        values["tool_calls"] = tuple(_as_tool_call(call) for call in values.get("tool_calls") or ())
        if "reasoning" not in values and raw.get("reasoning_content"):
            values["reasoning"] = str(raw["reasoning_content"])
        values.setdefault("origin", _DEFAULT_ORIGIN.get(str(raw.get("role")), "human"))
        return cls(**values)


_DEFAULT_ORIGIN: dict[str, Origin] = {
    "user": "human",
    "assistant": "model",
    "tool": "tool",
    "system": "harness",
}

MessageLike = Message | Mapping[str, Any]


def _as_tool_call(raw: ToolCall | Mapping[str, Any]) -> ToolCall:
    if isinstance(raw, ToolCall):
        return raw
    function = raw.get("function") or raw
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        # a model may write arguments that are not JSON: the text is kept unchanged
        with contextlib.suppress(ValueError):
            arguments = json.loads(arguments)
    return ToolCall(id=str(raw.get("id") or ""), name=str(function.get("name") or ""), arguments=arguments)


def as_messages(messages: Sequence[MessageLike]) -> list[Message]:
    """The same messages as records; a mapping without line numbers gets line = position + 1."""
    result = []
    for position, raw in enumerate(messages):
        message = raw if isinstance(raw, Message) else Message.from_mapping(raw)
        if message.start_line == 0:
            message = replace(message, start_line=position + 1, end_line=position + 1)
        result.append(message)
    return result


@dataclass(frozen=True, slots=True)
class LineSkip:
    """Physical lines that carry no message, and why (`reason` is a short, stable word such as `bad_json`)."""

    start_line: int
    end_line: int
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LineLedger:
    """The fate of every physical line. `total == message + part + metadata + sum(skipped)` always holds.

    message: the first line of a message; part: a further line of one; metadata: read, but not a message.
    """

    total: int = 0
    message: int = 0
    part: int = 0
    metadata: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    #: where the skipped lines are, the first 1,000 of them
    skips: tuple[LineSkip, ...] = ()
    #: lines, whatever their fate, with bytes that no encoding explains: they are shown as U+FFFD
    damaged: int = 0
    #: lines in which a string of over 10,000,000 bytes was cut
    clipped: int = 0

    @property
    def balanced(self) -> bool:
        return self.total == self.message + self.part + self.metadata + sum(self.skipped.values())

    def to_json(self) -> dict[str, Any]:
        """Counts alone, as stored on the session row."""
        return {
            "total": self.total,
            "message": self.message,
            "part": self.part,
            "metadata": self.metadata,
            "skipped": dict(self.skipped),
            "damaged": self.damaged,
            "clipped": self.clipped,
        }


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What a log says about itself."""

    format: str = "unknown"
    harness: str | None = None
    harness_version: str | None = None
    cwd: str | None = None
    #: root and remote of the repository, where the harness looked them up
    root: str | None = None
    remote: str | None = None
    #: the id the harness gave the session
    session_id: str | None = None
    model: str | None = None
    #: JSON schemas of the tools, where the log carries them (OpenAI shape)
    tools: tuple[Mapping[str, Any], ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    encoding: str = "utf-8"
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """One log file, read whole."""

    messages: tuple[Message, ...]
    ledger: LineLedger
    info: SessionInfo


@dataclass(frozen=True, slots=True)
class Segment:
    """One task in a session. Positions count the messages that were passed in, `end` exclusive."""

    start: int
    end: int
    topic: str
    fingerprint: str
    thread: str = "main"
    start_line: int = 0
    end_line: int = 0
    #: what segmented it: `offline:<version>`, `model:<name>#<hash of prompt>`, `short` when there is
    #: nothing to divide: two messages, or for a model one request
    segmenter: str = ""
    #: why a rule had to repair the model's answer, else empty
    repair: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """One named score from 0 to 1 with its weight and the lines it rests on."""

    score: float
    weight: float
    lines: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class QualitySummary:
    """overall_score: worth training on. memory_score: worth learning from, None where a model judged without taking
    notes. Both 0-1. success_probability is None for work on a project offline, where no estimate was found better than
    chance."""

    overall_score: float
    memory_score: float | None
    success_probability: float | None
    outcome: Outcome = "unknown"
    task_type: str = "other"


@dataclass(frozen=True, slots=True)
class QualityLabel:
    """The judgement of one segment; `labeler` says who made it (`offline:<version>`, `model:<name>#<hash>`)."""

    summary: QualitySummary
    metrics: Mapping[str, Metric]
    labeler: str

    def to_json(self) -> dict[str, Any]:
        """The shape that `task_segments.quality_metrics` holds; of a metric without evidence or words no empty ones."""
        return {
            "summary": {f.name: getattr(self.summary, f.name) for f in fields(self.summary)},
            "metrics": {name: _metric_json(metric) for name, metric in self.metrics.items()},
            "labeler": self.labeler,
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        metrics = {
            name: Metric(m["score"], m["weight"], tuple(m.get("lines", ())), m.get("note", ""))
            for name, m in raw.get("metrics", {}).items()
        }
        return cls(QualitySummary(**raw["summary"]), metrics, raw.get("labeler", ""))


def _metric_json(metric: Metric) -> dict[str, Any]:
    told: dict[str, Any] = {"score": metric.score, "weight": metric.weight}
    if metric.lines:
        told["lines"] = list(metric.lines)
    if metric.note:
        told["note"] = metric.note
    return told


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words a memory rests on: `quote` occurs in the text of the messages on these lines."""

    start_line: int
    end_line: int
    quote: str


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """What extraction proposes; nothing is stored before redaction, gates and dedup have seen it."""

    content: str
    context: str = ""
    resolution: str = ""
    tags: tuple[str, ...] = ()
    confidence: float = 0.5
    memory_type: MemoryType = "pattern"
    evidence: tuple[Evidence, ...] = ()
    #: the source of the passage in its log (lessons/candidates); empty for any other draft
    lesson: str = ""
    #: what the log shows for it; None: it is as good as who said it
    proof: Proof | None = None
    #: how far the log bears out what its resolution says
    cure: Cure = "none"
    #: how likely it is worth keeping, by the ranker that chose it; None: nothing judged it
    probability: float | None = None
    #: the line that takes back what it says (lessons/later.py); 0 for none
    overtaken: int = 0
    #: in a line, as whoever wrote it gave it; empty: it is made of the content
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One redacted span; offsets are positions in the input text."""

    start: int
    end: int
    entity: str
    placeholder: str


@dataclass(frozen=True, slots=True)
class Redaction:
    """Text with placeholders, and what was found."""

    text: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """Something refused, with the stage, a short stable reason and what a reader needs to judge it."""

    stage: str
    reason: str
    detail: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
