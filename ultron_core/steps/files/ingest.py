"""Files -> sessions and messages: read once, archived, normalised, reconciled with what is known.

unchanged bytes         nothing is written
grown or edited         the same session, other messages; segments follow by fingerprint
no message in common    log rotation: a new generation, the old one stays
renamed                 old path gone and same bytes (or same inode and shared messages): the same session
unreadable              marked failed with its reason; what was read before stays
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from ultron_core.errors import SessionFileError
from ultron_core.models import Drop, LineLedger, Message, Session, SessionInfo
from ultron_core.segments import fingerprint_messages
from ultron_core.sessions import PARSER_VERSION, parse_session
from ultron_core.steps.files.identity import IngestFile, partition_key, readable, storable
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import drops, sessions
from ultron_core.store.tables.records import SessionRow

__all__ = ["FileResult", "Progress", "ingest_files"]

logger = logging.getLogger("ultron.ingest")

Progress = Callable[[str, int, int], None]
_STAGE = "sessions"
#: share of the smaller log's text that makes two contents versions of one log
_SHARED_LEAST = 0.2
_RETRY_FIRST = timedelta(minutes=1)
_RETRY_MOST = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class FileResult:
    """What became of one file. status: new, appended, changed, rotated, renamed, unchanged or failed."""

    session_file: str
    agent_id: str
    partition_key: str
    status: str
    lines: dict[str, Any] = field(default_factory=dict)
    messages: int = 0
    error: str | None = None
    format: str = ""
    content_sha256: str = ""

    @property
    def success(self) -> bool:
        return self.status != "failed"


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A file's bytes and facts at one moment."""

    body: bytes
    sha256: str
    size: int
    mtime_ns: int
    inode: int


def ingest_files(
    runtime: Runtime, files: Sequence[IngestFile], progress: Progress | None = None
) -> list[FileResult]:
    """Read each file once and store its messages. One bad file never stops the next."""
    results = []
    for done, file in enumerate(files):
        results.append(_ingest_file(runtime, file))
        if progress:
            progress(file.session_file, done + 1, len(files))
    counts = Counter(result.status for result in results)
    logger.info("read %d file(s): %s", len(results), dict(counts))
    return results


def _ingest_file(runtime: Runtime, file: IngestFile) -> FileResult:
    try:
        snapshot = _snapshot(file.path)
    except OSError as error:
        reason = (
            f"{file.path} cannot be read: {error.strerror or error}. Check that it exists and its rights."
        )
        return _store_failure(runtime, file, None, reason)
    known = _known_unchanged(runtime, file, snapshot)
    if known is not None:
        return known
    try:
        session = parse_session(snapshot.body)
    except SessionFileError as error:
        return _store_failure(runtime, file, snapshot, str(error).replace("<bytes>", str(file.path)))
    return runtime.database.run(lambda conn: _store(runtime, conn, file, snapshot, session))


def _snapshot(path: Path) -> _Snapshot:
    with path.open("rb") as handle:
        stat = path.stat()
        body = handle.read()
    return _Snapshot(body, hashlib.sha256(body).hexdigest(), len(body), stat.st_mtime_ns, stat.st_ino)


def _known_unchanged(runtime: Runtime, file: IngestFile, snapshot: _Snapshot) -> FileResult | None:
    def look(conn: Connection) -> FileResult | None:
        row = sessions.latest(conn, runtime.account_id, file.agent_id, file.session_file)
        if row is None or row.content_sha256 != snapshot.sha256 or row.parser_version != PARSER_VERSION:
            return None
        if row.status == "failed":
            return None
        sessions.mark_ok(conn, row.id, runtime.clock())
        _note_source(runtime, conn, file, row.partition_key, snapshot)
        return _result(
            file, row.partition_key, "unchanged", snapshot, row.message_count, row.lines, row.format
        )

    return runtime.database.run(look)


def _store(
    runtime: Runtime, conn: Connection, file: IngestFile, snapshot: _Snapshot, session: Session
) -> FileResult:
    account = runtime.account_id
    sessions.lock_file(conn, account, file.agent_id, file.session_file)
    row = sessions.latest(conn, account, file.agent_id, file.session_file, for_update=True)
    digests = [fingerprint_messages([message]) for message in session.messages]
    status = "changed"
    if row is None:
        row = _renamed_from(runtime, conn, file, snapshot, digests)
        status = "renamed" if row else "new"
    old = sessions.digests(conn, row.id) if row else []
    if row and _is_rotation(conn, row, [d[0] for d in old], session.messages, digests):
        status = "rotated"
    key = row.partition_key if row else _free_partition_key(runtime, conn, file)
    values = _session_values(runtime, file, snapshot, session, key)
    if row is None or status == "rotated":
        generation = row.generation + 1 if row else 0
        session_id = sessions.insert(conn, {**values, "generation": generation})
        sessions.append_messages(conn, (session_id, account, file.agent_id), session.messages, digests)
    else:
        session_id = row.id
        sessions.update(conn, session_id, values)
        keep = _common_prefix(old, session.messages, digests)
        sessions.append_messages(
            conn, (session_id, account, file.agent_id), session.messages, digests, keep=keep
        )
        if status == "changed" and keep == len(old):
            status = "appended"
    _archive(runtime, conn, file, snapshot)
    _store_skips(runtime, conn, file, session_id, session)
    _note_source(runtime, conn, file, key, snapshot)
    return _result(
        file, key, status, snapshot, len(session.messages), session.ledger.to_json(), session.info.format
    )


def _renamed_from(
    runtime: Runtime, conn: Connection, file: IngestFile, snapshot: _Snapshot, digests: Sequence[str]
) -> SessionRow | None:
    """The session this file was under another name: its old path is gone, and the content is shared."""
    candidates = sessions.rename_candidates(
        conn, runtime.account_id, file.agent_id, file.session_file, snapshot.sha256, snapshot.inode
    )
    new = set(digests)
    for row, path in candidates:
        if Path(path).exists():
            continue
        shares = any(d[0] in new for d in sessions.digests(conn, row.id))
        if row.content_sha256 == snapshot.sha256 or shares:
            sessions.rename(conn, row, file.session_file, runtime.clock())
            return replace(row, session_file=file.session_file)
    return None


def _is_rotation(
    conn: Connection,
    row: SessionRow,
    old: Sequence[str],
    messages: Sequence[Message],
    digests: Sequence[str],
) -> bool:
    """Whether another log lies at the path now: less than a fifth of what is said is shared with the old one.

    By size of text, because short phrases ("thanks", "ok") are in every log.
    """
    shorter = min(len(old), len(digests))
    if not old or (shorter and list(old[:shorter]) == list(digests[:shorter])):
        return False  # grown, or cut short
    before = Counter[str]()
    for known in sessions.fetch(conn, "sizes", {"session_id": row.id}):
        before[known["digest"]] += known["size"]
    after = Counter[str]()
    for message, digest in zip(messages, digests, strict=True):
        if message.role != "system":
            after[digest] += len(message.content) + sum(len(str(c.arguments)) for c in message.tool_calls)
    smaller = min(before.total(), after.total())
    return sum((before & after).values()) < _SHARED_LEAST * smaller or not smaller


def _common_prefix(
    old: Sequence[sessions.MessageDigest], messages: Sequence[Message], digests: Sequence[str]
) -> int:
    """How many stored messages stay exactly as they are, lines and thread included."""
    for position, (known, message, digest) in enumerate(zip(old, messages, digests, strict=False)):
        if known != (digest, message.thread, message.start_line, message.end_line):
            return position
    return min(len(old), len(messages))


def _free_partition_key(runtime: Runtime, conn: Connection, file: IngestFile) -> str:
    """The file's key; a renamed file may still hold it, then the path's hash is added."""
    plain = partition_key(runtime, file.agent_id, file.session_file)
    owner = sessions.partition_key_owner(conn, runtime.account_id, plain)
    if owner is None or owner == (file.agent_id, file.session_file):
        return plain
    return partition_key(runtime, file.agent_id, file.session_file, distinct=True)


def _session_values(
    runtime: Runtime, file: IngestFile, snapshot: _Snapshot, session: Session, key: str
) -> dict[str, Any]:
    info: SessionInfo = session.info
    now = runtime.clock()
    changed = datetime.fromtimestamp(snapshot.mtime_ns / 1e9, UTC)
    return {
        "account_id": runtime.account_id,
        "agent_id": file.agent_id,
        "session_file": file.session_file,
        "partition_key": key,
        "content_sha256": snapshot.sha256,
        "bytes": snapshot.size,
        "format": info.format,
        "harness": info.harness,
        "harness_version": info.harness_version,
        "cwd": runtime.redactor.redact_text(info.cwd).text if info.cwd else None,
        "tools": runtime.redactor.redact_json(list(info.tools))[0] if info.tools else [],
        "model": info.model,
        "started_at": info.started_at,
        "ended_at": info.ended_at,
        "changed_at": min(changed, now),
        "lines": session.ledger.to_json(),
        "message_count": len(session.messages),
        "status": "ok",
        "error": None,
        "parser_version": PARSER_VERSION,
        "now": now,
    }


def _archive(runtime: Runtime, conn: Connection, file: IngestFile, snapshot: _Snapshot) -> None:
    keep = snapshot.size <= runtime.settings.sessions.archive_max_bytes
    sessions.archive_bytes(
        conn,
        snapshot.body if keep else None,
        {
            "account_id": runtime.account_id,
            "agent_id": file.agent_id,
            "kind": "ingest_file",
            "session_file": file.session_file,
            "path": readable(str(file.path)),
            "sha256": snapshot.sha256,
            "bytes": snapshot.size,
            "status": "done",
            "now": runtime.clock(),
        },
    )


def _store_skips(
    runtime: Runtime, conn: Connection, file: IngestFile, session_id: UUID, session: Session
) -> None:
    rows: list[drops.DropPlace] = [
        (
            Drop(_STAGE, skip.reason, runtime.redactor.redact_text(skip.detail).text if skip.detail else ""),
            skip.start_line,
            skip.end_line,
        )
        for skip in session.ledger.skips
    ]
    drops.replace_of_session(
        conn, (runtime.account_id, file.agent_id), session_id, _STAGE, rows, runtime.clock()
    )


def _note_source(
    runtime: Runtime,
    conn: Connection,
    file: IngestFile,
    key: str,
    snapshot: _Snapshot | None,
    error: str | None = None,
) -> None:
    now = runtime.clock()
    attempts = 0
    if error is not None:
        before = sessions.source_file_attempts(conn, runtime.account_id, file.agent_id, file.session_file)
        attempts = before + 1
    wait = min(_RETRY_FIRST * 2 ** min(attempts, 12), _RETRY_MOST)
    size, mtime_ns, inode = _facts(file.path, snapshot)
    sessions.upsert_source_file(
        conn,
        {
            "account_id": runtime.account_id,
            "agent_id": file.agent_id,
            "session_file": file.session_file,
            "partition_key": key,
            "path": storable(str(file.path)),
            "size": size,
            "mtime_ns": mtime_ns,
            "inode": inode,
            "sha256": snapshot.sha256 if snapshot else None,
            "state": "failed" if error else "ingested",
            "attempts": attempts,
            "next_try": now + wait if error else None,
            "error": error,
            "now": now,
        },
    )


def _facts(path: Path, snapshot: _Snapshot | None) -> tuple[int, int, int]:
    """Size, modification time and inode; of an unreadable file what can still be seen from outside."""
    if snapshot:
        return snapshot.size, snapshot.mtime_ns, snapshot.inode
    try:
        stat = path.stat()
    except OSError:
        return 0, 0, 0
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _store_failure(
    runtime: Runtime, file: IngestFile, snapshot: _Snapshot | None, message: str
) -> FileResult:
    """The file is marked failed; a session that was read from it before keeps everything."""
    reason = runtime.redactor.redact_text(message).text

    def write(conn: Connection) -> FileResult:
        sessions.lock_file(conn, runtime.account_id, file.agent_id, file.session_file)
        row = sessions.latest(conn, runtime.account_id, file.agent_id, file.session_file, for_update=True)
        key = row.partition_key if row else _free_partition_key(runtime, conn, file)
        sha256 = snapshot.sha256 if snapshot else (row.content_sha256 if row else "")
        if row is not None:
            sessions.mark_failed(conn, row.id, reason, sha256, runtime.clock())
        elif snapshot is not None:
            empty = Session((), LineLedger(), SessionInfo(bytes=snapshot.size))
            values = _session_values(runtime, file, snapshot, empty, key)
            sessions.insert(conn, {**values, "generation": 0, "status": "failed", "error": reason})
        if snapshot is not None and (row is None or row.content_sha256 != sha256):
            _archive(runtime, conn, file, snapshot)
        _note_source(runtime, conn, file, key, snapshot, reason)
        return replace(_result(file, key, "failed", snapshot, 0, {}, ""), error=reason)

    return runtime.database.run(write)


def _result(
    file: IngestFile,
    key: str,
    status: str,
    snapshot: _Snapshot | None,
    messages: int,
    lines: dict[str, Any],
    session_format: str,
) -> FileResult:
    return FileResult(
        session_file=file.session_file,
        agent_id=file.agent_id,
        partition_key=key,
        status=status,
        lines=lines,
        messages=messages,
        format=session_format,
        content_sha256=snapshot.sha256 if snapshot else "",
    )
