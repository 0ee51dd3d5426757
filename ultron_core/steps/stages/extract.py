"""Eligible segments -> memories. Whatever is refused is counted with its reason and can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from ultron_core.errors import ModelError
from ultron_core.labels import is_memory_eligible
from ultron_core.memories import EXTRACTOR_VERSION, extract_memories, extract_with_model, gate_draft
from ultron_core.models import Drop, MemoryDraft, Message, QualityLabel
from ultron_core.steps.rows.status import retract_from_segment
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.failures import describe_failure
from ultron_core.steps.upload.records import Source, Upload, upload_of_draft
from ultron_core.steps.upload.upload import upload_memories
from ultron_core.store.tables import drops
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow

__all__ = ["ExtractedSegment", "extract_pending_segments", "segment_tag"]

_STAGE = "extract"
_LOOKED_THROUGH, _REFUSED = 1, 2


@dataclass(frozen=True, slots=True)
class ExtractedSegment:
    """What became of one segment. status: done, refused (gate), pending or failed."""

    segment_id: UUID
    partition_key: str
    status: str
    drafts: int = 0
    inserted: int = 0
    merged: int = 0
    known: int = 0
    drops: tuple[Drop, ...] = ()
    error: str | None = None


def segment_tag(segment_id: UUID) -> str:
    """The tag that ties a memory to its segment."""
    return f"segment:{str(segment_id)[:8]}"


def extract_pending_segments(
    runtime: Runtime, batch_size: int | None = None, keys: Sequence[str] | None = None
) -> list[ExtractedSegment]:
    """Look through labelled segments (only of these partitions when `keys` is given) in canonical order."""
    with runtime.database.transaction() as conn:
        waiting = segment_store.pending(conn, "to_extract", runtime.waiting(keys, batch_size))
    results: list[ExtractedSegment] = []
    for row, key in waiting:
        results.append(_extract(runtime, row, key))
        if results[-1].status == "pending":
            break  # the endpoint is down: what is left waits for the next cycle
    return results


def _extract(runtime: Runtime, row: SegmentRow, key: str) -> ExtractedSegment:
    label = QualityLabel.from_json(row.quality_metrics or {})
    eligible = is_memory_eligible(label, runtime.settings.labels.memory_score_threshold)
    if not eligible.ok:
        refusal = Drop(_STAGE, eligible.reason, f"memory_score {label.summary.memory_score:.2f}")
        _finish(runtime, row, _REFUSED, [(refusal, row.start_line, row.end_line)])
        return ExtractedSegment(row.id, key, "refused", drops=(refusal,))
    with runtime.database.transaction() as conn:
        messages = session_store.load_thread(
            conn, runtime.account_id, row.session_id, row.thread, row.start_message, row.end_message
        )
    try:
        drafts = _drafts(runtime, messages, label)
    except ModelError as error:
        return _postpone(runtime, row, key, error)
    kept, refused = _gate(runtime, drafts, messages)
    results = upload_memories(runtime, [_upload(runtime, row, draft) for draft in kept])
    actions = [result.action for result in results]
    kept_ids = [result.record.id for result in results]
    runtime.database.run(lambda conn: retract_from_segment(runtime, conn, row.id, kept_ids))
    _finish(runtime, row, _LOOKED_THROUGH, refused)
    return ExtractedSegment(
        row.id,
        key,
        "done",
        drafts=len(drafts),
        inserted=actions.count("insert"),
        merged=actions.count("merge"),
        known=actions.count("known"),
        drops=tuple(drop for drop, _, _ in refused),
    )


def _drafts(runtime: Runtime, messages: Sequence[Message], label: QualityLabel) -> list[MemoryDraft]:
    if runtime.llm is None:
        return extract_memories(messages, label=label)
    return extract_with_model(messages, runtime.llm, runtime.settings.extract.window_tokens)


def _gate(
    runtime: Runtime, drafts: Sequence[MemoryDraft], messages: Sequence[Message]
) -> tuple[list[MemoryDraft], list[drops.DropPlace]]:
    kept: list[MemoryDraft] = []
    refused: list[drops.DropPlace] = []
    for draft in drafts:
        drop = gate_draft(draft, messages)
        if drop is None and len(kept) >= runtime.settings.extract.max_per_segment:
            drop = Drop(_STAGE, "too_many", f"more than {runtime.settings.extract.max_per_segment} a segment")
        if drop is None:
            kept.append(draft)
            continue
        payload = runtime.redactor.redact_json(
            {"content": draft.content, "context": draft.context, "resolution": draft.resolution}
        )[0]
        detail = runtime.redactor.redact_text(drop.detail).text
        first = draft.evidence[0] if draft.evidence else None
        refused.append(
            (
                Drop(_STAGE, drop.reason, detail, payload),
                first.start_line if first else None,
                first.end_line if first else None,
            )
        )
    return kept, refused


def _upload(runtime: Runtime, row: SegmentRow, draft: MemoryDraft) -> Upload:
    sources = tuple(
        Source(
            kind="segment",
            segment_id=row.id,
            session_id=row.session_id,
            start_line=evidence.start_line,
            end_line=evidence.end_line,
            segment_start_line=row.start_line,
            quote=evidence.quote,
        )
        for evidence in draft.evidence
    )
    return upload_of_draft(runtime, draft, row.agent_id, sources, (segment_tag(row.id),))


def _finish(runtime: Runtime, row: SegmentRow, state: int, refused: Sequence[drops.DropPlace]) -> None:
    extractor = EXTRACTOR_VERSION if runtime.llm is None else f"model:{runtime.llm.model_id}"
    with runtime.database.transaction() as conn:
        drops.replace_of_segment(
            conn,
            (runtime.account_id, row.agent_id),
            (row.session_id, row.id),
            _STAGE,
            refused,
            runtime.clock(),
        )
        segment_store.run(
            conn, "extracted", {"id": row.id, "state": state, "extractor": extractor, "now": runtime.clock()}
        )


def _postpone(runtime: Runtime, row: SegmentRow, key: str, error: ModelError) -> ExtractedSegment:
    failure = describe_failure(runtime, error)
    with runtime.database.transaction() as conn:
        segment_store.run(
            conn,
            "extract_failed",
            {
                "id": row.id,
                "error": failure.reason,
                "transient": failure.transient,
                "max_attempts": runtime.settings.segments.max_attempts,
                "now": runtime.clock(),
            },
        )
    return ExtractedSegment(row.id, key, failure.status, error=failure.reason)
