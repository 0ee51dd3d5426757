"""Uploads -> memories: redact, type, embed, compare with the nearest of the same type, merge or insert.

What may take long (models, embedding) happens before the lock. Under the lock, one advisory lock a type, each
upload is compared again with what is stored now, so that concurrent identical uploads end in one row and a
batch gives what one upload after another would. Equal cosine is not equal fact: a merge also needs no diverging
number, date, identifier, path or negation; near-equals that diverge are linked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from ultron_core.embeddings.protocol import Thresholds
from ultron_core.errors import EmbeddingError, InputError, ModelError
from ultron_core.memories import (
    Body,
    Summary,
    classify_memory,
    diverges,
    embedding_text,
    merge_bodies,
    merge_tags,
    summarize_memory,
)
from ultron_core.models import MemoryType
from ultron_core.steps import clusters as cluster_step
from ultron_core.steps.context import Context
from ultron_core.steps.lexical import MEMORY, count_document, make_lexical
from ultron_core.store import memories as store
from ultron_core.store.database import Connection
from ultron_core.store.memories import MemoryRecord, MemorySource

__all__ = [
    "MemoryRecord",
    "MemorySource",
    "Source",
    "Upload",
    "UploadResult",
    "archive_orphans",
    "set_status",
    "thresholds",
    "upload_memories",
    "write_body",
]

_DIRECT = "direct"


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
    extractor: str = _DIRECT


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
    vector: str | None
    needs_model: bool
    request_hash: str
    #: merged bodies a model has made, by (memory, hash of the body it saw)
    merges: dict[tuple[UUID, str], Body] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return body_digest(self.memory_type, self.body)


def thresholds(context: Context) -> Thresholds:
    """The embedder's calibrated cosines; a value set by the user wins."""
    own, dedup = context.embedder.thresholds, context.settings.dedup
    cluster = context.settings.clusters.similarity_threshold
    return Thresholds(
        merge=own.merge if dedup.similarity_threshold is None else dedup.similarity_threshold,
        soft=own.soft if dedup.soft_threshold is None else dedup.soft_threshold,
        cluster=own.cluster if cluster is None else cluster,
    )


def upload_memories(context: Context, uploads: Sequence[Upload]) -> list[UploadResult]:
    """Store each upload; results in the order given. Raises InputError for empty content, before any write."""
    for upload in uploads:
        if not upload.content.strip():
            raise InputError("A memory needs content: say what happened or what holds.")
    if not uploads:
        return []
    prepared = _prepare(context, uploads)
    _ask_for_merges(context, prepared)
    return context.database.run(lambda conn: _store_all(context, conn, prepared))


def _prepare(context: Context, uploads: Sequence[Upload]) -> list[Prepared]:
    bodies = [_redacted(context, upload) for upload in uploads]
    typed = [_typed(context, upload, body) for upload, (body, _, _) in zip(uploads, bodies, strict=True)]
    texts = [
        embedding_text(memory_type, body.content, body.context, body.resolution)
        for (memory_type, _), (body, _, _) in zip(typed, bodies, strict=True)
    ]
    vectors = embed(context, texts)
    prepared = []
    for upload, (body, tags, quotes), (memory_type, asked), vector in zip(
        uploads, bodies, typed, vectors, strict=True
    ):
        summary, told = summarized(context, body)
        needs_model = context.llm is not None and not (asked and told)
        request = hashlib.sha256(json.dumps([upload.content, upload.context, upload.resolution]).encode())
        prepared.append(
            Prepared(
                upload, body, tags, quotes, memory_type, summary, vector, needs_model, request.hexdigest()
            )
        )
    return prepared


def _redacted(context: Context, upload: Upload) -> tuple[Body, tuple[str, ...], tuple[str, ...]]:
    """Body, tags and quotes as one document: the same secret gets the same placeholder everywhere."""
    document = {
        "body": [upload.content.strip(), upload.context.strip(), upload.resolution.strip()],
        "quotes": [source.quote for source in upload.sources],
    }
    clean, _ = context.redactor.redact_json(document)
    tags = tuple(t if t.startswith("segment:") else context.redactor.redact_text(t).text for t in upload.tags)
    return Body(*[text.replace("\x00", "") for text in clean["body"]]), tags, tuple(clean["quotes"])


def _typed(context: Context, upload: Upload, body: Body) -> tuple[MemoryType, bool]:
    """(type, whether the model was asked if there is one)."""
    if upload.memory_type is not None:
        return upload.memory_type, True
    if context.llm is not None:
        try:
            return classify_memory(body.content, body.context, body.resolution, context.llm), True
        except ModelError:
            return classify_memory(body.content, body.context, body.resolution), False
    return classify_memory(body.content, body.context, body.resolution), True


def summarized(context: Context, body: Body) -> tuple[Summary, bool]:
    """(L0 and L1, whether the model made them if there is one)."""
    limits = context.settings.extract
    made = None
    if context.llm is not None:
        try:
            made = summarize_memory(
                body.content,
                body.context,
                body.resolution,
                context.llm,
                l0_max_tokens=limits.l0_max_tokens,
                l1_max_tokens=limits.l1_max_tokens,
            )
        except ModelError:
            made = None
    told = made is not None or context.llm is None
    if made is None:
        made = summarize_memory(
            body.content,
            body.context,
            body.resolution,
            l0_max_tokens=limits.l0_max_tokens,
            l1_max_tokens=limits.l1_max_tokens,
        )
    return made, told


def embed(context: Context, texts: Sequence[str]) -> list[str | None]:
    """Vectors in text form; all None when the embedder fails: the rows are filled in later."""
    try:
        return [store.vector_text(vector) for vector in context.embedder.embed(list(texts))]
    except EmbeddingError:
        return [None] * len(texts)


def _ask_for_merges(context: Context, prepared: Sequence[Prepared]) -> None:
    """With a model: merged bodies for the likely targets, before the lock. Failures leave the merge for later."""
    if context.llm is None:
        return
    limit = context.settings.dedup.merge_max_field_tokens
    for item in prepared:
        with context.database.transaction() as conn:
            target = _target(context, conn, item)
            record = store.by_ids(conn, context.account_id, [target.other])[0] if target.other else None
        if target.action != "merge" or record is None:
            continue
        old = Body(record.content, record.context, record.resolution)
        try:
            merged = merge_bodies(old, item.body, context.llm, max_field_tokens=limit)
        except ModelError:
            continue
        item.merges[record.id, body_digest(record.memory_type, old)] = merged.body


@dataclass(frozen=True, slots=True)
class _Target:
    """What to do with an upload, seen against what is stored now."""

    action: str
    reason: str
    other: UUID | None = None
    score: float | None = None
    archived: bool = False
    known: bool = False


def _target(context: Context, conn: Connection, item: Prepared) -> _Target:
    """Same source and words: known. Same words: merge. Near and not diverging: merge. Else insert."""
    body = {"content": item.body.content, "context": item.body.context, "resolution": item.body.resolution}
    for source in item.upload.sources:
        if source.segment_id is None and source.raw_upload_id is None:
            continue
        rows = store.fetch(
            conn,
            "same_source",
            {
                "account_id": context.account_id,
                "segment_id": source.segment_id,
                "raw_upload_id": source.raw_upload_id,
                **body,
            },
        )
        if rows:
            archived = rows[0]["status"] == "archived"
            return _Target("known", "same_source", rows[0]["memory_id"], archived=archived, known=True)
    rows = store.fetch(
        conn,
        "same_words",
        {"account_id": context.account_id, "memory_type": item.memory_type, "body_sha256": item.digest},
    )
    if rows:
        return _Target("merge", "same_words", rows[0]["id"], 1.0, rows[0]["status"] == "archived")
    return _nearest_target(context, conn, item)


def _nearest_target(context: Context, conn: Connection, item: Prepared) -> _Target:
    if item.vector is None:
        return _Target("insert", "no_vector")
    model = (context.embedder.model_id, context.embedder.dimension)
    near = store.nearest(conn, context.account_id, model, item.memory_type, item.vector)
    if not near:
        return _Target("insert", "first_of_its_type")
    limits = thresholds(context)
    for other, score in near:
        if score <= limits.merge:
            break
        record = store.by_ids(conn, context.account_id, [other])[0]
        difference = diverges(_text(record), item.body.text)
        if difference is None:
            return _Target("merge", "near_duplicate", other, score)
    other, score = near[0]
    if score >= limits.soft:
        record = store.by_ids(conn, context.account_id, [other])[0]
        difference = diverges(_text(record), item.body.text)
        reason = f"diverging_{difference}" if difference else "similar"
        return _Target("insert", reason, other, score)
    return _Target("insert", "nothing_near", None, score)


def _text(record: MemoryRecord) -> str:
    return Body(record.content, record.context, record.resolution).text


def _store_all(context: Context, conn: Connection, prepared: Sequence[Prepared]) -> list[UploadResult]:
    for memory_type in sorted({item.memory_type for item in prepared}):
        store.run(conn, "lock_type", {"account_id": context.account_id, "memory_type": memory_type})
    store.run(conn, "lock_clusters", {"account_id": context.account_id})
    register_model(context, conn)
    done = [_store(context, conn, item) for item in prepared]
    records = store.by_ids(conn, context.account_id, [memory_id for memory_id, _ in done])
    return [
        UploadResult(record, target.action, target.score, target.reason)
        for record, (_, target) in zip(records, done, strict=True)
    ]


def register_model(context: Context, conn: Connection) -> None:
    """Know the embedder and its thresholds, and have its index."""
    limits = context.embedder.thresholds
    store.run(
        conn,
        "register_model",
        {
            "account_id": context.account_id,
            "model_id": context.embedder.model_id,
            "dimension": context.embedder.dimension,
            "merge": limits.merge,
            "soft": limits.soft,
            "cluster": limits.cluster,
            "now": context.clock(),
        },
    )
    store.ensure_index(conn, (context.embedder.model_id, context.embedder.dimension))


def _store(context: Context, conn: Connection, item: Prepared) -> tuple[UUID, _Target]:
    earlier = _same_request(context, conn, item)
    if earlier is not None:
        return earlier, _Target("known", "idempotency_key", earlier)
    target = _target(context, conn, item)
    if target.archived and target.other is not None:
        set_status(context, conn, [target.other], "active", None)
    if target.known and target.other is not None:
        return target.other, target
    if target.action == "merge" and target.other is not None:
        _merge(context, conn, item, target)
        memory_id = target.other
    else:
        memory_id = _insert(context, conn, item, target)
    if item.upload.idempotency_key:
        store.run(
            conn,
            "insert_idempotency",
            {
                "account_id": context.account_id,
                "agent_id": item.upload.agent_id,
                "key": item.upload.idempotency_key,
                "request_hash": item.request_hash,
                "memory_id": memory_id,
                "now": context.clock(),
            },
        )
    return memory_id, target


def _same_request(context: Context, conn: Connection, item: Prepared) -> UUID | None:
    key = item.upload.idempotency_key
    if not key:
        return None
    rows = store.fetch(conn, "idempotency", {"account_id": context.account_id, "key": key})
    if not rows:
        return None
    if rows[0]["request_hash"] != item.request_hash:
        raise InputError(f"idempotency_key {key!r} was used for another memory: use a new key for new words.")
    found: UUID = rows[0]["memory_id"]
    return found


def _insert(context: Context, conn: Connection, item: Prepared, target: _Target) -> UUID:
    memory_id = uuid4()
    body = item.body
    common = {"id": memory_id, "account_id": context.account_id, "now": context.clock()}
    store.run(
        conn,
        "insert_memory",
        {
            **common,
            "agent_id": item.upload.agent_id,
            "memory_type": item.memory_type,
            "content": body.content,
            "context": body.context,
            "resolution": body.resolution,
            "tags": list(merge_tags((), item.tags)),
            "summary_l0": item.summary.l0,
            "overview_l1": item.summary.l1,
            "confidence": item.upload.confidence,
            "extractor": item.upload.extractor,
            "redaction_version": context.redactor.version,
            "body_sha256": item.digest,
            "needs_model": item.needs_model,
        },
    )
    store.run(conn, "insert_usage", common)
    _write_lanes(context, conn, memory_id, item.memory_type, body, item.vector)
    _write_origin(context, conn, memory_id, item, target, merged=False, body_before=None)
    if target.other is not None:
        link = {"from_id": memory_id, "to_id": target.other, "kind": "similar_to", **common}
        store.run(conn, "insert_link", {**link, "score": target.score, "reason": target.reason})
    if item.vector is not None:
        cluster_step.assign(context, conn, memory_id, item.vector, item.summary.l0)
    return memory_id


def _merge(context: Context, conn: Connection, item: Prepared, target: _Target) -> None:
    """One hit; the older body with the new facts, or as it was when a model should decide but cannot."""
    assert target.other is not None
    record = store.by_ids(conn, context.account_id, [target.other])[0]
    old = Body(record.content, record.context, record.resolution)
    store.run(conn, "hit_merge", {"id": record.id, "now": context.clock()})
    planned = item.merges.get((record.id, body_digest(record.memory_type, old)))
    pending = False
    body = old
    if planned is not None:
        body = planned
    elif context.llm is None:
        limit = context.settings.dedup.merge_max_field_tokens
        body = merge_bodies(old, item.body, max_field_tokens=limit).body
    else:
        pending = item.digest != body_digest(record.memory_type, old)
    tags = list(merge_tags(record.tags, item.tags))
    if body != old:
        write_body(context, conn, record, body, tags)
    else:
        store.run(conn, "update_tags", {"id": record.id, "tags": tags, "now": context.clock()})
    before = {"content": old.content, "context": old.context, "resolution": old.resolution}
    _write_origin(context, conn, record.id, item, target, merged=True, body_before=before, pending=pending)


def write_body(
    context: Context, conn: Connection, record: MemoryRecord, body: Body, tags: Sequence[str]
) -> None:
    """Another body: summaries, both lanes and the cluster's centroid follow."""
    offline = summarize_memory(
        body.content,
        body.context,
        body.resolution,
        l0_max_tokens=context.settings.extract.l0_max_tokens,
        l1_max_tokens=context.settings.extract.l1_max_tokens,
    )
    store.run(
        conn,
        "update_body",
        {
            "id": record.id,
            "content": body.content,
            "context": body.context,
            "resolution": body.resolution,
            "tags": list(tags),
            "summary_l0": offline.l0,
            "overview_l1": offline.l1,
            "body_sha256": body_digest(record.memory_type, body),
            "needs_model": context.llm is not None,
            "now": context.clock(),
        },
    )
    text = embedding_text(_as_type(record.memory_type), body.content, body.context, body.resolution)
    vector = embed(context, [text])[0]
    _write_lanes(context, conn, record.id, record.memory_type, body, vector, again=True)
    if vector is not None:
        cluster_step.refresh_member(context, conn, record.id)


def _as_type(name: str) -> MemoryType:
    return name  # type: ignore[return-value]  # the column's check allows nothing else


def _write_lanes(
    context: Context,
    conn: Connection,
    memory_id: UUID,
    memory_type: str,
    body: Body,
    vector: str | None,
    *,
    again: bool = False,
) -> None:
    lexical = make_lexical(context, conn, body.text, MEMORY)
    row = {"id": memory_id, "account_id": context.account_id, "memory_type": memory_type}
    store.run(
        conn,
        "upsert_search",
        {
            **row,
            "terms": lexical.terms,
            "weights": store.sparse(lexical.weights),
            "length": lexical.length,
            "average_length": lexical.average_length,
        },
    )
    if not again:  # a changed body shifts its frequencies by a few terms: the recount sets them right
        count_document(context, conn, MEMORY, lexical.terms, lexical.length)
    if vector is not None:
        store.run(conn, "upsert_vector", {**row, "model_id": context.embedder.model_id, "vector": vector})


def _write_origin(
    context: Context,
    conn: Connection,
    memory_id: UUID,
    item: Prepared,
    target: _Target,
    *,
    merged: bool,
    body_before: dict[str, str] | None,
    pending: bool = False,
) -> None:
    """Sources, the contribution and the decision."""
    common = {"account_id": context.account_id, "agent_id": item.upload.agent_id, "now": context.clock()}
    source_ids = [uuid4() for _ in item.upload.sources]
    for source_id, source, quote in zip(source_ids, item.upload.sources, item.quotes, strict=True):
        store.run(
            conn,
            "insert_source",
            {
                **common,
                "id": source_id,
                "memory_id": memory_id,
                "kind": source.kind,
                "segment_id": source.segment_id,
                "session_id": source.session_id,
                "raw_upload_id": source.raw_upload_id,
                "start_line": source.start_line,
                "end_line": source.end_line,
                "segment_start_line": source.segment_start_line,
                "quote": quote,
            },
        )
    contribution_id = uuid4()
    store.run(
        conn,
        "insert_contribution",
        {
            **common,
            "id": contribution_id,
            "memory_id": memory_id,
            "source_id": source_ids[0] if source_ids else None,
            "content": item.body.content,
            "context": item.body.context,
            "resolution": item.body.resolution,
            "tags": list(item.tags),
            "merged": merged,
            "pending_merge": pending,
        },
    )
    store.run(
        conn,
        "insert_decision",
        {
            "id": uuid4(),
            "account_id": context.account_id,
            "memory_id": memory_id,
            "other_id": target.other,
            "contribution_id": contribution_id,
            "decision": "merge" if merged else "insert",
            "reason": target.reason,
            "score": target.score,
            "threshold": thresholds(context).merge,
            "model_id": context.embedder.model_id,
            "body_before": Jsonb(body_before) if body_before else None,
            "decided_by": "rules",
            "now": context.clock(),
        },
    )


def body_digest(memory_type: str, body: Body) -> str:
    """Identity of a memory's words."""
    parts = "\x1f".join((memory_type, body.content, body.context, body.resolution))
    return hashlib.sha256(parts.encode()).hexdigest()


def set_status(
    context: Context, conn: Connection, ids: Sequence[UUID], status: str, reason: str | None
) -> list[UUID]:
    """Archive or re-activate; archived members leave their cluster, re-activated ones come back."""
    rows = store.fetch(
        conn,
        "set_status",
        {
            "account_id": context.account_id,
            "ids": sorted(ids),
            "status": status,
            "reason": reason,
            "now": context.clock(),
        },
    )
    changed = [row["id"] for row in rows]
    if changed:
        cluster_step.follow_status(context, conn, changed, status)
    return changed


def archive_orphans(context: Context, conn: Connection, memory_ids: Sequence[UUID]) -> int:
    """Archive those of the memories that have no source left; in the caller's transaction."""
    if not memory_ids:
        return 0
    store.run(conn, "lock_clusters", {"account_id": context.account_id})
    orphans = [row["id"] for row in store.fetch(conn, "orphans", {"ids": list(memory_ids)})]
    return len(set_status(context, conn, orphans, "archived", "no_source_left"))


def retract_from_segment(
    context: Context, conn: Connection, segment_id: UUID, kept: Sequence[UUID]
) -> int:
    """Memories that a segment gives no more lose it as a source; those without another are archived."""
    params = {"account_id": context.account_id, "segment_id": segment_id, "kept": list(kept)}
    rows = store.fetch(conn, "retract_sources", params)
    return archive_orphans(context, conn, [row["memory_id"] for row in rows])
