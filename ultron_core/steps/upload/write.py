"""A plan -> rows, set by set: the number of statements does not depend on the size of the batch."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID, uuid4

from ultron_core.steps.clusters.members import lock_clusters
from ultron_core.steps.rows import memories as memory_rows
from ultron_core.steps.rows import origins
from ultron_core.steps.rows.body import MemoryRow, NewMemory, backing_of, offline_summary
from ultron_core.steps.rows.locks import register_model
from ultron_core.steps.rows.status import shelve
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.plan import Decision, Plan, Row
from ultron_core.store.database import Connection
from ultron_core.store.tables.memories import add_hits

__all__ = ["write_plan"]


def write_plan(
    runtime: Runtime, conn: Connection, plan: Plan, *, model_known: bool = True, bulk: bool = False
) -> None:
    """The caller holds the locks of all types; the one of clusters and word counts is taken late here.

    `model_known` False has the model registered and indexed first, if there is a vector: an index made after rows were
    written could wait for another writer that waits for ours.

    `bulk` leaves out the index of the model and the clusters: who loads much makes both at the end.
    """
    rows = [_row(runtime, row) for row in (*plan.new, *(row for row in plan.stored if row.changed))]
    if not model_known and any(row.vector is not None for row in rows):
        register_model(runtime, conn)
    with conn.pipeline():  # sent without waiting for each answer
        memory_rows.store(runtime, conn, rows)
        memory_rows.write_tags(runtime, conn, {row.id: row.tags for row in plan.stored if _more_tags(row)})
        memory_rows.write_backings(
            runtime, conn, {row.id: row.backing for row in plan.stored if _other_backing(row)}
        )
        origins.give_again(runtime, conn, _given_again(plan))
        hits = {row.id: row.hits for row in plan.stored if row.hits}
        if hits:
            add_hits(conn, runtime.account_id, hits, runtime.clock())
        origins.write(runtime, conn, _origins(plan))
        lock_clusters(runtime, conn)
    shelve(runtime, conn, plan.rows.keys(), back=[row.id for row in plan.stored if row.reactivate])
    memory_rows.index(runtime, conn, rows, clusters=not bulk)


def _more_tags(row: Row) -> bool:
    return not row.changed and row.record is not None and list(row.tags) != row.record.tags


def _other_backing(row: Row) -> bool:
    return not row.changed and row.record is not None and row.backing != backing_of(row.record)


def _given_again(plan: Plan) -> list[origins.AgainRow]:
    return [
        origins.AgainRow(decision.memory_id, giver, **asdict(decision.item.upload.backing))
        for decision in plan.decisions
        if decision.reason == "same_source"
        for giver in decision.item.givers
    ]


def _row(runtime: Runtime, row: Row) -> MemoryRow:
    item = row.made_by
    summary = offline_summary(runtime, row.body) if item is None or row.changed else item.summary
    reworded = runtime.llm is not None and row.changed
    return MemoryRow(
        row.id,
        row.memory_type,
        row.body,
        row.tags,
        summary,
        needs_model=reworded or (item is not None and item.needs_model),
        backing=row.backing,
        vector=row.vector,
        new=None
        if item is None
        else NewMemory(item.upload.agent_id, item.upload.confidence, item.upload.extractor, row.hits),
        around=row.around,
        status=row.backing.shelf,
    )


def _origins(plan: Plan) -> origins.Origins:
    """Sources, contributions, decisions, links and keys of everything that was not known before."""
    made = origins.Origins()
    for decision in plan.decisions:
        if decision.action == "known":
            continue
        own = _sources(decision)
        contribution = _contribution(decision, own[0].id if own else None)
        made.sources += own
        made.contributions.append(contribution)
        made.decisions.append(_decision(decision, contribution.id))
        if decision.link is not None:
            made.links.append(decision.link)
    if made.decisions:
        made.keys += [_key(decision) for decision in plan.decisions if _has_new_key(decision)]
    return made


def _sources(decision: Decision) -> list[origins.SourceRow]:
    item = decision.item
    return [
        origins.SourceRow(
            uuid4(),
            item.upload.agent_id,
            decision.memory_id,
            source.kind,
            source.segment_id,
            source.session_id,
            source.raw_upload_id,
            source.start_line,
            source.end_line,
            source.segment_start_line,
            quote,
            source.trust,
            item.project,
        )
        for source, quote in zip(item.upload.sources, item.quotes, strict=True)
    ]


def _contribution(decision: Decision, source_id: UUID | None) -> origins.ContributionRow:
    item = decision.item
    return origins.ContributionRow(
        id=uuid4(),
        agent_id=item.upload.agent_id,
        memory_id=decision.memory_id,
        source_id=source_id,
        **asdict(item.body),
        tags=item.tags,
        merged=decision.action == "merge",
        pending=decision.pending,
        **asdict(item.upload.backing),
    )


def _decision(decision: Decision, contribution_id: UUID) -> origins.DecisionRow:
    return origins.DecisionRow(
        uuid4(),
        decision.memory_id,
        decision.other,
        contribution_id,
        decision.action,
        decision.reason,
        decision.score,
        decision.body_before,
        decision.decided_by,
    )


def _has_new_key(decision: Decision) -> bool:
    return bool(decision.item.key) and decision.reason != "idempotency_key"


def _key(decision: Decision) -> origins.KeyRow:
    item = decision.item
    return origins.KeyRow(item.upload.agent_id, item.key, item.request_hash, decision.memory_id)
