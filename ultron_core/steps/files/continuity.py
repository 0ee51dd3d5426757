"""Whether new content continues a session that is known: under another name, rotated away, or grown."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from operator import eq

from ultron_core.models import Message
from ultron_core.steps.files.bucket import is_address, object_is_gone
from ultron_core.steps.files.identity import IngestFile
from ultron_core.steps.files.snapshot import Snapshot
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import sessions
from ultron_core.store.tables.packed import Digests, MessageDigests
from ultron_core.store.tables.records import SessionRow

__all__ = ["adopt_renamed", "common_prefix", "is_rotation"]

#: two contents are versions of one log when they share at least this part of the smaller one's text
_SHARED_LEAST = 0.2


def adopt_renamed(
    runtime: Runtime,
    conn: Connection,
    file: IngestFile,
    snapshot: Snapshot,
    messages: Iterable[Message],
    digests: Digests,
) -> SessionRow | None:
    """The session this file was under another name: its old path is gone, and the log is the same one.

    The same bytes, or the same inode on the same device with the same text: the number of a deleted file is given
    to the next one, and two logs of one harness share their first lines.
    """
    account, agent = runtime.account_id, file.agent_id
    candidates = sessions.rename_candidates(
        conn,
        account,
        agent,
        file.session_file,
        snapshot.sha256,
        (snapshot.facts.device, snapshot.facts.inode),
    )
    for row, path in candidates:
        if not _is_gone(path):
            continue
        if row.content_sha256 != snapshot.sha256:
            old = sessions.digests(conn, row.id).digests
            if not old or is_rotation(conn, row, old, messages, digests):
                continue
        # of two copies read at the same time only one was the file
        sessions.lock_file(conn, account, agent, row.session_file)
        now = sessions.latest(conn, account, agent, row.session_file, for_update=True)
        if now is None or now.id != row.id:
            continue
        sessions.rename(conn, row, file.session_file, runtime.clock())
        return replace(row, session_file=file.session_file)
    return None


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


def is_rotation(
    conn: Connection,
    row: SessionRow,
    old: Digests,
    messages: Iterable[Message],
    digests: Digests,
) -> bool:
    """Whether the path now holds another log: less than a fifth of the text is shared with the old one.

    Measured by size of text, because short phrases ("thanks", "ok") are in every log.
    """
    if not old or (digests and all(map(eq, old, digests))):
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


def common_prefix(old: MessageDigests, messages: Iterable[Message], digests: Digests) -> int:
    """How many stored messages stay exactly as they are, lines and thread included."""
    for position, (known, message, digest) in enumerate(zip(old, messages, digests, strict=False)):
        if known != (digest, message.thread, message.start_line, message.end_line):
            return position
    return min(len(old), len(digests))
