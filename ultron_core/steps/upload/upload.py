"""Uploads -> memories: redact, type, embed, compare with the nearest of the same type, merge or insert.

What may take long (models, embedding, the search for near ones) happens before the locks. Under them, one advisory
lock per type and one for an idempotency key, the plan is checked against later writes; when one of them matters, it
is made again. So concurrent identical uploads end in one row, and a batch gives what one upload after another would.
Equal cosine is not equal fact: a merge also needs no diverging number, date, identifier, path or negation; near-equals
that diverge are linked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ultron_core.errors import InputError
from ultron_core.sessions import check_names, clean_text
from ultron_core.steps.rows.embedded import embed_bodies
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.judge import Judge
from ultron_core.steps.upload.plan import Plan, make_plan
from ultron_core.steps.upload.prepare import prepare
from ultron_core.steps.upload.records import Prepared, Source, Upload, UploadResult
from ultron_core.steps.upload.snapshot import Snapshot, holds, lock_batch, take_snapshot
from ultron_core.steps.upload.write import write_plan
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as memory_store

__all__ = ["Source", "Upload", "UploadResult", "upload_memories"]

#: plans made without the lock before one is made under it
_FREE_ATTEMPTS = 3


def upload_memories(runtime: Runtime, uploads: Sequence[Upload]) -> list[UploadResult]:
    """Store each upload; results in the order given, all or none. Raises InputError for empty content, before
    any write, and for an idempotency key that was used for another memory."""
    for upload in uploads:
        if not clean_text(upload.content).strip():
            raise InputError("A memory needs content: say what happened or what holds.")
        check_names(agent_id=upload.agent_id, idempotency_key=upload.idempotency_key)
    if not uploads:
        return []
    prepared = prepare(runtime, uploads)
    judge = Judge(runtime)
    for _ in range(_FREE_ATTEMPTS):
        snapshot = runtime.database.run(partial(take_snapshot, runtime, prepared))
        plan = _plan(runtime, prepared, snapshot, judge)
        done = runtime.database.run(partial(_write, runtime, prepared, snapshot, plan))
        if done is not None:
            return done
    judge.may_ask = False
    return runtime.database.run(partial(_plan_under_lock, runtime, prepared, judge))


def _plan(runtime: Runtime, prepared: Sequence[Prepared], snapshot: Snapshot, judge: Judge) -> Plan:
    """Decisions, with vectors of the bodies that they change."""
    plan = make_plan(prepared, snapshot, runtime.thresholds, judge)
    changed = [row for row in plan.rows.values() if row.changed]
    vectors = embed_bodies(runtime, [(row.memory_type, row.body) for row in changed])
    for row, vector in zip(changed, vectors, strict=True):
        row.vector = vector
    return plan


def _write(
    runtime: Runtime, prepared: Sequence[Prepared], snapshot: Snapshot, plan: Plan, conn: Connection
) -> list[UploadResult] | None:
    """The results, or None when something came meanwhile that the plan should have seen."""
    if not holds(runtime, conn, prepared, snapshot, plan.looked_at):
        return None
    return _written(runtime, conn, plan, snapshot)


def _plan_under_lock(
    runtime: Runtime, prepared: Sequence[Prepared], judge: Judge, conn: Connection
) -> list[UploadResult]:
    lock_batch(runtime, conn, prepared)
    snapshot = take_snapshot(runtime, prepared, conn)
    return _written(runtime, conn, _plan(runtime, prepared, snapshot, judge), snapshot)


def _written(runtime: Runtime, conn: Connection, plan: Plan, snapshot: Snapshot) -> list[UploadResult]:
    write_plan(runtime, conn, plan, model_known=snapshot.model_known)
    ids = [decision.memory_id for decision in plan.decisions]
    records = memory_store.by_ids(conn, runtime.account_id, ids)
    return [
        UploadResult(record, decision.action, decision.score, decision.reason)
        for record, decision in zip(records, plan.decisions, strict=True)
    ]
