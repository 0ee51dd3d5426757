"""The rows of a memory, written in the caller's transaction while it holds the locks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, get_args
from uuid import UUID, uuid4

from psycopg import Cursor
from psycopg.types.json import Jsonb

from ultron_core.memories import Body, summarize_memory
from ultron_core.models import MemoryType
from ultron_core.steps.clusters import read as cluster_step
from ultron_core.steps.clusters.members import Joining, place
from ultron_core.steps.rows.embedded import Embedded
from ultron_core.steps.rows.lexical import MEMORY, count_documents, count_memories, forget_words, make_lexical
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.records import Floats, body_digest, embedded_text, offline_summary, thresholds
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables import uploads as upload_rows
from ultron_core.store.tables.memories import MemoryRecord

__all__ = [
    "archive_orphans",
    "ask_model",
    "lock_memories",
    "lock_types",
    "register_model",
    "retract_from_segment",
    "set_status",
    "split_off",
    "write_body",
    "write_late_merge",
]


def lock_types(runtime: Runtime, conn: Connection, types: Iterable[str]) -> None:
    """One writer a type, until the transaction ends; taken before anything is looked up."""
    upload_rows.send(conn, "lock", {"account_id": runtime.account_id, "types": sorted(set(types))})


def lock_memories(runtime: Runtime, conn: Connection, types: Iterable[str] = get_args(MemoryType)) -> None:
    """Nobody else writes memories (of these types) until the transaction ends: who archives or deletes must not
    come between the last look of an upload, made under the lock of its type, and what it then writes."""
    lock_types(runtime, conn, types)
    store.run(conn, "lock_clusters", {"account_id": runtime.account_id})


def register_model(runtime: Runtime, conn: Connection) -> None:
    """Know the embedder and its thresholds, and have its index."""
    if not ask_model(runtime, conn).fetchall():
        store.run(conn, "register_model", _model(runtime))
        store.ensure_index(conn, (runtime.embedder.model_id, runtime.embedder.dimension))


def ask_model(runtime: Runtime, conn: Connection) -> Cursor[dict[str, Any]]:
    """A row if the embedder is known and has its index; asked without waiting inside a pipeline."""
    index = f"ultron.{store.index_name(runtime.embedder.model_id)}"
    return store.send(conn, "model_is_ready", {**_model(runtime), "index": index})


def _model(runtime: Runtime) -> dict[str, Any]:
    limits = runtime.embedder.thresholds
    return {
        "account_id": runtime.account_id,
        "model_id": runtime.embedder.model_id,
        "dimension": runtime.embedder.dimension,
        "merge": limits.merge,
        "soft": limits.soft,
        "cluster": limits.cluster,
        "now": runtime.clock(),
    }


def write_body(
    runtime: Runtime,
    conn: Connection,
    embedded: Embedded,
    record: MemoryRecord,
    body: Body,
    tags: Sequence[str],
) -> None:
    """Another body: summaries, both lanes and the cluster's centroid follow."""
    vector = embedded.vector(embedded_text(record.memory_type, body))
    offline = offline_summary(runtime, body)
    store.run(
        conn,
        "update_body",
        {
            "id": record.id,
            **asdict(body),
            "tags": list(tags),
            "summary_l0": offline.l0,
            "overview_l1": offline.l1,
            "body_sha256": body_digest(record.memory_type, body),
            "needs_model": runtime.llm is not None,
            "now": runtime.clock(),
        },
    )
    counted = record.status == "active"
    if counted:
        count_memories(runtime, conn, [record.id], -1)
        forget_words(runtime, conn, [record.id])
    _write_lanes(runtime, conn, record.id, record.memory_type, body, vector, counted=counted)
    if vector is None:  # the old one says something else: back-filling makes it anew
        model = {"id": record.id, "model_id": runtime.embedder.model_id}
        cluster_step.leave(runtime, conn, [record.id])
        store.run(conn, "delete_vector", model)
    else:
        cluster_step.refresh_member(runtime, conn, record.id)


def _write_lanes(
    runtime: Runtime,
    conn: Connection,
    memory_id: UUID,
    memory_type: str,
    body: Body,
    vector: Floats | None,
    *,
    counted: bool = True,
) -> None:
    lexical = make_lexical(runtime, conn, body.text, MEMORY)
    row = {"id": memory_id, "account_id": runtime.account_id, "memory_type": memory_type}
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
    if counted:
        count_documents(runtime, conn, MEMORY, [lexical])
    if vector is not None:
        store.run(
            conn,
            "upsert_vector",
            {**row, "model_id": runtime.embedder.model_id, "vector": store.vector_text(vector)},
        )


def write_late_merge(
    runtime: Runtime,
    conn: Connection,
    memory_id: UUID,
    other_id: UUID,
    contribution_id: UUID | None,
    before: Body,
    score: float,
) -> None:
    """The decision to merge a memory that got its vector late; the body as it was, so that it can be undone."""
    store.run(
        conn,
        "insert_decision",
        {
            "id": uuid4(),
            "account_id": runtime.account_id,
            "memory_id": memory_id,
            "other_id": other_id,
            "contribution_id": contribution_id,
            "decision": "merge",
            "reason": "near_duplicate_found_later",
            "score": score,
            "threshold": thresholds(runtime).merge,
            "model_id": runtime.embedder.model_id,
            "body_before": Jsonb(asdict(before)),
            "decided_by": "rules",
            "now": runtime.clock(),
        },
    )


def set_status(
    runtime: Runtime, conn: Connection, ids: Sequence[UUID], status: str, reason: str | None
) -> list[UUID]:
    """Archive or re-activate; archived members leave their cluster, re-activated ones come back."""
    rows = store.fetch(
        conn,
        "set_status",
        {
            "account_id": runtime.account_id,
            "ids": sorted(ids),
            "status": status,
            "reason": reason,
            "now": runtime.clock(),
        },
    )
    changed = [row["id"] for row in rows]
    if changed:
        count_memories(runtime, conn, changed, 1 if status == "active" else -1)
        cluster_step.follow_status(runtime, conn, changed, status)
    return changed


def archive_orphans(runtime: Runtime, conn: Connection, memory_ids: Sequence[UUID]) -> int:
    """Archive those of the memories that have no source left; in the caller's transaction."""
    if not memory_ids:
        return 0
    lock_memories(runtime, conn)
    orphans = [row["id"] for row in store.fetch(conn, "orphans", {"ids": list(memory_ids)})]
    return len(set_status(runtime, conn, orphans, "archived", "no_source_left"))


def retract_from_segment(runtime: Runtime, conn: Connection, segment_id: UUID, kept: Sequence[UUID]) -> int:
    """Memories that a segment gives no more lose it as a source; those without another are archived."""
    params = {"account_id": runtime.account_id, "segment_id": segment_id, "kept": list(kept)}
    rows = store.fetch(conn, "retract_sources", params)
    return archive_orphans(runtime, conn, [row["memory_id"] for row in rows])


def split_off(
    runtime: Runtime,
    conn: Connection,
    embedded: Embedded,
    kept: MemoryRecord,
    part: dict[str, Any],
    score: float | None,
) -> UUID:
    """Make a contribution a memory of its own again: its words, its source, a link to where it was."""
    body = Body(part["content"], part["context"], part["resolution"])
    vector = embedded.vector(embedded_text(kept.memory_type, body))
    memory_id = uuid4()
    now = runtime.clock()
    summary = summarize_memory(body.content, body.context, body.resolution)
    common = {"id": memory_id, "account_id": runtime.account_id, "now": now}
    store.run(
        conn,
        "insert_memory",
        {
            **common,
            "agent_id": part["agent_id"],
            "memory_type": kept.memory_type,
            **asdict(body),
            "tags": list(part["tags"]),
            "summary_l0": summary.l0,
            "overview_l1": summary.l1,
            "confidence": kept.confidence,
            "extractor": kept.extractor,
            "redaction_version": runtime.redactor.version,
            "body_sha256": body_digest(kept.memory_type, body),
            "needs_model": runtime.llm is not None,
        },
    )
    store.run(conn, "insert_usage", common)
    _write_lanes(runtime, conn, memory_id, kept.memory_type, body, vector)
    store.run(
        conn,
        "move_contribution",
        {"id": part["id"], "account_id": runtime.account_id, "memory_id": memory_id},
    )
    if part["source_id"] is not None:
        store.run(conn, "move_source", {"id": part["source_id"], "memory_id": memory_id})
    link = {
        "from_id": memory_id,
        "to_id": kept.id,
        "kind": "similar_to",
        "score": score,
        "reason": "unmerged",
    }
    store.run(conn, "insert_link", {**link, "account_id": runtime.account_id, "now": now})
    if vector is not None:
        place(runtime, conn, [Joining(memory_id, vector, summary.l0)])
    return memory_id
