"""Sessions -> task segments, reconciled by fingerprint with what is stored.

Offline the whole thread is cut again, so the stored segments always equal a fresh segmentation. With a model
only the tail is: from the start of the last stored segment that still matches, so an append costs a bounded
number of calls however long the log is.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID, uuid4

from ultron_core.errors import ModelError
from ultron_core.llm.tokens import token_counter
from ultron_core.models import Message, Segment
from ultron_core.segments import (
    SEGMENTER_VERSION,
    Reconciliation,
    StoredSegment,
    fingerprint_messages,
    reconcile,
    segment_messages,
)
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.rows.status import archive_orphans
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.windows import index_windows
from ultron_core.steps.stages.failures import describe_failure
from ultron_core.store.database import Connection
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow, SessionRow

__all__ = ["SegmentedSession", "segment_pending_sessions"]


@dataclass(frozen=True, slots=True)
class SegmentedSession:
    """What became of one session. status: done, pending (model not there now) or failed (its answer)."""

    partition_key: str
    session_file: str
    agent_id: str
    status: str
    inserted: int = 0
    kept: int = 0
    gone: int = 0
    archived_memories: int = 0
    error: str | None = None


def segment_pending_sessions(
    runtime: Runtime, batch_size: int | None = None, keys: Sequence[str] | None = None
) -> list[SegmentedSession]:
    """Cut the sessions that wait (only of these partitions when `keys` is given) and close quiet ones.

    An endpoint that is down ends the batch: what is left stays pending for the next cycle.
    """
    with runtime.database.transaction() as conn:
        waiting = session_store.to_segment(conn, runtime.waiting(keys, batch_size))
    results = _segment_all(runtime, waiting)
    close_quiet_segments(runtime, keys)
    return results


def _segment_all(runtime: Runtime, waiting: Sequence[SessionRow]) -> list[SegmentedSession]:
    down = threading.Event()

    def one(row: SessionRow) -> SegmentedSession:
        if down.is_set():
            return _outcome(row, "pending", error="not tried: the model endpoint is down")
        result = _segment_session(runtime, row)
        if result.status == "pending":
            down.set()
        return result

    workers = 1 if runtime.llm is None else runtime.settings.llm.max_concurrency
    with ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(one, waiting))


def close_quiet_segments(runtime: Runtime, keys: Sequence[str] | None = None) -> set[str]:
    """Mark the last segments of quiet or rotated logs as finished; returns their partition keys."""
    now = runtime.clock()
    with runtime.database.transaction() as conn:
        rows = segment_store.fetch(
            conn,
            "close_quiet",
            {
                "account_id": runtime.account_id,
                "now": now,
                "quiet_since": now - timedelta(minutes=runtime.settings.sessions.quiet_minutes),
                "keys": None if keys is None else list(keys),
            },
        )
    return {row["partition_key"] for row in rows}


def _segment_session(runtime: Runtime, row: SessionRow) -> SegmentedSession:
    with runtime.database.transaction() as conn:
        messages = session_store.load_messages(conn, runtime.account_id, row.id)
        stored = segment_store.of_session(conn, row.id)
    try:
        fresh = _cut(runtime, messages, stored)
    except ModelError as error:
        return _postpone(runtime, row, error)
    fresh = [replace(s, topic=runtime.redactor.redact_text(s.topic).text) for s in fresh]
    result = runtime.database.run(lambda conn: _write(runtime, conn, row, stored, fresh))
    index_windows(runtime, row.id)
    return result


def _cut(runtime: Runtime, messages: Sequence[Message], stored: Sequence[SegmentRow]) -> list[Segment]:
    threads: dict[str, list[Message]] = {}
    for message in messages:
        threads.setdefault(message.thread, []).append(message)
    segments: list[Segment] = []
    for thread, own in threads.items():
        known = [s for s in stored if s.thread == thread] if runtime.llm is not None else []
        segments += _cut_thread(runtime, own, known)
    return segments


def _cut_thread(runtime: Runtime, messages: Sequence[Message], known: Sequence[SegmentRow]) -> list[Segment]:
    """Segments of one thread; with `known`, matching ones are kept and only the tail is cut again."""
    kept = _matching_prefix(messages, known)[:-1]
    start = kept[-1].end if kept else 0
    tail = segment_messages(
        messages[start:],
        runtime.llm,
        window_tokens=runtime.settings.llm.window_tokens,
        count_tokens=token_counter(runtime.settings.llm.token_encoding),
    )
    return kept + [replace(s, start=s.start + start, end=s.end + start) for s in tail]


def _matching_prefix(messages: Sequence[Message], known: Sequence[SegmentRow]) -> list[Segment]:
    """The stored segments, from the first on, whose messages are still there word for word."""
    prefix: list[Segment] = []
    position = 0
    for row in sorted(known, key=lambda r: r.start_message):
        own = messages[position : position + row.end_message - row.start_message]
        if row.start_message != position or not own or fingerprint_messages(own) != row.fingerprint:
            break
        prefix.append(
            Segment(
                start=position,
                end=position + len(own),
                topic=row.topic,
                fingerprint=row.fingerprint,
                thread=row.thread,
                start_line=min(m.start_line for m in own),
                end_line=max(m.end_line for m in own),
                segmenter=row.segmenter,
            )
        )
        position += len(own)
    return prefix


def _write(
    runtime: Runtime,
    conn: Connection,
    row: SessionRow,
    stored: Sequence[SegmentRow],
    fresh: Sequence[Segment],
) -> SegmentedSession:
    session_store.lock_file(conn, row.account_id, row.agent_id, row.session_file)
    now = runtime.clock()
    segmenter = fresh[-1].segmenter if fresh else SEGMENTER_VERSION
    marked = session_store.run(
        conn,
        "mark_segmented",
        {"session_id": row.id, "content_sha256": row.content_sha256, "segmenter": segmenter, "now": now},
    )
    if not marked:  # the file grew while it was being cut: the next cycle sees all of it
        return _outcome(row, "pending", error="the file changed meanwhile")
    plan = reconcile([_stored(s) for s in stored], list(fresh))
    by_id = {s.id: s for s in stored}
    order = {id(s): index for index, s in enumerate(_in_file_order(fresh))}
    last = {s.thread: s.end for s in fresh}
    quiet = now - row.changed_at >= timedelta(minutes=runtime.settings.sessions.quiet_minutes)
    archived = _delete_gone(runtime, conn, plan)
    for old, new in plan.kept:
        closed = quiet or new.end < last[new.thread]
        _move(conn, by_id[old.id], new, order[id(new)], closed, now)
    for occurrence, new in _with_occurrence(plan):
        closed = quiet or new.end < last[new.thread]
        segment_store.run(conn, "insert", _columns(runtime, row, new, occurrence, order[id(new)], closed))
    return _outcome(row, "done", plan, archived)


def _in_file_order(segments: Sequence[Segment]) -> list[Segment]:
    return sorted(segments, key=lambda s: (s.start_line, s.thread, s.start))


def _stored(row: SegmentRow) -> StoredSegment:
    return StoredSegment(id=row.id, thread=row.thread, fingerprint=row.fingerprint, occurrence=row.occurrence)


def _with_occurrence(plan: Reconciliation) -> list[tuple[int, Segment]]:
    return [(inserted.occurrence, inserted.segment) for inserted in plan.inserted]


def _delete_gone(runtime: Runtime, conn: Connection, plan: Reconciliation) -> int:
    ids: list[UUID] = [old.id for old in plan.gone]
    if not ids:
        return 0
    lock_memories(runtime, conn)  # so that no upload is giving one of them a memory just then
    memories = segment_store.memories_of(conn, ids)
    segment_store.run(conn, "delete", {"ids": ids})
    return archive_orphans(runtime, conn, memories)


def _move(conn: Connection, old: SegmentRow, new: Segment, index: int, closed: bool, now: object) -> None:
    moved = segment_store.run(
        conn,
        "move",
        {
            "id": old.id,
            "segment_index": index,
            "start_message": new.start,
            "end_message": new.end,
            "start_line": new.start_line,
            "end_line": new.end_line,
            "closed": closed,
            "now": now,
        },
    )
    offset = new.start_line - old.start_line
    if moved and offset:
        segment_store.run(conn, "move_sources", {"segment_id": old.id, "offset": offset})


def _columns(
    runtime: Runtime, row: SessionRow, new: Segment, occurrence: int, index: int, closed: bool
) -> dict[str, object]:
    return {
        "id": uuid4(),
        "account_id": row.account_id,
        "agent_id": row.agent_id,
        "session_id": row.id,
        "session_file": row.session_file,
        "generation": row.generation,
        "segment_index": index,
        "thread": new.thread,
        "start_message": new.start,
        "end_message": new.end,
        "start_line": new.start_line,
        "end_line": new.end_line,
        "fingerprint": new.fingerprint,
        "occurrence": occurrence,
        "topic": new.topic,
        "closed": closed,
        "segmenter": new.segmenter,
        "repair": new.repair,
        "redaction_version": runtime.redactor.version,
        "now": runtime.clock(),
    }


def _postpone(runtime: Runtime, row: SessionRow, error: ModelError) -> SegmentedSession:
    failure = describe_failure(runtime, error)
    with runtime.database.transaction() as conn:
        session_store.run(
            conn,
            "segment_failed",
            {
                "session_id": row.id,
                "error": failure.reason,
                "transient": failure.transient,
                "max_attempts": runtime.settings.segments.max_attempts,
                "now": runtime.clock(),
            },
        )
    return _outcome(row, failure.status, error=failure.reason)


def _outcome(
    row: SessionRow,
    status: str,
    plan: Reconciliation | None = None,
    archived: int = 0,
    error: str | None = None,
) -> SegmentedSession:
    return SegmentedSession(
        partition_key=row.partition_key,
        session_file=row.session_file,
        agent_id=row.agent_id,
        status=status,
        inserted=len(plan.inserted) if plan else 0,
        kept=len(plan.kept) if plan else 0,
        gone=len(plan.gone) if plan else 0,
        archived_memories=archived,
        error=error,
    )


def tiling_errors(runtime: Runtime) -> list[dict[str, object]]:
    """Threads whose segments leave a gap or overlap; empty when all is well."""
    with runtime.database.transaction() as conn:
        return segment_store.fetch(conn, "tiling", {"account_id": runtime.account_id})
