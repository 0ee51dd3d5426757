"""A memory as it is to be written: its words, their identity, what is embedded of them, summaries by rules, tags."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ultron_core.memories import Backing, Body, Summary, embedding_text, summarize_memory
from ultron_core.models import MemoryType, Status
from ultron_core.sessions import clean_text
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.memories import MemoryRecord
from ultron_core.store.tables.uploads import Floats

__all__ = [
    "MemoryRow",
    "NewMemory",
    "backing_in",
    "backing_of",
    "body_digest",
    "body_of",
    "embedded_text",
    "offline_summary",
    "redact_tags",
    "words_digest",
]

#: what extraction writes; anything longer could carry a secret, e.g. `segment:0f3a9c1d`
_SEGMENT_TAG = re.compile(r"segment:[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What is written of a memory once, when it is new."""

    agent_id: str
    confidence: float
    extractor: str
    hits: int = 1


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory as it is to be stored; `new` is None for one that is there already.

    `vector` is that of the body; None leaves it to back-filling. `around`: the nearest memories of any type, where
    they were looked for. `backing` None: whoever stood behind it still does.
    """

    id: UUID
    memory_type: str
    body: Body
    tags: tuple[str, ...]
    summary: Summary
    needs_model: bool
    backing: Backing | None = None
    vector: Floats | None = None
    new: NewMemory | None = None
    #: where it stands, or is put while it is new
    status: Status = "active"
    around: tuple[UUID, ...] | None = None


def body_digest(memory_type: str, body: Body) -> str:
    """Identity of a memory's words."""
    parts = "\x1f".join((memory_type, body.content, body.context, body.resolution))
    return hashlib.sha256(parts.encode()).hexdigest()


def words_digest(body: Body) -> str:
    """Identity of a memory's words whatever its type, the fields they stand in, their case and white space."""
    words = " ".join(unicodedata.normalize("NFKC", body.text).casefold().split())
    return hashlib.sha256(words.encode()).hexdigest()


def body_of(record: MemoryRecord) -> Body:
    """The words of a stored memory."""
    return Body(record.content, record.context, record.resolution)


def backing_of(record: MemoryRecord) -> Backing:
    """Who stands behind the words of a stored memory."""
    return Backing(record.trust, record.proof, record.lesson, record.probability, record.cure)


def backing_in(part: Mapping[str, Any]) -> Backing:
    """Who stands behind a contribution, from its row."""
    return Backing(part["trust"], part["proof"], part["lesson"], part["probability"], part["cure"])


def embedded_text(memory_type: str, body: Body) -> str:
    """What is embedded of a memory whose type was read from its column."""
    kind: MemoryType = memory_type  # type: ignore[assignment]  # the column's check allows nothing else
    return embedding_text(kind, body.content, body.context, body.resolution)


def offline_summary(runtime: Runtime, body: Body) -> Summary:
    """L0 and L1 by rules, within the limits of the settings."""
    limits = runtime.settings.extract
    return summarize_memory(
        body.content,
        body.context,
        body.resolution,
        l0_max_tokens=limits.l0_max_tokens,
        l1_max_tokens=limits.l1_max_tokens,
    )


def redact_tags(runtime: Runtime, tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as they may be stored; the mark of a segment is not a secret."""
    cleaned = [clean_text(tag) for tag in tags]
    return tuple(t if _SEGMENT_TAG.fullmatch(t) else runtime.redactor.redact_text(t).text for t in cleaned)
