"""What people and agents do to single memories: read, change, archive, delete, undo a merge, look back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from ultron_core.errors import ConflictError, InputError, NotFoundError
from ultron_core.memories import Backing, Body
from ultron_core.models import Cure, Trust
from ultron_core.sessions import check_names, clean_text
from ultron_core.steps.clusters.members import clusters_of
from ultron_core.steps.clusters.topics import forget_in_topic
from ultron_core.steps.ids import as_id
from ultron_core.steps.rows import memories as memory_rows
from ultron_core.steps.rows import origins, status
from ultron_core.steps.rows.body import backing_of, body_of, redact_tags
from ultron_core.steps.rows.embedded import Embedded, run_embedded
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.rows.restore import restore
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables import verdicts
from ultron_core.store.tables.memories import MemoryRecord, MemorySource

__all__ = [
    "archive_memories",
    "archive_memories_by_tag",
    "delete_memories",
    "get_memories",
    "get_memory_sources",
    "get_stats",
    "history",
    "one_memory",
    "unarchive_memories",
    "unmerge",
    "update_memory",
]

#: hits of asking for the whole of a memory (the specification: docs/conformance.md, M56)
_DETAIL_HITS = 2
#: the reason of a merge whose words are gone (purge_words in origins.sql)
_PURGED = "words_purged"


def get_memories(
    runtime: Runtime, ids: Sequence[str | UUID], *, record_hits: bool = True
) -> list[MemoryRecord]:
    """Full memories in the order of `ids`, unknown ones left out; each counts two hits."""
    wanted = [as_id(i) for i in ids]

    def work(conn: Connection) -> list[MemoryRecord]:
        if record_hits and wanted:
            hits = dict.fromkeys(wanted, _DETAIL_HITS)
            store.add_hits(conn, runtime.account_id, hits, runtime.clock())
        return store.by_ids(conn, runtime.account_id, wanted)

    return runtime.database.run(work)


def get_memory_sources(runtime: Runtime, memory_id: str | UUID) -> list[MemorySource]:
    """Sources of one memory, in order of place."""
    with runtime.database.transaction() as conn:
        return store.sources(conn, runtime.account_id, as_id(memory_id))


def get_stats(runtime: Runtime, project: str | None = None) -> dict[str, Any]:
    """`{total, by_tier, by_type, by_status}`; tiers and types count active memories, of one project if given."""
    with runtime.database.transaction() as conn:
        rows = store.fetch(conn, "stats", {**runtime.account, "project": project})
    tiers: Counter[str] = Counter()
    types: Counter[str] = Counter()
    statuses: Counter[str] = Counter(active=0, claimed=0)
    for row in rows:
        statuses[row["status"]] += row["count"]
        if row["status"] == "active":
            tiers[row["tier"]] += row["count"]
            types[row["memory_type"]] += row["count"]
    return {
        "total": sum(statuses.values()),
        "by_tier": dict(tiers),
        "by_type": dict(types),
        "by_status": dict(statuses),
    }


def one_memory(runtime: Runtime, conn: Connection, memory_id: UUID) -> MemoryRecord:
    """One memory in the caller's transaction. Raises NotFoundError."""
    return _all_memories(runtime, conn, [memory_id])[0]


def update_memory(
    runtime: Runtime,
    memory_id: str | UUID,
    *,
    content: str | None = None,
    context: str | None = None,
    resolution: str | None = None,
    tags: Sequence[str] | None = None,
    changed_by: str = "",
    trust: Trust = "human",
    if_version: int | None = None,
    purge: bool = False,
) -> MemoryRecord:
    """Change fields; what is None stays. Redacted like an upload; the old words are kept with who changed them.

    Other words are said by who wrote them, the owner unless `trust` says otherwise. Tags change nothing but themselves.
    `purge` keeps no words but those that stand then: older versions, what was given and merged, and quotes are emptied
    of them, and no merge can be undone any more; that there were changes, when and by whom, stays known.

    Raises NotFoundError, InputError, and ConflictError when the memory is no longer at `if_version`.
    """
    if content is not None and not clean_text(content).strip():
        raise InputError("A memory needs content: delete it instead.")
    wanted = as_id(memory_id)
    given = {"content": content, "context": context, "resolution": resolution}
    present = {name: clean_text(text).strip() for name, text in given.items() if text is not None}
    clean, _ = runtime.redactor.redact_json(present)
    own_tags = None if tags is None else list(redact_tags(runtime, tags))

    def work(embedded: Embedded, conn: Connection) -> MemoryRecord:
        record = one_memory(runtime, conn, wanted)
        lock_memories(runtime, conn, [record.memory_type])
        record = one_memory(runtime, conn, wanted)
        if if_version is not None and record.version != if_version:
            raise ConflictError(
                f"Memory {wanted} is at version {record.version}, not {if_version}: read it again."
            )
        old = body_of(record)
        body = Body(
            clean.get("content", old.content),
            clean.get("context", old.context),
            clean.get("resolution", old.resolution),
        )
        new_tags = record.tags if own_tags is None else own_tags
        if body != old or new_tags != record.tags:
            _keep_version(runtime, conn, record, changed_by)
        if body != old:
            clusters = clusters_of(runtime, conn, [wanted])
            cure = _cure_after(record, body, trust)
            edited = Backing(trust, cure=cure)
            if trust == "human":
                edited = Backing(trust, "person", record.lesson, cure=cure)
            memory_rows.reword(runtime, conn, embedded, record, body, new_tags, edited)
            status.shelve(runtime, conn, [wanted])
            forget_in_topic(runtime, conn, clusters)
            origins.seal_bodies(runtime, conn, wanted)
        elif new_tags != record.tags:
            memory_rows.write_tags(runtime, conn, {wanted: new_tags})
        if purge:
            forget_in_topic(runtime, conn, clusters_of(runtime, conn, [wanted]))
            origins.run(conn, "purge_words", {**runtime.account, "memory_id": wanted})
        return one_memory(runtime, conn, wanted)

    return run_embedded(runtime, work)


def _cure_after(record: MemoryRecord, body: Body, trust: Trust) -> Cure:
    """How far the cure of an edited memory is borne out: as before where it stands as before; the owner answers for
    their own words, and another's have nothing behind them."""
    if body.resolution == record.resolution or record.cure == "none":
        return record.cure
    return "claimed" if body.resolution and trust != "human" else "none"


def _keep_version(runtime: Runtime, conn: Connection, record: MemoryRecord, changed_by: str) -> None:
    changed = {"memory_id": record.id, "changed_by": changed_by, "now": runtime.clock()}
    origins.run(conn, "keep_version", {**runtime.account, **changed})


def history(runtime: Runtime, memory_id: str | UUID) -> dict[str, Any]:
    """`{version, hits, versions, decisions, verdicts, links}`: how often it was hit and when last; the words it had
    before and what its owner said of them, newest first; every insert and merge, and every time it was archived or came
    back, with the cause, oldest first; and the memories that it is linked with. Raises NotFoundError."""
    wanted = as_id(memory_id)
    params = {**runtime.account, "memory_id": wanted}
    with runtime.database.transaction() as conn:
        record = one_memory(runtime, conn, wanted)
        return {
            "version": record.version,
            "hits": {"count": record.hit_count, "last": record.last_hit_at},
            "versions": origins.fetch(conn, "versions", params),
            "decisions": origins.fetch(conn, "decisions", params),
            "verdicts": verdicts.fetch(conn, "of_memory", params),
            "links": origins.fetch(conn, "links", params),
        }


def archive_memories(runtime: Runtime, ids: Sequence[str | UUID]) -> list[MemoryRecord]:
    """Leave memories out of searches, all or none of them. Raises NotFoundError; one that is archived stays so."""
    wanted = [as_id(i) for i in ids]

    def work(conn: Connection) -> list[MemoryRecord]:
        lock_memories(runtime, conn)
        _all_memories(runtime, conn, wanted)
        status.set_status(runtime, conn, wanted, "archived", "by_hand")
        return _all_memories(runtime, conn, wanted)

    return runtime.database.run(work)


def unarchive_memories(runtime: Runtime, ids: Sequence[str | UUID]) -> list[MemoryRecord]:
    """Bring archived memories back to their shelves, all or none of them, also those that were archived by age; that
    they are junk is withdrawn. Raises NotFoundError, and InputError when the last source of one is gone."""
    wanted = [as_id(i) for i in ids]

    def work(conn: Connection) -> list[MemoryRecord]:
        lock_memories(runtime, conn)
        _all_memories(runtime, conn, wanted)
        status.bring_back(runtime, conn, wanted, "by_hand")
        verdicts.run(conn, "withdraw_junk", {**runtime.account, "ids": wanted})
        # they are wanted again: an old date of the last hit would archive them at the next rebalance
        store.add_hits(conn, runtime.account_id, dict.fromkeys(wanted, 1), runtime.clock())
        return _all_memories(runtime, conn, wanted)

    return runtime.database.run(work)


def delete_memories(runtime: Runtime, ids: Sequence[str | UUID]) -> None:
    """Remove memories, all or none of them, with sources, contributions, decisions, links, vectors and their places in
    clusters. Raises NotFoundError."""
    wanted = [as_id(i) for i in ids]

    def work(conn: Connection) -> None:
        lock_memories(runtime, conn)
        _all_memories(runtime, conn, wanted)
        clusters = clusters_of(runtime, conn, wanted)
        status.delete_memories(runtime, conn, wanted)
        forget_in_topic(runtime, conn, clusters)

    runtime.database.run(work)


def _all_memories(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> list[MemoryRecord]:
    found = store.by_ids(conn, runtime.account_id, ids)
    if missing := set(ids) - {record.id for record in found}:
        raise NotFoundError(f"No memory {', '.join(sorted(map(str, missing)))}: nothing was changed.")
    return found


def archive_memories_by_tag(runtime: Runtime, tag: str) -> int:
    """Archive every memory on either shelf that carries exactly this tag; returns how many."""
    check_names(tag=tag)

    def work(conn: Connection) -> int:
        lock_memories(runtime, conn)
        rows = store.fetch(conn, "tagged", {"account_id": runtime.account_id, "tag": tag})
        return len(status.set_status(runtime, conn, [row["id"] for row in rows], "archived", "by_tag"))

    return runtime.database.run(work)


def unmerge(runtime: Runtime, decision_id: str | UUID) -> MemoryRecord:
    """Undo a merge: the contribution becomes a separate memory, with its source; the body it changed goes
    back to what it was unless a later merge or an edit built on it; a memory whose last source goes with the
    contribution is archived. Raises NotFoundError and InputError."""
    wanted = as_id(decision_id)

    def work(embedded: Embedded, conn: Connection) -> MemoryRecord:
        lock_memories(runtime, conn)
        decision = _undoable(runtime, conn, wanted)
        record = one_memory(runtime, conn, decision["memory_id"])
        before = Body(**decision["body_before"]) if decision["body_before"] else body_of(record)
        later = origins.fetch(conn, "later_merges", {"memory_id": record.id, "id": wanted})
        if before != body_of(record) and not later:
            memory_rows.reword(runtime, conn, embedded, record, before, record.tags, backing_of(record))
        new_id = restore(runtime, conn, embedded, record, decision)
        # who left took along what stood behind the words, if nobody else gave them
        status.settle(runtime, conn, [record.id])
        # the source that left may have been its last; and the one of the contribution may be gone long since
        status.archive_orphans(runtime, conn, [record.id, new_id])
        origins.mark_undone(runtime, conn, wanted)
        return one_memory(runtime, conn, new_id)

    return run_embedded(runtime, work)


def _undoable(runtime: Runtime, conn: Connection, decision_id: UUID) -> dict[str, Any]:
    rows = origins.fetch(conn, "decision", {**runtime.account, "id": decision_id})
    if not rows:
        raise NotFoundError(f"No decision {decision_id}.")
    if rows[0]["decision"] != "merge" or rows[0]["undone_at"] is not None:
        raise InputError(
            f"Decision {decision_id} is not a merge that can still be undone: `ultron show ID` lists what was decided."
        )
    if rows[0]["reason"] == _PURGED:
        raise InputError(
            f"Decision {decision_id} cannot be undone: the words that were merged then were purged with an edit."
        )
    return rows[0]
