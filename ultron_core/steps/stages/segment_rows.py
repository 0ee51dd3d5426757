"""Rows of task segments: which ones wait, their messages, and writing a fresh cut over a stored one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from ultron_core.models import Message, Segment
from ultron_core.segments import SEGMENTER_VERSION, Inserted, Reconciliation, StoredSegment, reconcile
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.rows.status import lose_segments
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.waiting.loop import Item
from ultron_core.store.database import Connection
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow, SessionRow
from ultron_core.transcript.people import is_human

__all__ = [
    "Places",
    "Rewrite",
    "close_quiet_segments",
    "segment_and_following",
    "segment_messages_of",
    "segments_waiting",
    "write_segments",
]


#: by thread, where each of its messages stands in the session
Places = Mapping[str, Sequence[int]]
#: messages in which the turn stands that opens a segment: system prompts may come before it
_OPENING = 3


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What writing a fresh cut did: rows inserted, kept and removed, and memories left without a source."""

    inserted: int
    kept: int
    removed: int
    archived: int


def segments_waiting(conn: Connection, query: str, params: Mapping[str, Any]) -> list[Item[SegmentRow]]:
    """Segments that wait to be labelled or extracted, by the named query, in canonical order."""
    return [Item(row.id, key, row) for row, key in segment_store.pending(conn, query, params)]


def segment_messages_of(conn: Connection, row: SegmentRow) -> list[Message]:
    """The messages of one segment."""
    return _load(conn, row, row.end_message - row.start_message)


def segment_and_following(conn: Connection, row: SegmentRow) -> tuple[list[Message], Message | None]:
    """The messages of one segment, and the person's turn that opens the next one, if there is one by now: a turn that
    answers the agent's words there speaks of these."""
    size = row.end_message - row.start_message
    found = _load(conn, row, size + _OPENING)
    opening = takewhile(lambda message: message.role in ("user", "system"), found[size:])
    return found[:size], next((message for message in opening if is_human(message)), None)


def _load(conn: Connection, row: SegmentRow, most: int) -> list[Message]:
    return session_store.load_thread(
        conn,
        row.account_id,
        row.session_id,
        row.thread,
        seq=row.start_seq,
        position=row.start_message,
        most=most,
    )


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
                "quiet_since": runtime.quiet_since,
                "keys": None if keys is None else list(keys),
            },
        )
    return {row["partition_key"] for row in rows}


def write_segments(
    runtime: Runtime,
    conn: Connection,
    row: SessionRow,
    stored: Sequence[SegmentRow],
    fresh: Sequence[Segment],
    places: Places,
    reviews: Mapping[tuple[str, int], Mapping[str, Any]],
) -> Rewrite | None:
    """Reconcile the fresh cut with the stored one; None when the file has changed since its messages were read.

    `places` says where the messages of each thread stand in the session, `reviews` what a model said of a new segment,
    by its thread and start.
    """
    session_store.lock_file(conn, row.account_id, row.agent_id, row.session_file)
    now = runtime.clock()
    segmenter = fresh[-1].segmenter if fresh else SEGMENTER_VERSION
    marked = session_store.run(
        conn,
        "mark_segmented",
        {"session_id": row.id, "content_sha256": row.content_sha256, "segmenter": segmenter, "now": now},
    )
    if not marked:
        return None
    plan = reconcile([_stored(s) for s in stored], list(fresh))
    by_id = {s.id: s for s in stored}
    order = {id(s): index for index, s in enumerate(_in_file_order(fresh))}
    last = {s.thread: s.end for s in fresh}
    quiet = row.is_over or row.changed_at <= runtime.quiet_since
    archived = _delete_removed(runtime, conn, plan)
    for old, new in plan.kept:
        closed = quiet or new.end < last[new.thread]
        seq = places[new.thread][new.start]
        _move(conn, by_id[old.id], new, (order[id(new)], seq), closed, now)

    def columns(inserted: Inserted) -> dict[str, object]:
        new = inserted.segment
        place = (order[id(new)], places[new.thread][new.start])
        closed = quiet or new.end < last[new.thread]
        notes = reviews.get((new.thread, new.start))
        columns = _columns(runtime, row, new, inserted.occurrence, place, closed)
        return {**columns, "notes": None if notes is None else Jsonb(notes)}

    segment_store.run_many(conn, "insert", map(columns, plan.inserted))
    followed = _followed_otherwise(stored, plan, last)
    if followed:
        segment_store.run(conn, "followed", {"ids": followed, "now": now})
    return Rewrite(len(plan.inserted), len(plan.kept), len(plan.removed), archived)


def _followed_otherwise(
    stored: Sequence[SegmentRow], plan: Reconciliation, last: Mapping[str, int]
) -> list[UUID]:
    """Kept segments that were the last of their thread and are not any more, or the other way round."""
    ends: dict[str, int] = {}
    for row in stored:
        ends[row.thread] = max(row.end_message, ends.get(row.thread, 0))
    were_last = {row.id for row in stored if row.end_message == ends[row.thread]}
    return [old.id for old, new in plan.kept if (old.id in were_last) != (new.end == last[new.thread])]


def _in_file_order(segments: Sequence[Segment]) -> list[Segment]:
    return sorted(segments, key=lambda s: (s.start_line, s.thread, s.start))


def _stored(row: SegmentRow) -> StoredSegment:
    return StoredSegment(id=row.id, thread=row.thread, fingerprint=row.fingerprint, occurrence=row.occurrence)


def _delete_removed(runtime: Runtime, conn: Connection, plan: Reconciliation) -> int:
    ids: list[UUID] = [old.id for old in plan.removed]
    if not ids:
        return 0
    lock_memories(runtime, conn)  # no upload may be adding a memory to one of them at this moment
    memories = segment_store.memories_of(conn, ids)
    segment_store.run(conn, "delete", {"ids": ids})
    return lose_segments(runtime, conn, ids, memories)


def _move(
    conn: Connection, old: SegmentRow, new: Segment, place: tuple[int, int], closed: bool, now: datetime
) -> None:
    moved = segment_store.run(
        conn,
        "move",
        {
            "id": old.id,
            "segment_index": place[0],
            "start_message": new.start,
            "end_message": new.end,
            "start_seq": place[1],
            "start_line": new.start_line,
            "end_line": new.end_line,
            "topic": new.topic,
            "segmenter": new.segmenter,
            "repair": new.repair,
            "closed": closed,
            "now": now,
        },
    )
    offset = new.start_line - old.start_line
    if moved and offset:
        segment_store.run(conn, "move_sources", {"segment_id": old.id, "offset": offset})


def _columns(
    runtime: Runtime, row: SessionRow, new: Segment, occurrence: int, place: tuple[int, int], closed: bool
) -> dict[str, object]:
    return {
        "id": uuid4(),
        "account_id": row.account_id,
        "agent_id": row.agent_id,
        "session_id": row.id,
        "session_file": row.session_file,
        "generation": row.generation,
        "segment_index": place[0],
        "thread": new.thread,
        "start_message": new.start,
        "end_message": new.end,
        "start_seq": place[1],
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
