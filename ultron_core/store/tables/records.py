"""Rows of the trajectory tables as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from ultron_core.models import Message, ToolCall

__all__ = ["SegmentRow", "SessionRow", "message_from_row"]


class _FromRow:
    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """The record of a row that has at least its columns."""
        return cls(**{f.name: row[f.name] for f in fields(cls)})  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class SessionRow(_FromRow):
    """One row of `sessions`."""

    id: UUID
    account_id: str
    agent_id: str
    session_file: str
    generation: int
    partition_key: str
    content_sha256: str
    bytes: int
    format: str
    harness: str | None
    tools: list[dict[str, Any]]
    model: str | None
    started_at: datetime | None
    changed_at: datetime
    is_over: bool
    lines: dict[str, Any]
    message_count: int
    status: str
    error: str | None
    segmented: int
    attempts: int
    parser_version: str
    segmenter: str | None
    #: hash of the id that the log gives itself
    log_id: str | None


@dataclass(frozen=True, slots=True)
class SegmentRow(_FromRow):
    """One row of `task_segments`."""

    id: UUID
    account_id: str
    agent_id: str
    session_id: UUID
    session_file: str
    generation: int
    segment_index: int
    thread: str
    start_message: int
    end_message: int
    #: of its first message in the session; None where an older version cut it
    start_seq: int | None
    start_line: int
    end_line: int
    fingerprint: str
    occurrence: int
    topic: str
    closed: bool
    segmenter: str
    quality_metrics: dict[str, Any] | None
    labeled: int
    labeler: str | None
    label_attempts: int
    memory_extracted: int
    extract_attempts: int
    model_notes: dict[str, Any] | None
    #: of its session
    project: str | None
    #: the key that sent its log in; None: the owner's own
    brought_by: str | None


def message_from_row(row: Mapping[str, Any]) -> Message:
    """A message as it was before it was stored."""
    calls = tuple(ToolCall(c["id"], c["name"], c["arguments"]) for c in row["tool_calls"] or ())
    return Message(
        role=row["role"],
        content=row["content"],
        tool_calls=calls,
        tool_call_id=row["tool_call_id"],
        name=row["name"],
        is_error=row["is_error"],
        reasoning=row["reasoning"],
        origin=row["origin"],
        thread=row["thread"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        timestamp=row["sent_at"],
        parts=tuple(row["parts"] or ()),
        model=row["model"],
        usage=row["usage"],
        uuid=row["source_uuid"],
    )
