"""A file's bytes and facts at one moment, and their archive."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ultron_core.steps.files.identity import IngestFile, readable
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions

__all__ = ["Snapshot", "archive", "take_snapshot"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file's bytes with what identifies them."""

    body: bytes
    sha256: str
    size: int
    mtime_ns: int
    inode: int


def take_snapshot(path: Path) -> Snapshot:
    """Read the file once. Raises OSError."""
    with path.open("rb") as handle:
        stat = path.stat()
        body = handle.read()
    return Snapshot(body, hashlib.sha256(body).hexdigest(), len(body), stat.st_mtime_ns, stat.st_ino)


def archive(runtime: Runtime, conn: Connection, file: IngestFile, snapshot: Snapshot) -> None:
    """Record the upload and keep its bytes; of a file over the size limit only the record is kept."""
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
