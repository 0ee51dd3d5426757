"""Records of an upload, before and after what needs no lock."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID

from ultron_core.memories import EXTRACTOR_VERSION, UNBACKED, Backing, Body, Summary, extractor_of
from ultron_core.models import Cure, MemoryDraft, MemoryType, Proof, Trust
from ultron_core.redaction import redact_patterns
from ultron_core.steps.rows.body import body_digest, words_digest
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.memories import MemoryRecord
from ultron_core.store.tables.uploads import Floats

__all__ = [
    "DIRECT",
    "Prepared",
    "Source",
    "Upload",
    "UploadResult",
    "draft_maker",
    "upload_of_draft",
]

#: extractor of what was given by hand
DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Source:
    """Where an upload comes from, and who stands behind it; kind is segment, upload or ingest_text."""

    kind: str
    segment_id: UUID | None = None
    session_id: UUID | None = None
    raw_upload_id: UUID | None = None
    start_line: int | None = None
    end_line: int | None = None
    segment_start_line: int | None = None
    quote: str = ""
    trust: Trust = "upload"


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
    #: of a memory that no log gave
    project: str | None = None
    #: what the rules know of it; nothing that a caller gives
    lesson: str = ""
    proof: Proof | None = None
    probability: float | None = None
    cure: Cure = "none"
    #: in a line, as the extractor wrote it; empty: it is made here
    summary: str = ""

    @property
    def backing(self) -> Backing:
        """Who said it, by the source that its words rest on, and what bears it out: a person's own words need nothing
        else, and what a caller hands in proves nothing."""
        trust = self.sources[0].trust if self.sources else "upload"
        if trust == "upload":
            return UNBACKED
        proof = self.proof or ("person" if trust == "human" else "claimed")
        return Backing(trust, proof, self.lesson, self.probability, self.cure)


def draft_maker(runtime: Runtime) -> str:
    """What makes drafts here, as rows name it: `offline:<version>` or `model:<name>#<hash>`."""
    return EXTRACTOR_VERSION if runtime.llm is None else extractor_of(runtime.llm)


def upload_of_draft(
    runtime: Runtime,
    draft: MemoryDraft,
    agent_id: str,
    sources: tuple[Source, ...],
    tags: tuple[str, ...] = (),
) -> Upload:
    """A draft of the extractor in use, with where it comes from; `tags` come before its own."""
    return Upload(
        content=draft.content,
        context=draft.context,
        resolution=draft.resolution,
        tags=(*tags, *draft.tags),
        confidence=draft.confidence,
        memory_type=draft.memory_type,
        agent_id=agent_id,
        sources=sources,
        extractor=draft_maker(runtime),
        lesson=draft.lesson,
        proof=draft.proof,
        probability=draft.probability,
        cure=draft.cure,
        summary=draft.summary,
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
    def project(self) -> str | None:
        """The project that it was uploaded for, fit to be shown."""
        return redact_patterns(self.upload.project).text if self.upload.project else None

    @property
    def key(self) -> str:
        """The idempotency key as it is stored, "" without one: a hash, as callers build keys of what they like."""
        given = self.upload.idempotency_key
        return hashlib.sha256(given.encode()).hexdigest() if given else ""

    @property
    def digest(self) -> str:
        return body_digest(self.memory_type, self.body)

    @property
    def words(self) -> str:
        return words_digest(self.body)

    @property
    def givers(self) -> tuple[UUID, ...]:
        """The segments and texts it comes from."""
        both = ((source.segment_id, source.raw_upload_id) for source in self.upload.sources)
        return tuple(given_by for pair in both for given_by in pair if given_by is not None)
