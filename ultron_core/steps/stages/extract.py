"""Eligible segments -> memories. Every refusal is stored with its reason and can be read with `ultron drops`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ultron_core.labels import is_memory_eligible
from ultron_core.lessons.evidence import trust_of
from ultron_core.lessons.taste import Features, corrected
from ultron_core.memories import (
    EXTRACTOR_VERSION,
    drafts_from,
    extract_memories,
    extract_with_model,
)
from ultron_core.memories.by_model import extract_prompt, prompt_version
from ultron_core.models import Drop, MemoryDraft, Message, QualityLabel
from ultron_core.steps.ids import segment_tag
from ultron_core.steps.rows.status import retract_from_segment
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.drafts import gate_drafts, refuse_drafts
from ultron_core.steps.stages.kept import kept_notes
from ultron_core.steps.stages.segment_rows import segment_messages_of, segments_waiting
from ultron_core.steps.stages.table import MEMORIES
from ultron_core.steps.stages.waiting.loop import Item, StageResult, Step
from ultron_core.steps.taste import current_taste
from ultron_core.steps.upload.prepare import not_erased
from ultron_core.steps.upload.records import Source, Upload, draft_maker, upload_of_draft
from ultron_core.steps.upload.upload import upload_memories
from ultron_core.store.tables import drops
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow
from ultron_core.transcript.language import language

__all__ = ["STEP", "drafts_of"]

#: values of `task_segments.memory_extracted`
_DONE, _REFUSED = 1, 2


def _extract(runtime: Runtime, item: Item[SegmentRow]) -> StageResult:
    row, key = item.row, item.partition_key
    label = QualityLabel.from_json(row.quality_metrics or {})
    eligible = is_memory_eligible(label, runtime.settings.labels.memory_score_threshold)
    if not eligible.ok:
        return _refuse(runtime, item, label, eligible.reason)
    messages = _messages(runtime, row)
    drafts = drafts_of(runtime, row, messages, label)
    limit = runtime.settings.extract.max_per_segment
    probability = _liked(runtime, row, drafts, messages)
    gated = gate_drafts(runtime, MEMORIES.call, drafts, messages, at_most=limit, probability=probability)
    given = not_erased(runtime, [_upload(runtime, row, draft, messages) for draft in gated.kept])
    uploads = upload_memories(runtime, given)
    kept_ids = [upload.record.id for upload in uploads]
    runtime.database.run(lambda conn: retract_from_segment(runtime, conn, row.id, kept_ids))
    _finish(runtime, row, _DONE, gated.refused)
    actions = Counter(upload.action for upload in uploads)
    counts = {
        "drafts": len(drafts),
        "inserted": actions["insert"],
        "merged": actions["merge"],
        "known": actions["known"],
        "dropped": len(gated.refused) + len(gated.kept) - len(given),
    }
    return StageResult(row.id, key, "done", counts, gated.drops, tuple(uploads))


def _messages(runtime: Runtime, row: SegmentRow) -> list[Message]:
    with runtime.database.transaction() as conn:
        return segment_messages_of(conn, row)


def _refuse(runtime: Runtime, item: Item[SegmentRow], label: QualityLabel, reason: str) -> StageResult:
    """The gate refuses the segment, and with it every note that came with its judgement."""
    row = item.row
    refusal = Drop(MEMORIES.call, reason, f"memory_score {label.summary.memory_score or 0:.2f}")
    notes = kept_notes(row, runtime.llm) if runtime.llm else None
    drafts = drafts_from(notes, _messages(runtime, row)) if notes else []
    refused = [
        (refusal, row.start_line, row.end_line),
        *refuse_drafts(runtime, MEMORIES.call, reason, drafts),
    ]
    _finish(runtime, row, _REFUSED, refused)
    drops = tuple(drop for drop, _, _ in refused)
    return StageResult(row.id, item.partition_key, "refused", {"dropped": len(drops)}, drops=drops)


def drafts_of(
    runtime: Runtime, row: SegmentRow, messages: Sequence[Message], label: QualityLabel
) -> list[MemoryDraft]:
    """By structure; by the model's notes that wait on the row; or by a call of its own."""
    if runtime.llm is None:
        return extract_memories(messages, project=row.project or "")
    notes = kept_notes(row, runtime.llm)
    if notes is not None:
        return drafts_from(notes, messages)
    with runtime.database.transaction() as conn:
        system = session_store.system_prompt(conn, row.account_id, row.session_id, row.thread)
    limit = runtime.record_tokens(extract_prompt())
    return extract_with_model(messages, runtime.llm, limit, label=label, topic=row.topic, system=system)


def _liked(
    runtime: Runtime, row: SegmentRow, drafts: Sequence[MemoryDraft], messages: Sequence[Message]
) -> Callable[[MemoryDraft], float | None]:
    """The ranker's probability of a draft, by the taste of who has judged its memories."""
    asked = any(draft.probability is not None for draft in drafts)
    coefficients = current_taste(runtime) if asked else None

    def probability(draft: MemoryDraft) -> float | None:
        if draft.probability is None or coefficients is None:
            return draft.probability
        backing = _upload(runtime, row, draft, messages).backing
        features = Features(
            backing.lesson,
            draft.memory_type,
            backing.trust,
            backing.proof,
            row.project or "",
            language(draft.content),
        )
        return corrected(draft.probability, features, coefficients)

    return probability


def _upload(runtime: Runtime, row: SegmentRow, draft: MemoryDraft, messages: Sequence[Message]) -> Upload:
    sources = tuple(
        Source(
            kind="segment",
            segment_id=row.id,
            session_id=row.session_id,
            start_line=evidence.start_line,
            end_line=evidence.end_line,
            segment_start_line=row.start_line,
            quote=evidence.quote,
            trust="upload" if row.brought_by is not None else trust_of(evidence, messages),
        )
        for evidence in draft.evidence
    )
    return upload_of_draft(runtime, draft, row.agent_id, sources, (segment_tag(row.id),))


def _finish(runtime: Runtime, row: SegmentRow, state: int, refused: Sequence[drops.DropPlace]) -> None:
    now = runtime.clock()
    owner = (runtime.account_id, row.agent_id)
    values = {"id": row.id, "state": state, "extractor": draft_maker(runtime), "now": now}
    with runtime.database.transaction() as conn:
        drops.replace_of_segment(conn, owner, (row.session_id, row.id), MEMORIES.call, refused, now)
        segment_store.run(conn, "extracted", values)


STEP = Step(
    MEMORIES,
    EXTRACTOR_VERSION,
    prompt_version,
    waiting=segments_waiting,
    messages=segment_messages_of,
    work=_extract,
    run=segment_store.run,
)
