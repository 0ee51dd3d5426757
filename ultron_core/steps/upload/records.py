"""Records of an upload, before and after what needs no lock."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID

from ultron_core.embeddings.protocol import Thresholds
from ultron_core.memories import EXTRACTOR_VERSION, Body, Summary, embedding_text, summarize_memory
from ultron_core.models import MemoryDraft, MemoryType
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.memories import MemoryRecord
from ultron_core.store.tables.uploads import Floats

__all__ = [
    "Floats",
    "Prepared",
    "Source",
    "Upload",
    "UploadResult",
    "body_digest",
    "body_of",
    "embedded_text",
    "extractor_of",
    "offline_summary",
    "thresholds",
    "upload_of_draft",
]

#: extractor of what was given by hand
DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Source:
    """Where an upload comes from; kind is segment, upload or ingest_text."""

    kind: str
    segment_id: UUID | None = None
    session_id: UUID | None = None
    raw_upload_id: UUID | None = None
    start_line: int | None = None
    end_line: int | None = None
    segment_start_line: int | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Upload:
    """One memory as it is given; `memory_type` None means that Ultron decides."""

    content: str
    context: str = ""
    resolution: str = ""
    tags: tuple[str, ...] = ()
    confidence: float = 0.5
    memory_type: MemoryType | None = None
    agent_id: str = "default"
    sources: tuple[Source, ...] = (Source(kind="upload"),)
    idempotency_key: str | None = None
    extractor: str = DIRECT


def extractor_of(runtime: Runtime) -> str:
    """What makes drafts here, as rows name it: `offline:<version>` or `model:<name>`."""
    return EXTRACTOR_VERSION if runtime.llm is None else f"model:{runtime.llm.model_id}"


def upload_of_draft(
    runtime: Runtime,
    draft: MemoryDraft,
    agent_id: str,
    sources: tuple[Source, ...],
    tags: tuple[str, ...] = (),
) -> Upload:
    """A draft of the extractor in use, with where it comes from; `tags` stand before its own."""
    return Upload(
        content=draft.content,
        context=draft.context,
        resolution=draft.resolution,
        tags=(*tags, *draft.tags),
        confidence=draft.confidence,
        memory_type=draft.memory_type,
        agent_id=agent_id,
        sources=sources,
        extractor=extractor_of(runtime),
    )


@dataclass(frozen=True, slots=True)
class UploadResult:
    """The memory an upload became (`insert`), was merged into (`merge`), or was already (`known`)."""

    record: MemoryRecord
    action: str
    score: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An upload after everything that needs no lock."""

    upload: Upload
    body: Body
    tags: tuple[str, ...]
    quotes: tuple[str, ...]
    memory_type: MemoryType
    summary: Summary
    vector: Floats | None
    needs_model: bool
    request_hash: str

    @property
    def digest(self) -> str:
        return body_digest(self.memory_type, self.body)

    @property
    def givers(self) -> tuple[UUID, ...]:
        """The segments and texts it comes from."""
        both = ((source.segment_id, source.raw_upload_id) for source in self.upload.sources)
        return tuple(given_by for pair in both for given_by in pair if given_by is not None)


def thresholds(runtime: Runtime) -> Thresholds:
    """The embedder's calibrated cosines; a value set by the user wins."""
    own, dedup = runtime.embedder.thresholds, runtime.settings.dedup
    cluster = runtime.settings.clusters.similarity_threshold
    return Thresholds(
        merge=own.merge if dedup.similarity_threshold is None else dedup.similarity_threshold,
        soft=own.soft if dedup.soft_threshold is None else dedup.soft_threshold,
        cluster=own.cluster if cluster is None else cluster,
    )


def body_digest(memory_type: str, body: Body) -> str:
    """Identity of a memory's words."""
    parts = "\x1f".join((memory_type, body.content, body.context, body.resolution))
    return hashlib.sha256(parts.encode()).hexdigest()


def body_of(record: MemoryRecord) -> Body:
    """The words of a stored memory."""
    return Body(record.content, record.context, record.resolution)


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
