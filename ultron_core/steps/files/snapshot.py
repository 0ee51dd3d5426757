"""A file's bytes and facts at one moment, and their archive."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from ultron_core.errors import SessionFileError
from ultron_core.sessions.lines.source import check_regular
from ultron_core.steps.files.bucket import BucketObject, read_object
from ultron_core.steps.files.identity import IngestFile, readable
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions

__all__ = ["FileFacts", "Snapshot", "archive", "take_snapshot"]


#: bytes of a file that are held in memory; those of a longer one lie in a file without a name, which goes by itself
_HELD = 10_000_000
#: bytes of a longer one that are copied at once
_BLOCK = 1 << 20
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
    """A file's bytes with what identifies them; of more than _HELD bytes a copy that is opened when it is read."""

    content: bytes | Callable[[], BinaryIO]
    sha256: str
    facts: FileFacts

    @property
    def body(self) -> bytes:
        """All bytes at once."""
        if isinstance(self.content, bytes):
            return self.content
        with self.content() as file:
            return file.read()

    @property
    def size(self) -> int:
        return self.facts.size

    def sha256_of_first(self, size: int) -> str:
        """The hash of so many bytes from the beginning, block by block."""
        hashed = hashlib.sha256()
        with io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content() as file:
            while block := file.read(min(_BLOCK, size)):
                hashed.update(block)
                size -= len(block)
        return hashed.hexdigest()


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
        content, sha256, size = _copied(handle, max_bytes + 1 if max_bytes else sys.maxsize)
        settled = FileFacts.of(os.fstat(handle.fileno())) == facts
    _check_size(path, size, max_bytes)
    # what was appended while it was read counts as read; the time from before lets the next scan look again
    return Snapshot(content, sha256, facts._replace(size=size)), settled


def _copied(handle: BinaryIO, most: int) -> tuple[bytes | Callable[[], BinaryIO], str, int]:
    """At most so many bytes of a file as nobody else can change them, their hash, and how many they are."""
    body = handle.read(min(most, _HELD + 1))
    if len(body) <= _HELD:
        return body, hashlib.sha256(body).hexdigest(), len(body)
    copy = tempfile.TemporaryFile(prefix="ultron-")  # noqa: SIM115 - it goes with the last who reads it
    hashed, size, block = hashlib.sha256(), 0, body
    del body
    while block:
        hashed.update(block)
        copy.write(block)
        size += len(block)
        block = handle.read(min(_BLOCK, most - size))
    copy.flush()
    return partial(_opened, copy), hashed.hexdigest(), size


def _opened(copy: BinaryIO) -> BinaryIO:
    """The file from its beginning, whoever else is reading it."""
    return cast("BinaryIO", io.BufferedReader(_Reader(copy), 1 << 18))


class _Reader(io.RawIOBase):
    """Reads a file that others read, too, at a place of its own."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._at = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        size = os.fstat(self._file.fileno()).st_size
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: size}[whence]
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        read = os.pread(self._file.fileno(), len(buffer), self._at)
        buffer[: len(read)] = read
        self._at += len(read)
        return len(read)


def _without_waiting(path: str, flags: int) -> int:
    """A pipe that nobody writes to blocks whoever opens it."""
    return os.open(path, flags | os.O_NONBLOCK)


def _check_size(path: Path, size: int, most: int) -> None:
    if most and size > most:
        raise SessionFileError(
            f"{path} holds {size:,} bytes, over the limit of {most:,}: split it, or raise ULTRON_INGEST_MAX_BYTES "
            "(0 means no limit)."
        )


def archive(
    runtime: Runtime, conn: Connection, file: IngestFile, snapshot: Snapshot, *, keep: bool = True
) -> None:
    """Record the upload and `keep` its bytes; of a file over the size limit only the record is kept."""
    keep = keep and snapshot.size <= runtime.settings.sessions.archive_max_bytes
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
