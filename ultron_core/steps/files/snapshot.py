"""A file's bytes and facts at one moment, and their archive."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ultron_core.errors import SessionFileError
from ultron_core.sessions.lines.source import check_regular
from ultron_core.steps.files.bucket import BucketObject, read_object
from ultron_core.steps.files.identity import IngestFile, readable
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions

__all__ = ["FileFacts", "Snapshot", "archive", "take_snapshot"]


#: a log that is appended to all the time is taken as it is then: its next change is seen
_MORE_READS = 2


class FileFacts(NamedTuple):
    """What a file system says of a file: by this a change is noticed, and the file known under another name.

    A tuple, which is made in a third of the time: a look at the drop folder makes one of every file.
    """

    size: int
    mtime_ns: int
    #: of a bucket 0
    device: int
    #: of an object in a bucket a number made of its etag
    inode: int

    @classmethod
    def of(cls, seen: os.stat_result | BucketObject) -> FileFacts:
        if isinstance(seen, BucketObject):
            return cls(seen.size, seen.mtime_ns, 0, seen.number)
        return cls(seen.st_size, seen.st_mtime_ns, _signed(seen.st_dev), _signed(seen.st_ino))

    def is_as_in(self, row: Mapping[str, Any]) -> bool:
        """Whether the file is as the ledger saw it: size and time, in a bucket size and etag, since an object that is
        copied or uploaded again has a new time."""
        if self.device == 0:
            return (self.size, self.inode) == (row["size"], row["inode"])
        return (self.size, self.mtime_ns) == (row["size"], row["mtime_ns"])


def _signed(number: int) -> int:
    """As a bigint takes it: network file systems give numbers up to 2**64."""
    return number - 2**64 if number >= 2**63 else number


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file's bytes with what identifies them."""

    body: bytes
    sha256: str
    facts: FileFacts

    @property
    def size(self) -> int:
        return self.facts.size


def take_snapshot(path: Path | BucketObject, max_bytes: int = 0) -> Snapshot:
    """Read the file, again if it changed meanwhile; `max_bytes` 0 means no limit.

    Raises OSError, and SessionFileError for a device or a pipe and for a file over the limit.
    """
    if isinstance(path, BucketObject):
        body, seen = read_object(path, max_bytes)
        return Snapshot(body, hashlib.sha256(body).hexdigest(), FileFacts.of(seen)._replace(size=len(body)))
    snapshot, settled = _read(path, max_bytes)
    for _ in range(_MORE_READS):
        if settled:
            break
        try:
            snapshot, settled = _read(path, max_bytes)
        except (
            OSError,
            SessionFileError,
        ):  # gone, replaced, grown too long: the next scan says what it is now
            break
    return snapshot


def _read(path: Path, max_bytes: int) -> tuple[Snapshot, bool]:
    """The file as it is, and whether it stayed so: of one that is written over, half of each log may have been read."""
    check_regular(path.stat(), str(path))  # before it is opened: opening a device may do something
    with open(path, "rb", opener=_without_waiting) as handle:
        stat = os.fstat(handle.fileno())
        check_regular(stat, str(path))  # the file that was opened, should it be another one by now
        facts = FileFacts.of(stat)
        _check_size(path, facts.size, max_bytes)
        body = handle.read(max_bytes + 1 if max_bytes else -1)
        settled = FileFacts.of(os.fstat(handle.fileno())) == facts
    _check_size(path, len(body), max_bytes)
    # what was appended while it was read counts as read; the time from before lets the next scan look again
    return Snapshot(body, hashlib.sha256(body).hexdigest(), facts._replace(size=len(body))), settled


def _without_waiting(path: str, flags: int) -> int:
    """A pipe that nobody writes to blocks whoever opens it."""
    return os.open(path, flags | os.O_NONBLOCK)


def _check_size(path: Path, size: int, most: int) -> None:
    if most and size > most:
        raise SessionFileError(
            f"{path} holds {size:,} bytes, over the limit of {most:,}: split it, or raise ULTRON_INGEST_MAX_BYTES "
            "(0 means no limit)."
        )


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
