"""Plain text -> memories: archived first, then extracted; a text whose model is down waits."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from uuid import UUID

from ultron_core.errors import InputError, ModelError
from ultron_core.memories import extract_from_text, gate_draft
from ultron_core.models import MemoryDraft
from ultron_core.sessions import check_names, clean_text
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.failures import describe_failure
from ultron_core.steps.upload.records import Source, Upload, upload_of_draft
from ultron_core.steps.upload.upload import UploadResult, upload_memories
from ultron_core.store.tables import sessions as session_store

__all__ = ["TextResult", "ingest_text", "process_pending_texts"]


@dataclass(frozen=True, slots=True)
class TextResult:
    """What became of one text. status: done, pending (model not there now) or failed (its answer)."""

    upload_id: UUID
    status: str
    extracted: int = 0
    refused: tuple[str, ...] = ()
    uploads: tuple[UploadResult, ...] = ()
    error: str | None = None


def ingest_text(runtime: Runtime, text: str, agent_id: str) -> TextResult:
    """Archive the text and store what is worth keeping. Raises InputError for empty text."""
    check_names(agent_id=agent_id)
    text = clean_text(text)
    if not text.strip():
        raise InputError("The text is empty: nothing to learn from.")
    body = text.encode()
    keep = len(body) <= runtime.settings.sessions.archive_max_bytes
    if not keep:
        raise InputError(
            f"The text has {len(body):,} bytes; the limit is {runtime.settings.sessions.archive_max_bytes:,} "
            "(ULTRON_ARCHIVE_MAX_BYTES). Split it, or ingest it as a session file."
        )
    with runtime.database.transaction() as conn:
        upload_id = session_store.archive_bytes(
            conn,
            body,
            {
                "account_id": runtime.account_id,
                "agent_id": agent_id,
                "kind": "ingest_text",
                "session_file": None,
                "path": None,
                "sha256": hashlib.sha256(body).hexdigest(),
                "bytes": len(body),
                "status": "pending",
                "now": runtime.clock(),
            },
        )
    return _process(runtime, upload_id, agent_id, text)


def process_pending_texts(runtime: Runtime, batch_size: int | None = None) -> list[TextResult]:
    """Texts that wait for a model, oldest first; stops at the first sign that it is still down."""
    with runtime.database.transaction() as conn:
        waiting = session_store.fetch(conn, "pending_texts", runtime.waiting(batch_size=batch_size))
    results: list[TextResult] = []
    for row in waiting:
        text = zlib.decompress(row["body"]).decode("utf-8")
        results.append(_process(runtime, row["id"], row["agent_id"], text))
        if results[-1].status == "pending":
            break
    return results


def _process(runtime: Runtime, upload_id: UUID, agent_id: str, text: str) -> TextResult:
    try:
        drafts = extract_from_text(_redacted(runtime, text), runtime.llm)
    except ModelError as error:
        failure = describe_failure(runtime, error)
        with runtime.database.transaction() as conn:
            session_store.run(
                conn,
                "text_failed",
                {
                    "id": upload_id,
                    "error": failure.reason,
                    "transient": failure.transient,
                    "max_attempts": runtime.settings.segments.max_attempts,
                },
            )
        return TextResult(upload_id, failure.status, error=failure.reason)
    checked = [(draft, gate_draft(draft, ())) for draft in drafts]
    uploads = upload_memories(
        runtime, [_upload(runtime, upload_id, agent_id, draft) for draft, drop in checked if drop is None]
    )
    with runtime.database.transaction() as conn:
        session_store.run(conn, "text_done", {"id": upload_id})
    refused = tuple(drop.reason for _, drop in checked if drop is not None)
    return TextResult(upload_id, "done", len(drafts), refused, tuple(uploads))


def _redacted(runtime: Runtime, text: str) -> str:
    """Redacted before it is split: a piece of a key alone looks like none. Lines keep their numbers."""
    parts, at = [], 0
    for finding in runtime.redactor.redact_text(text).findings:
        lines = text.count("\n", finding.start, finding.end)
        parts += [text[at : finding.start], finding.placeholder, "\n" * lines]
        at = finding.end
    return "".join([*parts, text[at:]])


def _upload(runtime: Runtime, upload_id: UUID, agent_id: str, draft: MemoryDraft) -> Upload:
    sources = tuple(
        Source(
            kind="ingest_text",
            raw_upload_id=upload_id,
            start_line=evidence.start_line,
            end_line=evidence.end_line,
            quote=evidence.quote,
        )
        for evidence in draft.evidence
    )
    return upload_of_draft(runtime, draft, agent_id, sources)
