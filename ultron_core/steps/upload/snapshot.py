"""What an upload batch is compared with: read before the lock, and checked against later writes under it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from psycopg import Cursor

from ultron_core.memories import Body
from ultron_core.steps.rows import locks
from ultron_core.steps.rows.body import body_digest
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.compare import lowest
from ultron_core.steps.upload.records import Prepared
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as memory_store
from ultron_core.store.tables import uploads as store
from ultron_core.store.tables import verdicts
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["Known", "Snapshot", "holds", "lock_batch", "take_snapshot", "take_words"]


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that has, or was once given, the words of an upload."""

    memory_id: UUID
    archived: bool


@dataclass(frozen=True, slots=True)
class _Words:
    """What is looked up by equality: earlier requests by key, words by who gave them and by digest, and words that were
    judged junk with the memory that had them."""

    keys: Mapping[str, tuple[str, UUID]]
    given: Mapping[tuple[UUID, Body], Known]
    digests: Mapping[str, Known]
    junk: Mapping[str, UUID]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`near` holds what is near to each upload, by its position;
    `marks` the number of each type's latest vector: what has a higher one came later."""

    words: _Words
    near: Mapping[int, store.Neighbours]
    records: Mapping[UUID, MemoryRecord]
    marks: Mapping[str, int]
    #: whether the embedder is registered and has its index
    model_known: bool = True


def take_words(runtime: Runtime, prepared: Sequence[Prepared], conn: Connection) -> Snapshot:
    """What equal keys, sources and words tell, and nothing about near ones."""
    with conn.pipeline():
        asked = _ask_words(runtime, conn, prepared)
    words = _words(prepared, asked)
    return Snapshot(words, {}, _records(runtime, conn, words, {}), {})


def take_snapshot(runtime: Runtime, prepared: Sequence[Prepared], conn: Connection) -> Snapshot:
    """Read all that a plan needs; the number of statements does not depend on the size of the batch."""
    with conn.pipeline():  # sent at once, answered at once
        marks = store.send(conn, "marks", {**runtime.model_key, "types": _types(prepared)})
        known = locks.ask_model(runtime, conn)
        asked = _ask_words(runtime, conn, prepared)
    sizes = marks.fetchall()
    words = _words(prepared, asked)
    wanted = [
        (position, item.memory_type, item.vector)
        for position, item in enumerate(prepared)
        if item.vector is not None
    ]
    model = (runtime.embedder.model_id, runtime.embedder.dimension)
    documents = max((row["documents"] for row in sizes), default=0)
    near = store.nearest(conn, runtime.account_id, model, wanted, documents, lowest(runtime.thresholds))
    return Snapshot(
        words=words,
        near=near,
        records=_records(runtime, conn, words, near),
        marks={row["memory_type"]: row["mark"] for row in sizes},
        model_known=bool(known.fetchall()),
    )


def lock_batch(runtime: Runtime, conn: Connection, prepared: Sequence[Prepared]) -> None:
    """From here on nobody else writes what equals or is near to one of these, until the transaction ends."""
    locks.lock_uploads(runtime, conn, _types(prepared), [item.key for item in prepared])


def holds(
    runtime: Runtime,
    conn: Connection,
    prepared: Sequence[Prepared],
    snapshot: Snapshot,
    touched: Iterable[UUID],
) -> bool:
    """Take the locks of all types and keys, then say whether a plan made from the snapshot is still right.

    It is unless the same request or words came since, a memory that the plan touches changed, or a vector
    was written since that is near to one of ours.
    """
    wanted = sorted(set(touched) & snapshot.records.keys())
    marks = {"types": list(snapshot.marks), "marks": list(snapshot.marks.values())}
    with conn.pipeline():
        lock_batch(runtime, conn, prepared)
        asked = _ask_words(runtime, conn, prepared)
        newer = store.send(conn, "newer", {**runtime.model_key, **marks})
        present = memory_store.send_by_ids(conn, runtime.account_id, wanted) if wanted else ()
    now = {record.id: record for record in map(MemoryRecord.from_row, present)}
    return (
        _words(prepared, asked) == snapshot.words
        and not _any_near(runtime, prepared, newer.fetchall())
        and all(i in now and _same(now[i], snapshot.records[i]) for i in wanted)
    )


def _types(prepared: Sequence[Prepared]) -> list[str]:
    return sorted({item.memory_type for item in prepared})


def _same(now: MemoryRecord, seen: MemoryRecord) -> bool:
    names = (
        "memory_type",
        "content",
        "context",
        "resolution",
        "tags",
        "status",
        "archive_reason",
        "trust",
        "proof",
        "probability",
        "cure",
    )
    return all(getattr(now, name) == getattr(seen, name) for name in names)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Cursors of what was sent; None where there is nothing to ask."""

    keys: Cursor[dict[str, Any]] | None
    given: Cursor[dict[str, Any]] | None
    digests: Cursor[dict[str, Any]]
    junk: Cursor[dict[str, Any]]


def _ask_words(runtime: Runtime, conn: Connection, prepared: Sequence[Prepared]) -> _Asked:
    account = runtime.account
    keys = sorted({item.key for item in prepared if item.key})
    givers = sorted({giver for item in prepared for giver in item.givers})
    same = {
        "types": _types(prepared),
        "digests": sorted({item.digest for item in prepared}),
        "md5s": sorted({_md5(item.body.content) for item in prepared}),
    }
    return _Asked(
        store.send(conn, "known_keys", {**account, "keys": keys}) if keys else None,
        store.send(conn, "same_sources", {**account, "given_by": givers}) if givers else None,
        store.send(conn, "same_words", {**account, **same}),
        verdicts.send(conn, "junk_words", {**account, "words": sorted({item.words for item in prepared})}),
    )


def _words(prepared: Sequence[Prepared], asked: _Asked) -> _Words:
    given: dict[tuple[UUID, Body], Known] = {}
    for row in asked.given or ():
        body = Body(row["content"], row["context"], row["resolution"])
        given.setdefault((row["given_by"], body), Known(row["memory_id"], row["status"] == "archived"))
    keys = {row["key"]: (row["request_hash"], row["memory_id"]) for row in asked.keys or ()}
    junk = {row["words_sha256"]: row["memory_id"] for row in asked.junk}
    return _Words(keys, given, _digests(prepared, asked.digests.fetchall()), junk)


def _digests(prepared: Sequence[Prepared], rows: Sequence[dict[str, Any]]) -> dict[str, Known]:
    """Present words come before words that a memory was only given once, archived memories last."""
    wanted = {item.digest for item in prepared}
    digests: dict[str, Known] = {}
    for row in rows:
        body = Body(row["content"] or "", row["context"] or "", row["resolution"] or "")
        digest = row["digest"] or body_digest(row["memory_type"], body)
        if digest in wanted:
            digests.setdefault(digest, Known(row["id"], row["status"] == "archived"))
    return digests


def _md5(text: str) -> str:
    """As Postgres computes it for the index on contributions; no secret depends on it."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _records(
    runtime: Runtime,
    conn: Connection,
    words: _Words,
    near: Mapping[int, store.Neighbours],
) -> dict[UUID, MemoryRecord]:
    limit = lowest(runtime.thresholds)
    ids = {memory_id for one in near.values() for memory_id, score in one.same if score >= limit}
    ids |= {known.memory_id for known in (*words.given.values(), *words.digests.values())}
    ids |= set(words.junk.values())
    records = memory_store.by_ids(conn, runtime.account_id, sorted(ids)) if ids else []
    return {record.id: record for record in records}


def _any_near(runtime: Runtime, prepared: Sequence[Prepared], newcomers: Sequence[dict[str, Any]]) -> bool:
    limit = lowest(runtime.thresholds)
    for memory_type in {row["memory_type"] for row in newcomers}:
        theirs = np.stack([row["exact"].to_numpy() for row in newcomers if row["memory_type"] == memory_type])
        ours = [p.vector for p in prepared if p.memory_type == memory_type and p.vector is not None]
        if ours and bool((np.stack(ours) @ theirs.T >= limit).any()):
            return True
    return False
