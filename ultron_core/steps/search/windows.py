"""Windows over the verbatim log: the documents of `search_sessions`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from uuid import UUID

from ultron_core.embeddings.checked import embed_taken
from ultron_core.errors import EmbeddingError, LogChangedError
from ultron_core.search import LAYOUT, Window, make_windows, windows_of
from ultron_core.steps.long_logs import LongLog
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.window_rows import (
    Content,
    Key,
    Part,
    Stored,
    differences,
    replace_windows,
    stored_windows,
)
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables import sessions as session_store

__all__ = ["Indexed", "fill_windows", "index_windows", "recount_windows"]

logger = logging.getLogger("ultron.embeddings")
_SQL = NamedQueries("log/windows")

#: messages of a session that are held at once; a longer one is indexed part by part
_MOST_HELD = 20_000
#: windows of a part
_PART = 2_000
#: no thread has as many windows
_END = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What sessions, or a part of one, should have: all windows, and vectors of those that are new; None: the embedder
    is down."""

    windows: Mapping[Key, Window]
    vectors: Mapping[Key, str] | None


@dataclass(frozen=True, slots=True)
class Indexed:
    """Windows that were written, and whether all of them were embedded: not while the embedder is down."""

    written: int
    embedded: bool


def index_windows(runtime: Runtime, ids: Sequence[UUID]) -> Indexed:
    """Bring the windows of some sessions up to date; those that did not change are kept.

    All that is new is embedded in one batch: windows overlap, and logs repeat themselves. A window that the embedder
    refuses is stored without a vector, found by its words, and tried again when its session or the model changes. A
    session of more than _MOST_HELD messages is read and written part by part.
    """
    written, embedded = 0, True
    while ids:
        with runtime.database.transaction() as conn:
            long = {row["id"] for row in _SQL.fetch(conn, "longer", {"ids": list(ids), "most": _MOST_HELD})}
        parts = [_index(runtime, [one for one in ids if one not in long])]
        parts += [_index_long(runtime, session_id) for session_id in long]
        ids = [session_id for _, changed in parts for session_id in changed]
        written += sum(made.written for made, _ in parts)
        embedded = embedded and all(made.embedded for made, _ in parts)
    return Indexed(written, embedded)


def fill_windows(runtime: Runtime) -> int:
    """The windows of all sessions that lack them, or have those of another embedder or of an older layout; returns how
    many were written. Stops quietly while the embedder is down."""
    params = runtime.waiting()
    written = 0
    while True:
        with runtime.database.transaction() as conn:
            waiting = [row["id"] for row in session_store.fetch(conn, "to_window", params)]
        made = index_windows(runtime, waiting)
        written += made.written
        if not (waiting and made.embedded):
            return written


def recount_windows(runtime: Runtime) -> None:
    """Windows that were deleted together with their session are still in the counts."""

    def recount(conn: Connection) -> None:
        if _SQL.fetch(conn, "miscounted", runtime.account)[0]["miscounted"]:
            _SQL.run(conn, "lock", runtime.account)
            _SQL.run(conn, "recount", runtime.account)

    runtime.database.run(recount)


def _index(runtime: Runtime, ids: Sequence[UUID]) -> tuple[Indexed, list[UUID]]:
    """(what was written, sessions whose log changed meanwhile)."""
    if not ids:
        return Indexed(0, True), []
    with runtime.database.transaction() as conn:
        before = stored_windows(runtime, conn, ids)
        messages = session_store.load_sessions(conn, runtime.account_id, list(before.contents))
    windows = {
        (session_id, window.thread, window.place): window
        for session_id, own in messages.items()
        for window in make_windows(own)
    }
    wanted = _wanted(runtime, windows, before)

    def write(conn: Connection) -> tuple[Indexed, list[UUID]]:
        made, same, changed = _write(runtime, conn, before.contents, wanted)
        _mark(runtime, conn, same, embedded=made.embedded)
        return made, changed

    return runtime.database.run(write)


def _index_long(runtime: Runtime, session_id: UUID) -> tuple[Indexed, list[UUID]]:
    """The same for one session whose messages would fill the memory."""
    log = LongLog(runtime, session_id, "windows")
    with runtime.database.transaction() as conn:
        contents = stored_windows(runtime, conn, [session_id], Part("", 0, 0)).contents
    written, embedded = 0, True
    try:
        for part, windows in _parts(log, session_id):
            with runtime.database.transaction() as conn:
                before = stored_windows(runtime, conn, [session_id], part)
            wanted = _wanted(runtime, windows, before)
            made, same, _ = runtime.database.run(partial(_write_part, runtime, contents, wanted, part))
            if not same:
                return Indexed(written, embedded), list(contents)
            written, embedded = written + made.written, embedded and made.embedded
    except LogChangedError:
        return Indexed(written, embedded), list(contents)

    def finish(conn: Connection) -> list[UUID]:
        _SQL.run(conn, "lock", runtime.account)
        now = stored_windows(runtime, conn, [session_id], Part("", 0, 0)).contents
        if now != contents:
            return list(now)
        params = {"session_id": session_id, "threads": list(log.places)}
        left = _SQL.fetch(conn, "of_other_threads", {**runtime.account, **params})
        replace_windows(runtime, conn, [(session_id, row["thread"], row["place"]) for row in left], {}, {})
        _mark(runtime, conn, contents, embedded=embedded)
        return []

    return Indexed(written, embedded), runtime.database.run(finish)


def _parts(log: LongLog, session_id: UUID) -> Iterator[tuple[Part, dict[Key, Window]]]:
    """The windows of a long log, so many at once as can be held; the last part of a thread takes in what is stored
    beyond its end."""
    for thread in log.places:
        made = windows_of(thread, log.walk(thread))
        first = 0
        held = list(islice(made, _PART))
        while True:
            following = list(islice(made, _PART))
            part = Part(thread, first, first + len(held) if following else _END)
            yield part, {(session_id, thread, window.place): window for window in held}
            first, held = first + len(held), following
            if not held:
                break


def _wanted(runtime: Runtime, windows: Mapping[Key, Window], before: Stored) -> _Wanted:
    fresh, _ = differences(windows, before.windows, runtime.embedder.model_id)
    return _Wanted(windows, _vectors(runtime, {key: windows[key].text for key in fresh}))


def _write_part(
    runtime: Runtime, contents: Mapping[UUID, Content], wanted: _Wanted, part: Part, conn: Connection
) -> tuple[Indexed, Mapping[UUID, Content], list[UUID]]:
    return _write(runtime, conn, contents, wanted, part)


def _write(
    runtime: Runtime,
    conn: Connection,
    before: Mapping[UUID, Content],
    wanted: _Wanted,
    part: Part | None = None,
) -> tuple[Indexed, Mapping[UUID, Content], list[UUID]]:
    """(what was written, sessions it was written for, sessions whose log changed meanwhile)."""
    _SQL.run(conn, "lock", runtime.account)
    now = stored_windows(runtime, conn, list(before), part)
    same = {
        session_id: content for session_id, content in now.contents.items() if content == before[session_id]
    }
    model = None if wanted.vectors is None else runtime.embedder.model_id
    windows = {key: window for key, window in wanted.windows.items() if key[0] in same}
    stored = {key: made for key, made in now.windows.items() if key[0] in same}
    fresh, gone = differences(windows, stored, model)  # another process may have indexed the same log
    replace_windows(runtime, conn, gone, {key: windows[key] for key in fresh}, wanted.vectors or {})
    changed = [session_id for session_id in now.contents if session_id not in same]
    return Indexed(len(fresh), wanted.vectors is not None), same, changed


def _mark(runtime: Runtime, conn: Connection, same: Mapping[UUID, Content], *, embedded: bool) -> None:
    """All windows of these sessions are there."""
    model = runtime.embedder.model_id if embedded else ""
    contents = [content for content, _ in same.values()]
    done = {"windows": f"{LAYOUT}:{model}", "ids": list(same), "contents": contents}
    session_store.run(conn, "mark_windowed", done)


def _vectors(runtime: Runtime, texts: Mapping[Key, str]) -> dict[Key, str] | None:
    """None when the embedder is down; without those that it refuses."""
    try:
        rows = embed_taken(runtime.embedder, list(texts.values()))
    except EmbeddingError:
        return None
    taken = {key: row for key, row in zip(texts, rows, strict=True) if row is not None}
    if len(taken) < len(texts):
        refused = len(texts) - len(taken)
        logger.warning("%s refuses %d of %d windows", runtime.embedder.model_id, refused, len(texts))
    return {key: memory_store.vector_text(row) for key, row in taken.items()}
