"""Whether new content continues a session that is known: under another name, rotated away, or grown.

A path, an inode or an etag is a hint. What decides is the id that the log gives itself, and then the text: what would
drop something that was read without being a version of it begins a session or a generation of its own.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from operator import eq

from ultron_core.steps.files.bucket import is_address, object_is_gone
from ultron_core.steps.files.identity import IngestFile, log_id
from ultron_core.steps.files.parsed import Parsed
from ultron_core.steps.files.snapshot import Snapshot
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions
from ultron_core.store.tables.packed import Digests, MessageDigests
from ultron_core.store.tables.records import SessionRow

__all__ = ["Reading", "adopt_renamed", "common_prefix", "is_rotation"]

#: two contents of one id are versions of one log when they share at least this part of the smaller one's text
_SHARED_LEAST = 0.2
#: without an id an edit keeps at least this part of what was read: logs of one project share their first turns.
#: Set by hand.
_KEPT_LEAST = 0.5


@dataclass(frozen=True)
class Reading:
    """A file as it was read just now."""

    snapshot: Snapshot
    session: Parsed

    @property
    def digests(self) -> Digests:
        return self.session.digests

    @cached_property
    def log_id(self) -> str | None:
        return log_id(self.session.info)

    def begins_with(self, row: SessionRow, old: Digests) -> bool:
        """Whether all that was read before is still where it was: byte by byte, or, where a log is packed or written
        anew as a whole, message by message."""
        grown = row.status != "failed" and row.bytes <= self.snapshot.size
        if grown and self.snapshot.sha256_of_first(row.bytes) == row.content_sha256:
            return True
        return len(old) <= len(self.digests) and all(map(eq, old, self.digests))


def adopt_renamed(
    runtime: Runtime, conn: Connection, file: IngestFile, reading: Reading
) -> SessionRow | None:
    """The session this file was under another name: its old path is gone, no other id speaks against it, and the log
    begins with what was read there. A session whose file is gone and that is not this one is `source_missing`."""
    account, agent, snapshot = runtime.account_id, file.agent_id, reading.snapshot
    facts = (snapshot.facts.device, snapshot.facts.inode)
    candidates = sessions.rename_candidates(
        conn, account, agent, file.session_file, snapshot.sha256, facts, reading.log_id
    )
    for row, path in candidates:
        if not _is_gone(path):
            continue
        if not _continues(conn, row, reading):
            sessions.mark_missing(conn, account, agent, [row.session_file], runtime.clock())
            continue
        # of two copies read at the same time only one was the file
        sessions.lock_file(conn, account, agent, row.session_file)
        now = sessions.latest(conn, account, agent, row.session_file, for_update=True)
        if now is None or now.id != row.id:
            continue
        sessions.rename(conn, row, file.session_file, runtime.clock())
        return replace(row, session_file=file.session_file)
    return None


def _continues(conn: Connection, row: SessionRow, reading: Reading) -> bool:
    if row.status != "failed" and row.content_sha256 == reading.snapshot.sha256:
        return True
    if _another_id(row, reading):
        return False
    old = sessions.digests(conn, row.id).digests
    return len(old) > 0 and reading.begins_with(row, old)


def _another_id(row: SessionRow, reading: Reading) -> bool:
    return None not in (row.log_id, reading.log_id) and row.log_id != reading.log_id


def _is_gone(path: bytes) -> bool:
    """Whether nothing has this path any more. A folder that may not be read proves nothing."""
    if is_address(address := os.fsdecode(path)):
        return object_is_gone(address)
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def is_rotation(conn: Connection, row: SessionRow, old: Digests, reading: Reading) -> bool:
    """Whether the path now holds another log: of another id, or, as it is neither grown nor cut short, with too little
    of the old text.

    Measured by size of text, because short phrases ("thanks", "ok") are in every log.
    """
    if not old or reading.begins_with(row, old):
        return False
    if _another_id(row, reading):
        return True
    before = Counter[str]()
    for known in sessions.fetch(conn, "sizes", {"session_id": row.id}):
        before[known["digest"]] += known["size"]
    after = _sizes(reading)
    if not after:
        return True  # the prompt of a harness alone is what every log begins with
    shared = (before & after).total()
    if shared == after.total():
        return False  # cut short: nothing was added
    if row.log_id and reading.log_id:
        return shared < _SHARED_LEAST * min(before.total(), after.total())
    return shared < _KEPT_LEAST * before.total()


def _sizes(reading: Reading) -> Counter[str]:
    """How much each message says; see the query `sizes`."""
    sizes = Counter[str]()
    for message, digest in zip(reading.session.messages, reading.digests, strict=True):
        if message.role != "system":
            sizes[digest] += len(message.content) + sum(len(str(c.arguments)) for c in message.tool_calls)
    return +sizes


def common_prefix(old: MessageDigests, reading: Reading) -> int:
    """How many stored messages stay exactly as they are, lines and thread included."""
    messages = reading.session.messages
    for position, (known, message, digest) in enumerate(zip(old, messages, reading.digests, strict=False)):
        if known != (digest, message.thread, message.start_line, message.end_line):
            return position
    return min(len(old), len(reading.digests))
