"""A plan -> rows, set by set: the number of statements does not depend on the size of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from ultron_core.memories import Summary
from ultron_core.steps.clusters import read as cluster_step
from ultron_core.steps.clusters.members import Joining, place
from ultron_core.steps.rows.lexical import MEMORY, count_documents, count_memories, make_lexicals
from ultron_core.steps.rows.memories import register_model, set_status
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.plan import Decision, Plan, Row
from ultron_core.steps.upload.records import body_digest, offline_summary, thresholds
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables import uploads as store

__all__ = ["write_plan"]


def write_plan(
    runtime: Runtime, conn: Connection, plan: Plan, *, model_known: bool = True, bulk: bool = False
) -> None:
    """The caller holds the locks of all types; the one of clusters and word counts is taken late here.

    `model_known` False has the model registered and indexed first: an index made after rows were written could
    wait for another writer that waits for ours.

    `bulk` leaves out the index of the model and the clusters: who loads much makes both at the end.
    """
    now = runtime.clock()
    if not model_known:
        register_model(runtime, conn)
    rows = [*plan.new, *(row for row in plan.stored if row.changed)]
    with conn.pipeline():  # sent without waiting for each answer
        _write_memories(runtime, conn, plan, now)
        _write_origins(runtime, conn, plan, now)
        _write_vectors(runtime, conn, rows)
        memory_store.run(conn, "lock_clusters", {"account_id": runtime.account_id})
    back = [row.id for row in plan.stored if row.reactivate]
    if back:
        set_status(runtime, conn, back, "active", None)
    _write_words(runtime, conn, rows)
    _follow_bodies(runtime, conn, plan)
    if not bulk:
        _place_new(runtime, conn, plan)


def _write_memories(runtime: Runtime, conn: Connection, plan: Plan, now: datetime) -> None:
    common = {"account_id": runtime.account_id, "now": now}
    new = [_new_row(runtime, row) for row in plan.new]
    if new:
        version = {"redaction_version": runtime.redactor.version}
        store.run(conn, "insert_memories", {**common, **version, "rows": Jsonb(new)})
    changed = [_changed_row(runtime, row) for row in plan.stored if row.changed]
    if changed:
        store.run(conn, "update_memories", {**common, "rows": Jsonb(changed)})
    tagged = [row for row in plan.stored if not row.changed and _more_tags(row)]
    if tagged:
        given = [{"id": str(row.id), "tags": list(row.tags)} for row in tagged]
        store.run(conn, "update_tags", {**common, "rows": Jsonb(given)})
    hit = [row for row in plan.stored if row.hits]
    if hit:
        counts = {"ids": [row.id for row in hit], "hits": [row.hits for row in hit]}
        store.run(conn, "add_hits", {**common, **counts})


def _more_tags(row: Row) -> bool:
    return row.record is not None and list(row.tags) != row.record.tags


def _new_row(runtime: Runtime, row: Row) -> dict[str, Any]:
    item = row.made_by
    assert item is not None
    summary = offline_summary(runtime, row.body) if row.changed else item.summary
    return {
        **_body_columns(row, summary),
        "agent_id": item.upload.agent_id,
        "memory_type": row.memory_type,
        "confidence": item.upload.confidence,
        "extractor": item.upload.extractor,
        "needs_model": item.needs_model or (row.changed and runtime.llm is not None),
        "hits": row.hits,
    }


def _changed_row(runtime: Runtime, row: Row) -> dict[str, Any]:
    return {**_body_columns(row, offline_summary(runtime, row.body)), "needs_model": runtime.llm is not None}


def _body_columns(row: Row, summary: Summary) -> dict[str, Any]:
    return {
        "id": str(row.id),
        **asdict(row.body),
        "tags": list(row.tags),
        "summary_l0": summary.l0,
        "overview_l1": summary.l1,
        "body_sha256": body_digest(row.memory_type, row.body),
    }


def _write_origins(runtime: Runtime, conn: Connection, plan: Plan, now: datetime) -> None:
    """Sources, contributions, decisions, links and keys of everything that was not known before."""
    sources: list[dict[str, Any]] = []
    contributions: list[dict[str, Any]] = []
    decisions: list[dict[str, Any]] = []
    for decision in plan.decisions:
        if decision.action == "known":
            continue
        own = _sources(decision)
        contribution = _contribution(decision, own[0]["id"] if own else None)
        sources += own
        contributions.append(contribution)
        decisions.append(_decision(decision, contribution["id"]))
    if not decisions:
        return
    links = [_link(d) for d in plan.decisions if d.action == "insert" and d.other]
    params = {
        "account_id": runtime.account_id,
        "now": now,
        "threshold": thresholds(runtime).merge,
        "model_id": runtime.embedder.model_id,
        "sources": Jsonb(sources),
        "contributions": Jsonb(contributions),
        "decisions": Jsonb(decisions),
        "links": Jsonb(links),
        "keys": Jsonb(_keys(plan)),
    }
    store.run(conn, "insert_origins", params)


def _sources(decision: Decision) -> list[dict[str, Any]]:
    item = decision.item
    return [
        {
            "id": str(uuid4()),
            "agent_id": item.upload.agent_id,
            "memory_id": str(decision.memory_id),
            "kind": source.kind,
            "segment_id": _text(source.segment_id),
            "session_id": _text(source.session_id),
            "raw_upload_id": _text(source.raw_upload_id),
            "start_line": source.start_line,
            "end_line": source.end_line,
            "segment_start_line": source.segment_start_line,
            "quote": quote,
        }
        for source, quote in zip(item.upload.sources, item.quotes, strict=True)
    ]


def _contribution(decision: Decision, source_id: str | None) -> dict[str, Any]:
    item = decision.item
    return {
        "id": str(uuid4()),
        "agent_id": item.upload.agent_id,
        "memory_id": str(decision.memory_id),
        "source_id": source_id,
        **asdict(item.body),
        "tags": list(item.tags),
        "merged": decision.action == "merge",
        "pending": decision.pending,
    }


def _decision(decision: Decision, contribution_id: str) -> dict[str, Any]:
    before = decision.body_before
    return {
        "id": str(uuid4()),
        "memory_id": str(decision.memory_id),
        "other_id": _text(decision.other),
        "contribution_id": contribution_id,
        "decision": decision.action,
        "reason": decision.reason,
        "score": decision.score,
        "body_before": asdict(before) if before is not None else None,
        "decided_by": decision.decided_by,
    }


def _link(decision: Decision) -> dict[str, Any]:
    return {
        "from_id": str(decision.memory_id),
        "to_id": _text(decision.other),
        "kind": decision.relation,
        "score": decision.score,
        "reason": decision.reason,
    }


def _keys(plan: Plan) -> list[dict[str, Any]]:
    return [
        {
            "agent_id": decision.item.upload.agent_id,
            "key": decision.item.upload.idempotency_key,
            "request_hash": decision.item.request_hash,
            "memory_id": str(decision.memory_id),
        }
        for decision in plan.decisions
        if decision.item.upload.idempotency_key and decision.reason != "idempotency_key"
    ]


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _write_vectors(runtime: Runtime, conn: Connection, rows: Sequence[Row]) -> None:
    model = {"account_id": runtime.account_id, "model_id": runtime.embedder.model_id}
    with_vector = [(row, row.vector) for row in rows if row.vector is not None]
    if with_vector:
        store.run(
            conn,
            "upsert_vectors",
            {
                **model,
                "ids": [row.id for row, _ in with_vector],
                "types": [row.memory_type for row, _ in with_vector],
                "vectors": store.as_vectors([vector for _, vector in with_vector]),
            },
        )
    # the old vector of a changed body says something else
    stale = [row.id for row in rows if row.vector is None and row.record is not None]
    if stale:
        store.run(conn, "delete_vectors", {**model, "ids": stale})


def _write_words(runtime: Runtime, conn: Connection, rows: Sequence[Row]) -> None:
    """Lexical rows and document frequencies; of changed bodies the old words are taken out first."""
    if not rows:
        return
    old = [row.id for row in rows if row.record is not None]
    if old:
        count_memories(runtime, conn, old, -1)
    lexicals = make_lexicals(runtime, conn, [row.body.text for row in rows], MEMORY)
    given = [
        {
            "id": str(row.id),
            "memory_type": row.memory_type,
            "terms": lexical.terms,
            "weights": memory_store.sparse(lexical.weights).to_text(),
            "length": lexical.length,
        }
        for row, lexical in zip(rows, lexicals, strict=True)
    ]
    average = {"average_length": lexicals[0].average_length}
    with conn.pipeline():
        store.run(conn, "upsert_search", {"account_id": runtime.account_id, **average, "rows": Jsonb(given)})
        count_documents(runtime, conn, MEMORY, lexicals)


def _follow_bodies(runtime: Runtime, conn: Connection, plan: Plan) -> None:
    """Members whose bodies changed: out without a vector, else the centroid follows."""
    changed = [row for row in plan.stored if row.changed]
    lost = [row.id for row in changed if row.vector is None]
    if lost:
        cluster_step.leave(runtime, conn, lost)
    for row in changed:
        if row.vector is not None:
            cluster_step.refresh_member(runtime, conn, row.id)


def _place_new(runtime: Runtime, conn: Connection, plan: Plan) -> None:
    joining = [
        Joining(row.id, row.vector, row.made_by.summary.l0, row.around)
        for row in plan.new
        if row.vector is not None and row.made_by is not None
    ]
    place(runtime, conn, joining)
