"""The ledger of source files: what was read when, what failed, and when to try again."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from ultron_core.steps.files.bucket import BucketObject, object_at
from ultron_core.steps.files.identity import IngestFile, private_path, storable
from ultron_core.steps.files.snapshot import FileFacts, Snapshot
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions

__all__ = ["is_overtaken", "note_source"]

#: a failed file is tried again after a minute, then after twice as long each time, at most every six hours
_RETRY_FIRST = timedelta(minutes=1)
_RETRY_MOST = timedelta(hours=6)


def note_source(
    runtime: Runtime,
    conn: Connection,
    file: IngestFile,
    key: str,
    snapshot: Snapshot | None,
    error: str | None = None,
) -> None:
    """Record that the file was read (or why it was not) with the facts by which a change is noticed."""
    now = runtime.clock()
    attempts = 0
    if error is not None:
        before = sessions.source_file_attempts(conn, runtime.account_id, file.agent_id, file.session_file)
        attempts = before + 1
    wait = min(_RETRY_FIRST * 2 ** min(max(attempts - 1, 0), 12), _RETRY_MOST)
    facts = _facts(file.path, snapshot)
    sessions.upsert_source_file(
        conn,
        {
            "account_id": runtime.account_id,
            "agent_id": file.agent_id,
            "session_file": file.session_file,
            "partition_key": key,
            "path": storable(str(file.path)),
            "private_path": private_path(file.path),
            "size": facts.size,
            "mtime_ns": facts.mtime_ns,
            "device": facts.device,
            "inode": facts.inode,
            "sha256": snapshot.sha256 if snapshot else None,
            "state": "failed" if error else "ingested",
            "attempts": attempts,
            "next_try": now + wait if error else None,
            "error": error,
            "now": now,
        },
    )


def is_overtaken(runtime: Runtime, conn: Connection, file: IngestFile, snapshot: Snapshot) -> bool:
    """Whether another process has read the file since: it saw a later state than this snapshot, the present one."""
    known = sessions.source_file_facts(conn, runtime.account_id, file.agent_id, file.session_file)
    seen = snapshot.facts
    if known is None or (known["mtime_ns"], known["size"]) <= (seen.mtime_ns, seen.size):
        return False
    try:
        now = FileFacts.of(
            object_at(file.path.url) if isinstance(file.path, BucketObject) else file.path.stat()
        )
    except OSError:
        return False  # gone meanwhile: what was read of it counts
    return now.is_as_in(known) and now != seen


def _facts(path: Path | BucketObject, snapshot: Snapshot | None) -> FileFacts:
    """What identifies the file; of an unreadable one, whatever can still be seen from outside."""
    if snapshot:
        return snapshot.facts
    if isinstance(path, BucketObject):
        return FileFacts.of(path)
    try:
        return FileFacts.of(path.stat())
    except (OSError, ValueError):
        return FileFacts(0, 0, 0, 0)
