"""Files -> sessions and messages: read once, archived, normalised, reconciled with what is known.

unchanged bytes         nothing is written
grown or edited         the same session with other messages; segments follow by fingerprint
another log             log rotation (another id, or too little of the text): a new generation, the old one stays
renamed                 old path gone, and the log begins with what was read there and has no other id
read late               nothing: another process has read what is there now
gone meanwhile          nothing: the next scan calls it missing
unreadable              marked failed with its reason, also when no line holds a message; what was read before stays
erased before           nothing, whatever its name is now; of a message that was erased an empty row
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ultron_core.errors import SessionFileError
from ultron_core.models import LineLedger, SessionInfo
from ultron_core.sessions import PARSER_VERSION
from ultron_core.steps.erased.marks import Marks, Name, find_marks, log_names
from ultron_core.steps.files.continuity import Reading, adopt_renamed, common_prefix, is_rotation
from ultron_core.steps.files.hidden import without_erased
from ultron_core.steps.files.identity import IngestFile, partition_key
from ultron_core.steps.files.ledger import is_overtaken, note_source
from ultron_core.steps.files.parsed import Parsed, parse_snapshot
from ultron_core.steps.files.session_rows import free_partition_key, session_values, store_skips
from ultron_core.steps.files.snapshot import Snapshot, archive, take_snapshot
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.waiting.failures import ROW_FAULTS, describe_failure
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions
from ultron_core.store.tables.packed import Digests, MessageDigests
from ultron_core.store.tables.records import SessionRow

__all__ = ["FileResult", "Progress", "ingest_files", "note_failure"]

logger = logging.getLogger("ultron.ingest")

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class FileResult:
    """What became of one file. status: new, appended, changed, rotated, renamed, unchanged, missing, erased or
    failed."""

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
        return self.status not in ("failed", "missing")


def ingest_files(
    runtime: Runtime,
    files: Sequence[IngestFile],
    progress: Progress | None = None,
    *,
    again: bool = False,
    lift: bool = False,
) -> list[FileResult]:
    """Read each file once and store its messages. One bad file never stops the next. `again`: also unchanged ones;
    `lift`: also what was erased."""
    results = []
    for done, file in enumerate(files):

        def tell(count: int, name: str = file.session_file, done: int = done) -> None:
            if progress:
                progress(f"{name}, message {count}", done, len(files))

        try:
            results.append(_ingest_file(runtime, file, again or lift, lift, tell))
        except ROW_FAULTS as error:
            results.append(note_failure(runtime, file, describe_failure(runtime, error).reason))
        if progress:
            progress(file.session_file, done + 1, len(files))
    counts = Counter(result.status for result in results)
    logger.info("read %d file(s): %s", len(results), dict(counts))
    return results


def note_failure(runtime: Runtime, file: IngestFile, reason: str) -> FileResult:
    """Record that the file could not be read: it waits for its next try."""
    return _store_failure(runtime, file, None, reason)


def _ingest_file(
    runtime: Runtime, file: IngestFile, again: bool, lift: bool, tell: Callable[[int], None]
) -> FileResult:
    most = runtime.settings.sessions.ingest_max_bytes
    try:
        snapshot = take_snapshot(file.path, most)
    except SessionFileError as error:
        return _store_failure(runtime, file, None, str(error))
    except OSError as error:
        why = error.strerror or error
        reason = f"{file.path} cannot be read: {why}. Check that it exists and that you may read it."
        gone = _gone(runtime, file, reason) if isinstance(error, FileNotFoundError) else None
        return gone or _store_failure(runtime, file, None, reason)
    known = None if again else _known_unchanged(runtime, file, snapshot)
    if known is not None:
        return known
    try:
        session = parse_snapshot(snapshot, most, tell)
    except SessionFileError as error:
        return _store_failure(runtime, file, snapshot, str(error).replace("<bytes>", str(file.path)))
    refused = _refused(session.ledger)
    if refused and not session.messages:
        reason = f"{file.path} holds no message that Ultron can read: {refused}. See docs/formats.md."
        return _store_failure(runtime, file, snapshot, reason)
    reading = Reading(snapshot, session)
    return runtime.database.run(lambda conn: _store(runtime, conn, file, reading, lift))


def _refused(ledger: LineLedger) -> str:
    """Why lines were skipped that hold something, with their numbers; nothing when none were."""
    reasons = {name: n for name, n in ledger.skipped.items() if name not in ("blank", "nul_padding")}
    return ", ".join(f"{n} {'line' if n == 1 else 'lines'} {name}" for name, n in sorted(reasons.items()))


def _known_unchanged(runtime: Runtime, file: IngestFile, snapshot: Snapshot) -> FileResult | None:
    def look(conn: Connection) -> FileResult | None:
        row = sessions.latest(conn, runtime.account_id, file.agent_id, file.session_file)
        if row is None:
            marks = find_marks(runtime, conn)
            names = log_names(file.agent_id, file.session_file, None, snapshot.sha256)
            return _erased(runtime, marks, file, names) if marks else None
        if row.content_sha256 != snapshot.sha256 or row.parser_version != PARSER_VERSION:
            return None
        if row.status == "failed":
            return None
        sessions.mark_ok(conn, row.id, runtime.clock())
        note_source(runtime, conn, file, row.partition_key, snapshot)
        return _unchanged(file, row, snapshot)

    return runtime.database.run(look)


def _erased(runtime: Runtime, marks: Marks, file: IngestFile, names: list[Name]) -> FileResult | None:
    """The fate of a file that was erased, whatever its name was then; a look at the folder knows this one now."""
    if not marks.known(names):
        return None
    marks.remember(names[:1])
    key = partition_key(runtime, file.agent_id, file.session_file)
    return _result(file, key, "erased", None, 0, {}, "")


def _store(runtime: Runtime, conn: Connection, file: IngestFile, reading: Reading, lift: bool) -> FileResult:
    account, snapshot = runtime.account_id, reading.snapshot
    sessions.lock_file(conn, account, file.agent_id, file.session_file)
    row = sessions.latest(conn, account, file.agent_id, file.session_file, for_update=True)
    if row is not None and is_overtaken(runtime, conn, file, snapshot):
        return _unchanged(file, row, snapshot)
    status = "changed"
    if row is None:
        row = adopt_renamed(runtime, conn, file, reading)
        status = "renamed" if row else "new"
    if (marks := find_marks(runtime, conn)) is not None:
        names = log_names(file.agent_id, file.session_file, reading.log_id, snapshot.sha256)
        if lift:
            marks.lift([*names, *(("messages", *name) for name in names)])
        elif row is None and (erased := _erased(runtime, marks, file, names)):
            return erased
        reading = Reading(snapshot, without_erased(marks, names, reading.session))
    session = reading.session
    old = sessions.digests(conn, row.id) if row else MessageDigests()
    if row and is_rotation(conn, row, old.digests, reading):
        status = "rotated"
    key = row.partition_key if row else free_partition_key(runtime, conn, file)
    values = session_values(runtime, conn, file, snapshot, session, key)
    if row is None or status == "rotated":
        keep = 0
        generation = row.generation + 1 if row else 0
        session_id = sessions.insert(conn, {**values, "generation": generation})
    else:
        keep = common_prefix(old, reading)
        session_id = row.id
        sessions.update(conn, session_id, values)
        if status == "changed" and keep == len(old):
            status = "appended"
    owner = (session_id, account, file.agent_id)
    sessions.append_messages(conn, owner, session.messages, reading.digests, keep=keep)
    archive(runtime, conn, file, snapshot, keep=not session.hides)
    store_skips(runtime, conn, file, session_id, session)
    note_source(runtime, conn, file, key, snapshot)
    return _result(
        file, key, status, snapshot, len(session.messages), session.ledger.to_json(), session.info.format
    )


def _gone(runtime: Runtime, file: IngestFile, message: str) -> FileResult | None:
    """What is told of a file that was deleted between being found and being read; None when nothing was read before.
    What was goes on, and the next scan calls the file missing."""
    reason = runtime.redactor.redact_text(message).text

    def look(conn: Connection) -> FileResult | None:
        row = sessions.latest(conn, runtime.account_id, file.agent_id, file.session_file)
        if row is None or row.status == "failed":
            return None
        return replace(_result(file, row.partition_key, "missing", None, 0, {}, ""), error=reason)

    return runtime.database.run(look)


def _store_failure(runtime: Runtime, file: IngestFile, snapshot: Snapshot | None, message: str) -> FileResult:
    """Mark the file failed; a session that was read from it before keeps everything."""
    reason = runtime.redactor.redact_text(message).text

    def write(conn: Connection) -> FileResult:
        sessions.lock_file(conn, runtime.account_id, file.agent_id, file.session_file)
        row = sessions.latest(conn, runtime.account_id, file.agent_id, file.session_file, for_update=True)
        key = row.partition_key if row else free_partition_key(runtime, conn, file)
        sha256 = snapshot.sha256 if snapshot else (row.content_sha256 if row else "")
        if row is not None:
            sessions.mark_failed(conn, row.id, reason, sha256, runtime.clock())
        elif snapshot is not None:
            empty = Parsed((), Digests(), LineLedger(), SessionInfo(bytes=snapshot.size))
            values = session_values(runtime, conn, file, snapshot, empty, key)
            sessions.insert(conn, {**values, "generation": 0, "status": "failed", "error": reason})
        if snapshot is not None and (row is None or row.content_sha256 != sha256):
            archive(runtime, conn, file, snapshot)
        note_source(runtime, conn, file, key, snapshot, reason)
        return replace(_result(file, key, "failed", snapshot, 0, {}, ""), error=reason)

    return runtime.database.run(write)


def _unchanged(file: IngestFile, row: SessionRow, snapshot: Snapshot) -> FileResult:
    return _result(file, row.partition_key, "unchanged", snapshot, row.message_count, row.lines, row.format)


def _result(
    file: IngestFile,
    key: str,
    status: str,
    snapshot: Snapshot | None,
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
