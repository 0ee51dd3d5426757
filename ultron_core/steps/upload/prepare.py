"""Everything about an upload that needs no lock: redaction, type, summaries, vector."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ultron_core.errors import ModelError
from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import truncate_tokens
from ultron_core.memories import Body, Summary, classify_memory, summarize_memory
from ultron_core.models import MemoryType
from ultron_core.sessions import clean_text
from ultron_core.steps.erased.marks import Name, find_marks
from ultron_core.steps.rows.body import offline_summary, redact_tags, words_digest
from ultron_core.steps.rows.embedded import embed_bodies
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.records import DIRECT, Prepared, Upload
from ultron_core.transcript.language import one_line

__all__ = ["not_erased", "prepare", "summary_by_model"]


def prepare(runtime: Runtime, uploads: Sequence[Upload]) -> list[Prepared]:
    bodies = [_redacted(runtime, upload) for upload in uploads]
    typed = [_typed(runtime, upload, one.body) for upload, one in zip(uploads, bodies, strict=True)]
    kinds = [memory_type for memory_type, _ in typed]
    vectors = embed_bodies(runtime, list(zip(kinds, [one.body for one in bodies], strict=True)))
    prepared = []
    for upload, clean, (memory_type, asked), vector in zip(uploads, bodies, typed, vectors, strict=True):
        summary, told = _summarized(runtime, upload, clean)
        needs_model = runtime.llm is not None and not (asked and told)
        request = hashlib.sha256(repr(_request(upload)).encode())
        prepared.append(
            Prepared(
                *(upload, clean.body, clean.tags, clean.quotes, memory_type),
                *(summary, vector, needs_model, request.hexdigest()),
            )
        )
    return prepared


def not_erased(runtime: Runtime, uploads: Sequence[Upload]) -> list[Upload]:
    """Those of the uploads of a log whose words were not erased as a memory."""
    if not uploads:
        return []
    with runtime.database.transaction() as conn:
        marks = find_marks(runtime, conn)
        if marks is None:
            return list(uploads)
        names: list[Name] = [("memory", words_digest(_redacted(runtime, one).body)) for one in uploads]
        gone = marks.known(names)
    return [one for one, name in zip(uploads, names, strict=True) if name not in gone]


@dataclass(frozen=True, slots=True)
class _Clean:
    """What an upload says, redacted."""

    body: Body
    tags: tuple[str, ...]
    quotes: tuple[str, ...]
    summary: str


def _redacted(runtime: Runtime, upload: Upload) -> _Clean:
    """Body, summary and quotes as one document: the same secret gets the same placeholder everywhere."""
    document = {
        "body": [clean_text(part).strip() for part in (upload.content, upload.context, upload.resolution)],
        "summary": clean_text(upload.summary).strip(),
        "quotes": [clean_text(source.quote) for source in upload.sources],
    }
    clean, _ = runtime.redactor.redact_json(document)
    body, tags = Body(*clean["body"]), redact_tags(runtime, upload.tags)
    return _Clean(body, tags, tuple(clean["quotes"]), clean["summary"])


def _typed(runtime: Runtime, upload: Upload, body: Body) -> tuple[MemoryType, bool]:
    """(type, whether the model was asked if there is one)."""
    if upload.memory_type is not None:
        return upload.memory_type, True
    if runtime.llm is not None:
        try:
            return classify_memory(body.content, body.context, body.resolution, runtime.llm), True
        except ModelError:
            return classify_memory(body.content, body.context, body.resolution), False
    return classify_memory(body.content, body.context, body.resolution), True


def _summarized(runtime: Runtime, upload: Upload, clean: _Clean) -> tuple[Summary, bool]:
    """(L0 and L1, whether the model made them if there is one). Who extracts a note says it in a line as well: no model
    is asked for that again."""
    by_rules = offline_summary(runtime, clean.body)
    if clean.summary:
        most = runtime.settings.extract.l0_max_tokens
        return replace(by_rules, l0=truncate_tokens(one_line(clean.summary), most)), True
    if runtime.llm is None or upload.extractor != DIRECT:
        return by_rules, True
    try:
        return summary_by_model(runtime, runtime.llm, clean.body), True
    except ModelError:
        return by_rules, False


def summary_by_model(runtime: Runtime, llm: LLM, body: Body) -> Summary:
    """L0 and L1 within the limits of the settings, redacted. Raises ModelError."""
    limits = runtime.settings.extract
    made = summarize_memory(
        body.content,
        body.context,
        body.resolution,
        llm,
        l0_max_tokens=limits.l0_max_tokens,
        l1_max_tokens=limits.l1_max_tokens,
    )
    # what a model says may hold what it was never told
    (l0, l1), _ = runtime.redactor.redact_json([made.l0, made.l1])
    return replace(made, l0=l0, l1=l1)


def _request(upload: Upload) -> tuple[object, ...]:
    """What makes two uploads with one idempotency key the same request."""
    sources = tuple((s.kind, str(s.segment_id), str(s.raw_upload_id)) for s in upload.sources)
    return (
        upload.content,
        upload.context,
        upload.resolution,
        upload.tags,
        upload.memory_type,
        upload.agent_id,
        sources,
    )
