"""Everything about an upload that needs no lock: redaction, type, summaries, vector."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from ultron_core.embeddings.checked import embed_checked
from ultron_core.errors import EmbeddingError, ModelError
from ultron_core.memories import Body, Summary, classify_memory, summarize_memory
from ultron_core.models import MemoryType
from ultron_core.sessions import clean_text
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.records import Floats, Prepared, Upload, embedded_text, offline_summary

__all__ = ["embed", "prepare", "redact_tags"]

#: what extraction writes; anything longer could carry a secret
_SEGMENT_TAG = re.compile(r"segment:[0-9a-f]{8}")


def prepare(runtime: Runtime, uploads: Sequence[Upload]) -> list[Prepared]:
    bodies = [_redacted(runtime, upload) for upload in uploads]
    typed = [_typed(runtime, upload, body) for upload, (body, _, _) in zip(uploads, bodies, strict=True)]
    texts = [
        embedded_text(memory_type, body) for (memory_type, _), (body, _, _) in zip(typed, bodies, strict=True)
    ]
    vectors = embed(runtime, texts)
    prepared = []
    for upload, (body, tags, quotes), (memory_type, asked), vector in zip(
        uploads, bodies, typed, vectors, strict=True
    ):
        summary, told = _summarized(runtime, body)
        needs_model = runtime.llm is not None and not (asked and told)
        request = hashlib.sha256(repr(_request(upload)).encode())
        prepared.append(
            Prepared(
                upload, body, tags, quotes, memory_type, summary, vector, needs_model, request.hexdigest()
            )
        )
    return prepared


def _redacted(runtime: Runtime, upload: Upload) -> tuple[Body, tuple[str, ...], tuple[str, ...]]:
    """Body, tags and quotes as one document: the same secret gets the same placeholder everywhere."""
    document = {
        "body": [clean_text(part).strip() for part in (upload.content, upload.context, upload.resolution)],
        "quotes": [clean_text(source.quote) for source in upload.sources],
    }
    clean, _ = runtime.redactor.redact_json(document)
    return Body(*clean["body"]), redact_tags(runtime, upload.tags), tuple(clean["quotes"])


def redact_tags(runtime: Runtime, tags: Sequence[str]) -> tuple[str, ...]:
    """Tags as they may be stored; the mark of a segment is no secret."""
    cleaned = [clean_text(tag) for tag in tags]
    return tuple(t if _SEGMENT_TAG.fullmatch(t) else runtime.redactor.redact_text(t).text for t in cleaned)


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


def _summarized(runtime: Runtime, body: Body) -> tuple[Summary, bool]:
    """(L0 and L1, whether the model made them if there is one)."""
    limits = runtime.settings.extract
    made = None
    if runtime.llm is not None:
        try:
            made = summarize_memory(
                body.content,
                body.context,
                body.resolution,
                runtime.llm,
                l0_max_tokens=limits.l0_max_tokens,
                l1_max_tokens=limits.l1_max_tokens,
            )
        except ModelError:
            made = None
    if made is not None:  # what a model says may hold what it was never told
        (l0, l1), _ = runtime.redactor.redact_json([made.l0, made.l1])
        made = replace(made, l0=l0, l1=l1)
    told = made is not None or runtime.llm is None
    return made or offline_summary(runtime, body), told


def embed(runtime: Runtime, texts: Sequence[str]) -> list[Floats | None]:
    """Vectors of length 1; all None when the embedder fails: the rows are filled in later."""
    try:
        return list(embed_checked(runtime.embedder, list(texts))) if texts else []
    except EmbeddingError:
        return [None] * len(texts)


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
