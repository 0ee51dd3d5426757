"""Repository of sessions, their messages and raw bytes. Every function runs in the caller's transaction."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import errors
from psycopg.rows import tuple_row
from psycopg.types.json import Jsonb

from ultron_core.models import Drop, Message
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import drops
from ultron_core.store.tables.packed import MessageDigests
from ultron_core.store.tables.records import SessionRow, message_from_row

__all__ = [
    "Archived",
    "append_messages",
    "archive_bytes",
    "digests",
    "fetch",
    "insert",
    "latest",
    "load_messages",
    "load_sessions",
    "load_thread",
    "lock_file",
    "mark_failed",
    "mark_missing",
    "mark_ok",
    "messages_at",
    "partition_key_owner",
    "places_of",
    "rename",
    "rename_candidates",
    "run",
    "source_file_attempts",
    "source_file_facts",
    "source_file_states",
    "source_files",
    "system_prompt",
    "to_segment",
    "update",
    "upsert_source_file",
]

_SQL = NamedQueries("log/sessions")
run, fetch = _SQL.run, _SQL.fetch
_FILES = NamedQueries("log/source_files")

#: messages that one statement writes
_COPIED = 10_000


@dataclass(frozen=True, slots=True)
class Archived:
    """A recorded upload, and whether its bytes were kept."""

    id: UUID
    stored: bool


def lock_file(conn: Connection, account_id: str, agent_id: str, session_file: str) -> None:
    """Wait until no other transaction writes this file; held to the end of the transaction."""
    conn.execute(
        _SQL["lock_file"], {"account_id": account_id, "agent_id": agent_id, "session_file": session_file}
    )


def latest(
    conn: Connection, account_id: str, agent_id: str, session_file: str, *, for_update: bool = False
) -> SessionRow | None:
    """The newest generation of a file, or None."""
    query = _SQL["latest_for_update" if for_update else "latest"]
    row = conn.execute(
        query, {"account_id": account_id, "agent_id": agent_id, "session_file": session_file}
    ).fetchone()
    return SessionRow.from_row(row) if row else None


def insert(conn: Connection, values: Mapping[str, Any]) -> UUID:
    """A new session row; returns its id."""
    session_id = uuid4()
    conn.execute(_SQL["insert"], {**_as_columns(values), "id": session_id})
    return session_id


def update(conn: Connection, session_id: UUID, values: Mapping[str, Any]) -> None:
    """Other bytes for a known session."""
    conn.execute(_SQL["update"], {**_as_columns(values), "id": session_id})


def _as_columns(values: Mapping[str, Any]) -> dict[str, Any]:
    return {**values, "tools": Jsonb(list(values["tools"])), "lines": Jsonb(values["lines"])}


def mark_failed(conn: Connection, session_id: UUID, error: str, sha256: str, now: datetime) -> None:
    conn.execute(
        _SQL["mark_failed"], {"id": session_id, "error": error, "content_sha256": sha256, "now": now}
    )


def mark_ok(conn: Connection, session_id: UUID, now: datetime) -> bool:
    """True if the row had another status before."""
    return _SQL.run(conn, "mark_ok", {"id": session_id, "now": now}) > 0


def rename_candidates(
    conn: Connection,
    account_id: str,
    agent_id: str,
    session_file: str,
    sha256: str,
    file_id: tuple[int, int],
    log_id: str | None,
) -> list[tuple[SessionRow, bytes]]:
    """Sessions that may be this file under an earlier name, each with the private path it was read from.

    `file_id` is the file's device and inode, `log_id` the hash of the id that the log gives itself.
    """
    rows = _SQL.fetch(
        conn,
        "rename_candidates",
        {
            "account_id": account_id,
            "agent_id": agent_id,
            "session_file": session_file,
            "content_sha256": sha256,
            "device": file_id[0],
            "inode": file_id[1],
            "log_id": log_id,
        },
    )
    return [(SessionRow.from_row(row), row["private_path"]) for row in rows]


def rename(conn: Connection, old: SessionRow, new_file: str, now: datetime) -> None:
    """Give a log its new name; ids, segments, labels and memories stay."""
    params = {
        "account_id": old.account_id,
        "agent_id": old.agent_id,
        "old_file": old.session_file,
        "new_file": new_file,
        "now": now,
    }
    conn.execute(_SQL["rename"], params)
    conn.execute(_FILES["rename"], params)


def partition_key_owner(conn: Connection, account_id: str, partition_key: str) -> tuple[str, str] | None:
    """(agent_id, session_file) that holds the key."""
    row = _SQL.fetch_one(
        conn, "partition_key_owner", {"account_id": account_id, "partition_key": partition_key}
    )
    return (row["agent_id"], row["session_file"]) if row else None


def digests(conn: Connection, session_id: UUID) -> MessageDigests:
    """Fingerprints and places of the stored messages, in order."""
    found = MessageDigests()
    with conn.cursor(row_factory=tuple_row) as cursor:
        for row in cursor.stream(_SQL["digests"], {"session_id": session_id}):
            found.append(*row)
    return found


def append_messages(
    conn: Connection,
    session: tuple[UUID, str, str],
    messages: Iterable[Message],
    message_digests: Iterable[str],
    *,
    keep: int = 0,
) -> None:
    """Replace everything from position `keep` on; `session` is (id, account_id, agent_id)."""
    conn.execute(_SQL["delete_messages_from"], {"session_id": session[0], "seq": keep})
    rows = islice(enumerate(zip(messages, message_digests, strict=True)), keep, None)
    # a long log is written in several statements: each has its time
    while piece := list(islice(rows, _COPIED)):
        with conn.cursor().copy(_SQL["copy_messages"]) as copy:
            for seq, (message, digest) in piece:
                copy.write_row(_message_row(session, seq, message, digest))


def _message_row(session: tuple[UUID, str, str], seq: int, m: Message, digest: str) -> tuple[Any, ...]:
    session_id, account_id, agent_id = session
    calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in m.tool_calls]
    return (
        session_id,
        seq,
        account_id,
        agent_id,
        m.thread,
        m.start_line,
        m.end_line,
        m.role,
        m.origin,
        m.content,
        Jsonb(calls) if calls else None,
        m.tool_call_id,
        m.name,
        m.is_error,
        m.reasoning,
        Jsonb([dict(p) for p in m.parts]) if m.parts else None,
        m.model,
        Jsonb(dict(m.usage)) if m.usage else None,
        m.timestamp,
        m.uuid,
        digest,
    )


def load_messages(conn: Connection, account_id: str, session_id: UUID) -> list[Message]:
    """All messages of a session in file order."""
    return load_sessions(conn, account_id, [session_id])[session_id]


def load_sessions(conn: Connection, account_id: str, ids: Sequence[UUID]) -> dict[UUID, list[Message]]:
    """All messages of some sessions, each in file order."""
    found: dict[UUID, list[Message]] = {session_id: [] for session_id in ids}
    for row in conn.execute(_SQL["messages"], {"ids": list(ids), "account_id": account_id}):
        found[row["session_id"]].append(message_from_row(row))
    return found


def system_prompt(conn: Connection, account_id: str, session_id: UUID, thread: str) -> str:
    """What the agent of a thread was told before anything else; empty when the log does not say."""
    params = {"session_id": session_id, "account_id": account_id, "thread": thread}
    row = _SQL.fetch_one(conn, "system_prompt", params)
    return str(row["content"]) if row else ""


def load_thread(
    conn: Connection,
    account_id: str,
    session_id: UUID,
    thread: str,
    *,
    seq: int | None,
    position: int,
    most: int,
) -> list[Message]:
    """At most so many messages of one thread, from the one on that is `seq` in its session; where that is None, from
    the one at `position` of the thread on."""
    where = {"session_id": session_id, "account_id": account_id, "thread": thread}
    rows = conn.execute(_SQL["thread_messages"], {**where, "seq": seq, "position": position, "most": most})
    return [message_from_row(row) for row in rows]


def places_of(conn: Connection, account_id: str, session_id: UUID) -> dict[str, array[int]]:
    """Where the messages of each thread stand in a session, threads in the order in which they begin."""
    found: dict[str, array[int]] = {}
    with conn.cursor(row_factory=tuple_row) as cursor:
        for seq, thread in cursor.stream(
            _SQL["places"], {"session_id": session_id, "account_id": account_id}
        ):
            found.setdefault(thread, array("i")).append(seq)
    return found


def messages_at(
    conn: Connection, account_id: str, session_id: UUID, seqs: Sequence[int]
) -> list[tuple[int, Message]]:
    """These messages of a session, each with its place, in file order."""
    params = {"session_id": session_id, "account_id": account_id, "seqs": list(seqs)}
    return [(row["seq"], message_from_row(row)) for row in conn.execute(_SQL["messages_at"], params)]


def to_segment(conn: Connection, params: Mapping[str, Any]) -> list[SessionRow]:
    """Sessions that wait to be segmented; see the query for the parameters."""
    return [SessionRow.from_row(row) for row in conn.execute(_SQL["to_segment"], dict(params))]


def archive_bytes(
    conn: Connection,
    body: bytes | None,
    values: Mapping[str, Any],
) -> Archived:
    """Record one upload; `body` None means that the bytes are over the limit and only recorded.

    Bytes that cannot be stored do not stop the ingest: the upload is recorded without them, and a drop says why. One
    without its bytes cannot wait for a later try: what should be `pending` is `failed` until it is done.
    `values`: account_id, agent_id, kind, session_file, path, sha256, bytes, status, now.
    """
    upload_id = uuid4()
    problem = "" if body is None else _store_bytes(conn, body, values)
    stored = body is not None and not problem
    status = "failed" if values["status"] == "pending" and not stored else values["status"]
    conn.execute(_SQL["insert_upload"], {**values, "id": upload_id, "stored": stored, "status": status})
    if problem:
        owner = (values["account_id"], values["agent_id"])
        lost = (Drop("archive", "bytes_not_stored", problem), None, None)
        drops.replace_of_text(conn, owner, upload_id, "archive", [lost], values["now"])
    return Archived(upload_id, stored)


def _store_bytes(conn: Connection, body: bytes, values: Mapping[str, Any]) -> str:
    """Why the bytes could not be stored, else empty. What a repeated transaction may mend goes up."""
    try:
        with conn.transaction():
            conn.execute(_SQL["insert_blob"], {**values, "body": zlib.compress(body, 6)})
    except (errors.SerializationFailure, errors.DeadlockDetected):
        raise
    except psycopg.Error as error:
        if conn.broken:
            raise
        return f"{type(error).__name__}: {error.diag.message_primary or ''}"
    return ""


def source_files(conn: Connection, account_id: str) -> list[dict[str, Any]]:
    """The drop-folder ledger: where each file was read from."""
    return _FILES.fetch(conn, "places", {"account_id": account_id})


def source_file_states(conn: Connection, account_id: str) -> list[dict[str, Any]]:
    """The drop-folder ledger: how each file was when it was read last, and what became of it."""
    return _FILES.fetch(conn, "states", {"account_id": account_id})


def upsert_source_file(conn: Connection, values: Mapping[str, Any]) -> None:
    """What was seen of a file; writes nothing when nothing differs."""
    conn.execute(_FILES["upsert"], dict(values))


def source_file_attempts(conn: Connection, account_id: str, agent_id: str, session_file: str) -> int:
    """How often reading this file has failed in a row."""
    row = _FILES.fetch_one(
        conn, "attempts", {"account_id": account_id, "agent_id": agent_id, "session_file": session_file}
    )
    return int(row["attempts"]) if row else 0


def source_file_facts(
    conn: Connection, account_id: str, agent_id: str, session_file: str
) -> dict[str, Any] | None:
    """Size, time, device and inode of a file when it was read last."""
    return _FILES.fetch_one(
        conn, "facts", {"account_id": account_id, "agent_id": agent_id, "session_file": session_file}
    )


def mark_missing(
    conn: Connection, account_id: str, agent_id: str, session_files: Iterable[str], now: datetime
) -> None:
    """Files that are gone from the drop folder; their rows and memories stay."""
    params = {
        "account_id": account_id,
        "agent_id": agent_id,
        "session_files": list(session_files),
        "now": now,
    }
    conn.execute(_FILES["mark_missing"], params)
    conn.execute(_SQL["mark_source_missing"], params)
