"""Sessions -> task segments, reconciled by fingerprint with what is stored.

Offline the whole thread is segmented again, so that the stored segments always equal a fresh segmentation; a session
of more messages than a window is never held as a whole. With
a model only the tail is: from the start of the last stored segment that still matches, so that an append costs a
bounded number of calls however long the log is. A model that judges and extracts as well is asked all of it at once:
what it says of a new segment waits on its row for the stages behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ultron_core.errors import LogChangedError
from ultron_core.llm.tokens import token_counter
from ultron_core.models import Message, Segment
from ultron_core.segments import (
    SEGMENTER_VERSION,
    WINDOW,
    fingerprint_messages,
    segment_messages,
    segment_sessions,
    segment_thread,
)
from ultron_core.segments.by_model.cut import prompt_version, segment_prompt
from ultron_core.steps.long_logs import LongLog
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.kept import NO_REVIEWS, Reviews, review_session
from ultron_core.steps.stages.segment_rows import Places, close_quiet_segments, write_segments
from ultron_core.steps.stages.table import SEGMENTS
from ultron_core.steps.stages.waiting.loop import Item, StageResult, Step, groups_of
from ultron_core.store.database import Connection
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow, SessionRow

__all__ = ["STEP", "cut_session"]

_CHANGED = "the file changed while it was being segmented"


def _waiting(conn: Connection, query: str, params: Mapping[str, Any]) -> list[Item[SessionRow]]:
    rows = [SessionRow.from_row(row) for row in session_store.fetch(conn, query, params)]
    return [Item(row.id, row.partition_key, row) for row in rows]


def _messages(conn: Connection, row: SessionRow) -> list[Message]:
    return session_store.load_messages(conn, row.account_id, row.id)


def _segment(runtime: Runtime, item: Item[SessionRow]) -> StageResult:
    row = item.row
    if runtime.llm is None and row.message_count > WINDOW:
        return _segment_long(runtime, item)
    with runtime.database.transaction() as conn:
        messages = _messages(conn, row)
        stored = segment_store.of_sessions(conn, [row.id])[row.id]
    # a session without a segmenter is new or is to be cut again as a whole; then its labels and memories stay
    again = not row.segmenter
    fresh, reviews = cut_session(runtime, messages, [] if again else stored, alone=again and bool(stored))
    return _store(runtime, item, stored, fresh, _places(messages), reviews)


def _segment_together(runtime: Runtime, items: Sequence[Item[SessionRow]]) -> list[StageResult]:
    """Offline: the turns of many sessions are embedded in one batch."""
    results: list[StageResult] = []
    for group in groups_of(items, lambda item: item.row.message_count):
        if group[0].row.message_count > WINDOW:  # it stands alone
            results.append(_segment_long(runtime, group[0]))
            continue
        ids = [item.id for item in group]
        with runtime.database.transaction() as conn:
            messages = session_store.load_sessions(conn, runtime.account_id, ids)
            stored = segment_store.of_sessions(conn, ids)
        cuts = segment_sessions([messages[session_id] for session_id in ids])
        results += [
            _store(runtime, item, stored[item.id], cut, _places(messages[item.id]))
            for item, cut in zip(group, cuts, strict=True)
        ]
    return results


def _segment_long(runtime: Runtime, item: Item[SessionRow]) -> StageResult:
    """Offline, one whose messages would fill the memory: they are read window by window."""
    log = LongLog(runtime, item.id, SEGMENTS.name)
    with runtime.database.transaction() as conn:
        stored = segment_store.of_sessions(conn, [item.id])[item.id]
    try:
        fresh = [segment for threads in log.groups(WINDOW) for segment in _cut_long(log, threads)]
    except LogChangedError:
        return StageResult(item.id, item.partition_key, "changed", error=_CHANGED)
    return _store(runtime, item, stored, fresh, log.places)


def _cut_long(log: LongLog, threads: Sequence[str]) -> Iterator[Segment]:
    """The segments of threads that fit into one window together, or of a longer one."""
    if len(threads) == 1:
        yield from segment_thread(partial(log.read, threads[0]), len(log.places[threads[0]]))
        return
    together = [message for name in threads for message in log.read(name, 0, len(log.places[name]))]
    yield from segment_messages(together)


def _places(messages: Sequence[Message]) -> Places:
    places: dict[str, list[int]] = {}
    for seq, message in enumerate(messages):
        places.setdefault(message.thread, []).append(seq)
    return places


def _store(
    runtime: Runtime,
    item: Item[SessionRow],
    stored: Sequence[SegmentRow],
    fresh: Sequence[Segment],
    places: Places,
    reviews: Reviews = NO_REVIEWS,
) -> StageResult:
    reviews = {place: runtime.redactor.redact_json(review)[0] for place, review in reviews.items()}
    fresh = [replace(s, topic=runtime.redactor.redact_text(s.topic).text) for s in fresh]
    written = runtime.database.run(
        lambda conn: write_segments(runtime, conn, item.row, stored, fresh, places, reviews)
    )
    if written is None:  # the file grew in the meantime: the next cycle sees all of it
        return StageResult(item.id, item.partition_key, "changed", error=_CHANGED)
    counts = {
        "inserted": written.inserted,
        "kept": written.kept,
        "removed": written.removed,
        "archived": written.archived,
    }
    return StageResult(item.id, item.partition_key, "done", counts)


def cut_session(
    runtime: Runtime, messages: Sequence[Message], stored: Sequence[SegmentRow], *, alone: bool = False
) -> tuple[list[Segment], Reviews]:
    """The segments of all threads, and what the model said of new ones. Stored ones that still match are kept where a
    model would have to be paid; `alone`: it is asked for boundaries and nothing else."""
    if runtime.llm is None:
        return segment_messages(messages), NO_REVIEWS
    threads: dict[str, list[Message]] = {}
    for message in messages:
        threads.setdefault(message.thread, []).append(message)
    kept: list[Segment] = []
    tails: dict[str, list[Message]] = {}
    starts: dict[str, int] = {}
    for thread, own in threads.items():
        prefix = _matching_prefix(own, [s for s in stored if s.thread == thread])
        if prefix and prefix[-1].end < len(own):
            prefix.pop()  # what follows may belong to it
        kept += prefix
        starts[thread] = prefix[-1].end if prefix else 0
        if starts[thread] < len(own):
            tails[thread] = own[starts[thread] :]
    if not tails:
        return kept, NO_REVIEWS
    system = next((message.content for message in messages if message.role == "system"), "")
    whole = None if alone else review_session(runtime, tails, system)
    fresh, reviews = whole or (_cut_alone(runtime, tails), NO_REVIEWS)
    moved = [replace(s, start=s.start + starts[s.thread], end=s.end + starts[s.thread]) for s in fresh]
    # what is said of a segment is found by its place in its thread
    at = {(thread, start + starts[thread]): review for (thread, start), review in reviews.items()}
    return kept + moved, at


def _cut_alone(runtime: Runtime, tails: Mapping[str, Sequence[Message]]) -> list[Segment]:
    return segment_messages(
        [message for tail in tails.values() for message in tail],
        runtime.llm,
        window_tokens=runtime.room_beside(segment_prompt()) if runtime.llm else None,
        count_tokens=token_counter(runtime.settings.llm.token_encoding),
    )


def _matching_prefix(messages: Sequence[Message], known: Sequence[SegmentRow]) -> list[Segment]:
    """The stored segments, from the first on, whose messages are still there verbatim."""
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


def _workers(runtime: Runtime) -> int:
    return 1 if runtime.llm is None else runtime.settings.llm.at_once


STEP = Step(
    SEGMENTS,
    SEGMENTER_VERSION,
    prompt_version,
    waiting=_waiting,
    messages=_messages,
    work=_segment,
    run=session_store.run,
    workers=_workers,
    together=_segment_together,
    finish=close_quiet_segments,
)
