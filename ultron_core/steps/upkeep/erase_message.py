"""The words of single messages are erased: their rows stay, empty, and what was made of them goes.

Tasks that hold one are cut again without it, with their labels, drafts, drops and memories; so are the windows of its
session. In archived bytes and in the copy of the drop folder its lines are blanked, each as long as before.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ultron_core.errors import InputError, NotFoundError
from ultron_core.segments import fingerprint_messages
from ultron_core.steps.erased.lines import blanked, emptied
from ultron_core.steps.erased.marks import Name, log_names, make_marks
from ultron_core.steps.rows import status
from ultron_core.steps.rows.embedded import Embedded, run_embedded
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.windows import recount_windows
from ultron_core.steps.taste import forget_in_taste
from ultron_core.steps.upkeep.erase_walk import Found, Scope, retract, with_memories
from ultron_core.steps.upkeep.erasures import REST, Erased, advance, alone, report_of
from ultron_core.steps.upkeep.outside import Outside, find_outside, remove_made
from ultron_core.store.database import Connection
from ultron_core.store.tables import erasure, sessions
from ultron_core.store.tables.records import message_from_row

__all__ = ["erase_message"]

#: `d:1a2b3c4d/12-18` of a block, or `<session>:12-18`
_POINTER = re.compile(
    r"(?:d:(?P<short>[0-9a-f-]{8,36})/|(?P<named>.+):)(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?"
)


@dataclass(frozen=True, slots=True)
class _Messages:
    """Messages on some lines of a session that still have words, and what was made of them."""

    found: Found
    messages: Sequence[Mapping[str, Any]]
    segments: Sequence[Any]

    @property
    def digests(self) -> set[str]:
        return {row["digest"] for row in self.messages}

    def params(self, runtime: Runtime) -> dict[str, Any]:
        """What the queries of erasing ask for."""
        first = self.found.sessions[0]
        own = {"session_id": first["id"], "segments": list(self.segments)}
        names = {"agent_id": first["agent_id"], "session_file": first["session_file"]}
        return {**self.found.params(runtime), **own, **names}


def erase_message(
    runtime: Runtime, scope: Scope, *, dry_run: bool, with_datasets: bool, with_file: bool
) -> Erased:
    """Erase the words on the lines that a pointer names. Raises InputError, NotFoundError and ConflictError."""
    found, outside = runtime.database.run(partial(_look, runtime, scope))
    counts = {"messages": len(found.messages), "task_segments": len(found.segments)}
    counts = {table: count for table, count in (counts | {"memories": len(found.found.own)}).items() if count}
    report = report_of(runtime, found.found, outside, counts, dry_run, with_datasets, with_file)
    if dry_run or not found.messages:
        return report
    with alone(runtime):
        files = (*outside.logs, *(outside.origins if with_file else ()))
        held = [path for path in files if not _blank(path, found.digests)]
        if with_datasets:
            remove_made(runtime, outside)
        run_embedded(runtime, partial(_take, runtime, scope, outside, counts))
        recount_windows(runtime)
    said = [
        f"{path} still holds the words: it is packed, or other messages stand on these lines."
        for path in held
    ]
    return replace(report, left=(*said, *report.left))


def _look(runtime: Runtime, scope: Scope, conn: Connection) -> tuple[_Messages, Outside]:
    found = _find(runtime, conn, scope)
    return found, find_outside(runtime, conn, found.found)


def _find(runtime: Runtime, conn: Connection, scope: Scope) -> _Messages:
    """What a pointer stands for. Raises InputError for what is no pointer, NotFoundError where nothing is there."""
    told = _POINTER.fullmatch(scope.name)
    if told is None:
        raise InputError(
            "A message is named by its lines: SESSION:LINE, SESSION:FIRST-LAST, or d:... of a block."
        )
    lines = {"first": int(told["first"]), "last": int(told["last"] or told["first"])}
    asked = {**runtime.account, **lines, "short": told["short"], "named": told["named"]}
    rows = erasure.fetch(conn, "messages", asked)
    if not rows:
        raise NotFoundError(f"No message on the lines {scope.name!r}: `ultron sessions` lists the sessions.")
    own = erasure.fetch(conn, "session_of", {**runtime.account, "id": rows[0]["session_id"]})
    full = [row for row in rows if message_from_row(row) != emptied(message_from_row(row))]
    at = {"seqs": [row["seq"] for row in full], "session_id": own[0]["id"]}
    made = erasure.fetch(conn, "made_of", {**runtime.account, **at})
    segments = [row["id"] for row in made if row["kind"] == "segment"]
    uploads = [row["id"] for row in made if row["kind"] == "source"]
    found = Found(scope, own, own, (), uploads)
    lost = [own[0]["id"]] if full else []
    return _Messages(_only_sources(runtime, conn, found, lost), full, segments)


def _only_sources(runtime: Runtime, conn: Connection, found: Found, lost: Sequence[Any]) -> Found:
    """Memories by these sources, and by parts of the session that have lost their segment; the session itself stays."""
    memories = with_memories(runtime, conn, replace(found, files=(), sessions=()), lost)
    return replace(memories, files=found.files, sessions=found.sessions)


def _blank(path: Path, digests: set[str]) -> bool:
    """Blank the lines of these messages where they stand; False where that cannot be done. No byte moves, so that
    whoever appends to the log is not disturbed."""
    body = path.read_bytes()
    clean = blanked(body, digests)
    if clean is not None and clean != body:
        with open(os.open(path, os.O_WRONLY), "wb") as file:
            file.write(clean)
    return clean is not None


def _take(
    runtime: Runtime,
    scope: Scope,
    outside: Outside,
    counts: Mapping[str, int],
    embedded: Embedded,
    conn: Connection,
) -> None:
    """Empty the rows and take out what was made of them."""
    lock_memories(runtime, conn)
    found = _find(runtime, conn, scope)
    params = found.params(runtime)
    erasure.run(conn, "lock_files", params)
    logs = _logs(conn, found, params)
    names = [("messages", *log) for log in logs]
    names += [("message", digest, *log) for log in logs for digest in found.digests]
    make_marks(runtime, conn).remember(names)
    left = retract(runtime, embedded, conn, replace(found.found, sessions=()))
    roles = sorted({row["role"] for row in found.messages})
    digests = [_digest_of_nothing(found, role) for role in roles]
    seqs = [row["seq"] for row in found.messages]
    erasure.run(conn, "empty_messages", {**params, "seqs": seqs, "roles": roles, "digests": digests})
    erasure.run(conn, "cut_again", {**params, "erased": len(seqs), "now": runtime.clock()})
    cleaned = _clean_archive(runtime, conn, found, params)
    for log in outside.logs:
        _note_blanked(conn, params, log, cleaned.get(found.found.sessions[0]["content_sha256"]))
    for query in ("answers", "errors"):
        erasure.run(conn, query, params)
    status.shelve(runtime, conn, left)
    status.archive_orphans(runtime, conn, left)
    forget_in_taste(runtime, conn)
    advance(runtime, conn, scope, counts, REST, done=True)


def _digest_of_nothing(found: _Messages, role: str) -> str:
    row = next(row for row in found.messages if row["role"] == role)
    return fingerprint_messages([emptied(message_from_row(row))])


def _logs(conn: Connection, found: _Messages, params: Mapping[str, Any]) -> list[Name]:
    """What the log is known by: now, and by all bytes of it that were archived."""
    (session,) = found.found.sessions
    who = (session["agent_id"], session["session_file"], session["log_id"])
    names = log_names(*who, session["content_sha256"])
    return [*names, *(("content", row["sha256"]) for row in erasure.fetch(conn, "contents", params))]


def _clean_archive(
    runtime: Runtime, conn: Connection, found: _Messages, params: Mapping[str, Any]
) -> dict[str, str]:
    """Archived bytes of the file without these lines; where that cannot be done the record stays without its bytes.
    Returns the new hash of each content by its old one."""
    cleaned: dict[str, str] = {}
    contents = {"sha256s": [row["sha256"] for row in erasure.fetch(conn, "contents", params)]}
    for row in erasure.fetch(conn, "bodies", contents):
        old, clean = row["sha256"], blanked(zlib.decompress(row["body"]), found.digests)
        new = old if clean is None else hashlib.sha256(clean).hexdigest()
        if clean is not None and new != old:
            body = {
                "sha256": new,
                "bytes": len(clean),
                "body": zlib.compress(clean, 6),
                "now": runtime.clock(),
            }
            sessions.run(conn, "insert_blob", body)
            cleaned[old] = new
        erasure.run(conn, "point_uploads", {**params, "old": old, "new": new, "stored": clean is not None})
    erasure.run(conn, "unstored_blobs", {**params, **contents})
    return cleaned


def _note_blanked(conn: Connection, params: Mapping[str, Any], log: Path, expected: str | None) -> None:
    """A log that is as it was read but for its blanked lines counts as read."""
    sha256, seen = hashlib.sha256(log.read_bytes()).hexdigest(), log.stat()
    if sha256 == expected:
        facts = {"size": seen.st_size, "mtime_ns": seen.st_mtime_ns, "sha256": sha256}
        erasure.run(conn, "note_blanked", {**params, **facts})
