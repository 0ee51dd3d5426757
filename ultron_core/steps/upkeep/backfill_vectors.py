"""Vectors of memories that were stored while the embedder was down, then their duplicates and clusters.

A batch is embedded while nothing is locked, then written in one transaction with a constant number of statements. A
memory that is near to another may have to be merged, which changes bodies and may ask the embedder again: it ends
the batch, is handled by itself, and the rest follows, so that every decision is the one that memories handled one
by one would get. Each transaction is complete: killed at any time, the next call does the remaining rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from ultron_core.embeddings.checked import embed_taken
from ultron_core.embeddings.protocol import Thresholds
from ultron_core.errors import EmbeddingError
from ultron_core.memories import Body, cure_of_merge, merge_tags
from ultron_core.steps.clusters.members import Joining, place
from ultron_core.steps.rows import locks, origins, status
from ultron_core.steps.rows import memories as memory_rows
from ultron_core.steps.rows.body import backing_of, body_of, embedded_text
from ultron_core.steps.rows.embedded import Embedded, run_embedded
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload import compare
from ultron_core.steps.upload.judge import Judge
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables import uploads as upload_store
from ultron_core.store.tables.memories import MemoryRecord, add_hits
from ultron_core.store.tables.uploads import Floats

__all__ = ["Progress", "fill_vectors"]

#: called after each transaction with the number of memories done so far
Progress = Callable[[int], None]
#: memories embedded at once
_BATCH = 200
#: after a merge fewer are looked up at once: the next one may be near
_LEAST = 16
#: by how much a cosine made here may differ from the database's
_ROUNDING = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class _Late:
    """A memory as it was when it was embedded."""

    id: UUID
    memory_type: str
    body: Body
    vector: Floats

    def is_still(self, record: MemoryRecord) -> bool:
        words = (record.memory_type, body_of(record))
        return words == (self.memory_type, self.body) and record.status != "archived"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What late memories are compared with: those of them that are as they were when they were embedded, by position
    the stored ones near to each, and the records of all."""

    late: Sequence[_Late]
    near: Mapping[int, Sequence[compare.Near]]
    records: Mapping[UUID, MemoryRecord]


def fill_vectors(runtime: Runtime, progress: Progress | None = None) -> int:
    """Number of memories done; stops quietly while the embedder is down.

    A text that the embedder refuses is counted on its own row, as often as a row is tried at all, until its words or
    the model change; the others of its batch pass.
    """
    judge = Judge(runtime)
    done = 0
    refused: list[UUID] = []
    while rows := _without_vector(runtime, refused):
        bodies = [Body(r["content"], r["context"], r["resolution"]) for r in rows]
        types = [r["memory_type"] for r in rows]
        try:
            vectors = embed_taken(runtime.embedder, list(map(embedded_text, types, bodies)))
        except EmbeddingError:
            return done
        late = [
            _Late(row["id"], memory_type, body, vector)
            for row, memory_type, body, vector in zip(rows, types, bodies, vectors, strict=True)
            if vector is not None
        ]
        refused += memory_rows.note_refused(runtime, [row["id"] for row in rows], vectors)
        done = _fill(runtime, judge, late, done, progress or (lambda _: None))
    return done


def _without_vector(runtime: Runtime, tried: Sequence[UUID]) -> list[dict[str, Any]]:
    own = {"max_attempts": runtime.settings.segments.max_attempts, "tried": list(tried), "limit": _BATCH}
    with runtime.database.transaction() as conn:
        return store.fetch(conn, "without_vector", {**runtime.model_key, **own})


def _fill(runtime: Runtime, judge: Judge, late: Sequence[_Late], done: int, progress: Progress) -> int:
    size = len(late)
    while late:
        _ask(runtime, judge, late[:size])
        taken = runtime.database.run(partial(_fill_many, runtime, judge, late[:size]))
        if taken < min(size, len(late)):
            run_embedded(runtime, partial(_fill_one, runtime, judge, late[taken]))
            size, taken = max(_LEAST, 2 * taken), taken + 1
        else:
            size = len(late)
        done, late = done + taken, late[taken:]
        progress(done)
    return done


def _ask(runtime: Runtime, judge: Judge, late: Sequence[_Late]) -> None:
    """With a model: let it answer what the comparison will ask, while nothing is locked."""
    if runtime.llm is not None:
        seen = runtime.database.run(partial(_look, runtime, late))
        judge.may_ask = True
        _verdicts(runtime, judge, seen)
        judge.may_ask = False


def _fill_many(runtime: Runtime, judge: Judge, late: Sequence[_Late], conn: Connection) -> int:
    """How many, from the first on, were done: those before the first that may have to be merged."""
    _lock(runtime, conn, {one.memory_type for one in late})
    seen = _look(runtime, late, conn)
    verdicts = _verdicts(runtime, judge, seen)
    free = len(verdicts) - (1 if verdicts and verdicts[-1].merges else 0)
    _write(runtime, conn, seen, verdicts[:free])
    return late.index(seen.late[free]) if free < len(seen.late) else len(late)


def _lock(runtime: Runtime, conn: Connection, types: Iterable[str]) -> None:
    locks.lock_memories(runtime, conn, types)
    locks.register_model(runtime, conn)


def _look(runtime: Runtime, late: Sequence[_Late], conn: Connection) -> _Seen:
    own = {r.id: r for r in store.by_ids(conn, runtime.account_id, [one.id for one in late])}
    # deleted, archived or changed meanwhile: then the next round sees it as it is now
    present = [one for one in late if one.id in own and one.is_still(own[one.id])]
    if not present:
        return _Seen((), {}, {})
    types = sorted({one.memory_type for one in present})
    documents = upload_store.fetch(conn, "marks", {**runtime.model_key, "types": types})[0]["documents"]
    model = (runtime.embedder.model_id, runtime.embedder.dimension)
    wanted = [(position, one.memory_type, one.vector) for position, one in enumerate(present)]
    limit = compare.lowest(runtime.thresholds)
    found = upload_store.nearest(conn, runtime.account_id, model, wanted, documents, limit)
    # another process may have given it its vector just now: it is not near to itself
    near = {p: [n for n in one.same if n[1] >= limit and n[0] != present[p].id] for p, one in found.items()}
    others = sorted({memory_id for ones in near.values() for memory_id, _ in ones} - own.keys())
    stored = store.by_ids(conn, runtime.account_id, others) if others else []
    return _Seen(present, near, own | {record.id: record for record in stored})


def _verdicts(runtime: Runtime, judge: Judge, seen: _Seen) -> list[compare.Verdict]:
    """In order, up to the first that merges: what comes after it has to be compared again."""
    # rounding: a pair of the batch just below the limit is looked at again by the exact rule
    limits = replace(runtime.thresholds, merge=runtime.thresholds.merge - _ROUNDING)
    cosines = np.zeros((0, 0)) if not seen.late else _cosines([one.vector for one in seen.late])
    least = compare.lowest(limits) - _ROUNDING
    verdicts: list[compare.Verdict] = []
    for position, one in enumerate(seen.late):
        near = list(seen.near[position])
        for earlier, other in enumerate(seen.late[:position]):
            if other.memory_type == one.memory_type and cosines[position, earlier] >= least:
                near.append((other.id, float(cosines[position, earlier])))
        verdicts.append(_verdict(seen, one, near, limits, judge))
        if verdicts[-1].merges:
            break
    return verdicts


def _cosines(vectors: Sequence[Floats]) -> Floats:
    rows = np.stack(vectors)
    return rows @ rows.T


def _verdict(
    seen: _Seen, one: _Late, near: Iterable[compare.Near], limits: Thresholds, judge: Judge
) -> compare.Verdict:
    def text_of(memory_id: UUID) -> str:
        return body_of(seen.records[memory_id]).text

    def takes(memory_id: UUID) -> bool:
        return _is_taken(seen.records[memory_id], seen.records[one.id])

    return compare.compare(one.body.text, compare.nearest_first(near), text_of, takes, limits, judge)


def _is_taken(target: MemoryRecord, record: MemoryRecord) -> bool:
    return body_of(target) == body_of(record) or backing_of(target).takes(backing_of(record))


def _write(runtime: Runtime, conn: Connection, seen: _Seen, verdicts: Sequence[compare.Verdict]) -> None:
    """Vectors, clusters and links of the memories in front, which stay as they are."""
    done = seen.late[: len(verdicts)]
    memory_rows.write_vectors(runtime, conn, {one.id: one.vector for one in done})
    active = [(one, seen.records[one.id]) for one in done if seen.records[one.id].status == "active"]
    place(runtime, conn, [Joining(one.id, one.vector, record.summary_l0) for one, record in active])
    links = [_link(seen.records, one.id, verdict) for one, verdict in zip(done, verdicts, strict=True)]
    origins.write(runtime, conn, origins.Origins(links=[made for made in links if made is not None]))


def _link(
    records: Mapping[UUID, MemoryRecord], memory_id: UUID, verdict: compare.Verdict
) -> origins.LinkRow | None:
    if verdict.other is None:
        return None
    pair = sorted(
        (records[memory_id], records[verdict.other]), key=lambda r: (r.created_at, r.id == memory_id)
    )
    older, newer = ((record.id, body_of(record).text) for record in pair)
    return compare.link(verdict, older, newer)


def _fill_one(runtime: Runtime, judge: Judge, one: _Late, embedded: Embedded, conn: Connection) -> None:
    _lock(runtime, conn, [one.memory_type])
    seen = _look(runtime, [one], conn)
    if not seen.late:
        return
    verdict = _verdict(seen, one, seen.near[0], runtime.thresholds, judge)
    if verdict.merges and verdict.other is not None:
        target, record = seen.records[verdict.other], seen.records[one.id]
        _take_over(runtime, conn, embedded, judge, target, record, verdict)
    else:
        _write(runtime, conn, seen, [verdict])


def _take_over(
    runtime: Runtime,
    conn: Connection,
    embedded: Embedded,
    judge: Judge,
    target: MemoryRecord,
    record: MemoryRecord,
    verdict: compare.Verdict,
) -> None:
    """Everything of `record` becomes part of `target`: sources, contributions, keys, hits, facts, tags.

    The caller holds the locks.
    """
    old, backing, given = body_of(target), backing_of(target), backing_of(record)
    body, pending = old, False
    if given.rank < backing.rank:
        body, backing = body_of(record), given
    elif given.rank == backing.rank:
        # words that are proven less would hide behind those that stand
        body, pending = judge.merged(old, body_of(record))
        parts = ((old, backing.cure), (body_of(record), given.cure))
        backing = replace(backing, cure=cure_of_merge(body, parts))
    part = origins.fetch(conn, "first_contribution", {"id": record.id})
    origins.hand_over(runtime, conn, record.id, target.id, pending=pending)
    add_hits(conn, runtime.account_id, {target.id: record.hit_count}, record.last_hit_at)
    tags = merge_tags(target.tags, record.tags)
    if body != old:
        memory_rows.reword(runtime, conn, embedded, target, body, tags, backing)
    else:
        memory_rows.write_tags(runtime, conn, {target.id: tags})
    decision = origins.DecisionRow(
        uuid4(),
        target.id,
        record.id,
        part[0]["id"] if part else None,
        "merge",
        f"{verdict.reason}_found_later",
        verdict.score,
        body_before=old,
        decided_by=verdict.decided_by,
    )
    origins.write(runtime, conn, origins.Origins(decisions=[decision]))
    status.delete_memories(runtime, conn, [record.id])
    status.shelve(runtime, conn, [target.id])
