"""Plain text -> memories: archived first, then extracted; a text whose model is unavailable waits."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from ultron_core.errors import InputError
from ultron_core.memories import extract_from_text
from ultron_core.models import MemoryDraft
from ultron_core.sessions import check_names, clean_text
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.drafts import gate_drafts
from ultron_core.steps.stages.waiting.leases import Leases
from ultron_core.steps.stages.waiting.loop import Item, StageResult, work_through
from ultron_core.steps.upload.records import Source, Upload, upload_of_draft
from ultron_core.steps.upload.upload import upload_memories
from ultron_core.store.database import Connection
from ultron_core.store.tables import drops
from ultron_core.store.tables import sessions as session_store

__all__ = ["Text", "ingest_text", "process_pending_texts", "waiting_texts"]

#: the stage that refused drafts are stored under, and the kind of the archived upload
STAGE = "ingest_text"


@dataclass(frozen=True, slots=True)
class Text:
    """An archived text and whose it is."""

    agent_id: str
    text: str


def ingest_text(runtime: Runtime, text: str, agent_id: str) -> StageResult:
    """Archive the text and store what is worth keeping. Raises InputError for an empty text.

    A text whose bytes are not kept (too long, or the archive failed) cannot wait for a model: it fails instead.
    """
    check_names(agent_id=agent_id)
    text = clean_text(text)
    if not text.strip():
        raise InputError("The text is empty: there is nothing to learn from.")
    with Leases(runtime, STAGE) as leases:
        upload = _archive(runtime, leases, text.encode(), agent_id)
        result = _work_through(runtime, [Item(upload.id, "", Text(agent_id, text))])[0]
    if result.status == "done" or upload.stored:
        return result
    return replace(
        result, status="failed", error=f"{result.error} The text was not kept: give it again later."
    )


def process_pending_texts(
    runtime: Runtime, batch_size: int | None = None, tried: Collection[UUID] = ()
) -> list[StageResult]:
    """Work on texts that wait for a model, oldest first."""
    params = runtime.waiting(batch_size=batch_size, tried=tried)
    with Leases(runtime, STAGE) as leases:
        return _work_through(runtime, leases.take(lambda conn: waiting_texts(conn, params)))


def waiting_texts(conn: Connection, params: Mapping[str, Any]) -> list[Item[Text]]:
    """Texts that wait for a model, oldest first."""
    rows = session_store.fetch(conn, "pending_texts", params)
    return [
        Item(row["id"], "", Text(row["agent_id"], zlib.decompress(row["body"]).decode("utf-8")))
        for row in rows
    ]


def _archive(runtime: Runtime, leases: Leases, body: bytes, agent_id: str) -> session_store.Archived:
    keep = len(body) <= runtime.settings.sessions.archive_max_bytes
    with runtime.database.transaction() as conn:
        archived = session_store.archive_bytes(
            conn,
            body if keep else None,
            {
                "account_id": runtime.account_id,
                "agent_id": agent_id,
                "kind": STAGE,
                "session_file": None,
                "path": None,
                "sha256": hashlib.sha256(body).hexdigest(),
                "bytes": len(body),
                "status": "pending",
                "now": runtime.clock(),
            },
        )
        leases.claim(conn, [archived.id])  # before any other process can see that it waits
        return archived


def _work_through(runtime: Runtime, items: Sequence[Item[Text]]) -> list[StageResult]:
    return work_through(
        runtime, items, _extract, lambda conn, params: session_store.run(conn, "text_failed", params)
    )


def _extract(runtime: Runtime, item: Item[Text]) -> StageResult:
    drafts = extract_from_text(_redacted(runtime, item.row.text), runtime.llm)
    gated = gate_drafts(runtime, STAGE, drafts)
    uploads = upload_memories(runtime, [_upload(runtime, item, draft) for draft in gated.kept])
    owner = (runtime.account_id, item.row.agent_id)
    with runtime.database.transaction() as conn:
        drops.replace_of_text(conn, owner, item.id, STAGE, gated.refused, runtime.clock())
        session_store.run(conn, "text_done", {"id": item.id})
    return StageResult(item.id, "", "done", {"drafts": len(drafts)}, gated.drops, tuple(uploads))


def _redacted(runtime: Runtime, text: str) -> str:
    """Redacted before it is split, since no pattern knows half a key. Lines keep their numbers."""
    parts, at = [], 0
    for finding in runtime.redactor.redact_text(text).findings:
        lines = text.count("\n", finding.start, finding.end)
        parts += [text[at : finding.start], finding.placeholder, "\n" * lines]
        at = finding.end
    return "".join([*parts, text[at:]])


def _upload(runtime: Runtime, item: Item[Text], draft: MemoryDraft) -> Upload:
    sources = tuple(
        Source(
            kind="ingest_text",
            raw_upload_id=item.id,
            start_line=evidence.start_line,
            end_line=evidence.end_line,
            quote=evidence.quote,
        )
        for evidence in draft.evidence
    )
    return upload_of_draft(runtime, draft, item.row.agent_id, sources)
