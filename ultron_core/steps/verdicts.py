"""What people say of single memories: that they hold, are useful, or are junk; and which to ask about."""

from __future__ import annotations

from uuid import UUID

from ultron_core.lessons.rank.head import load_head
from ultron_core.models import Verdict
from ultron_core.steps.edit import one_memory
from ultron_core.steps.ids import as_id
from ultron_core.steps.rows import status
from ultron_core.steps.rows.body import body_of, words_digest
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables import verdicts
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["give_verdict", "memories_to_judge"]


def give_verdict(
    runtime: Runtime, memory_id: str | UUID, verdict: Verdict, *, given_by: str = ""
) -> MemoryRecord:
    """Keep what a person says of a memory's words, as they stand now, in the place of what they said of them before.

    `confirmed`: it is handed on like what a person said, also where it was held. `useful`: the same, but what is held
    stays so. `junk`: it is archived, and does not come back when its words are found again; either of the others, or
    to unarchive it, brings it back. Other words need another verdict. Raises NotFoundError, and InputError for a memory
    that cannot come back.
    """
    wanted = as_id(memory_id)

    def work(conn: Connection) -> MemoryRecord:
        lock_memories(runtime, conn)
        record = one_memory(runtime, conn, wanted)
        given = {"memory_id": wanted, "verdict": verdict, "given_by": given_by, "now": runtime.clock()}
        words = {"words_sha256": words_digest(body_of(record))}
        verdicts.run(conn, "give", {**runtime.account, **given, **words})
        if verdict == "junk":
            status.set_status(runtime, conn, [wanted], "archived", verdicts.JUNK)
            verdicts.run(conn, "archived_as_junk", {**runtime.account, "memory_id": wanted})
        elif record.archive_reason == verdicts.JUNK:
            cause = verdict if verdict == "confirmed" else "judged_useful"
            status.bring_back(runtime, conn, [wanted], cause)
        else:
            status.shelve(runtime, conn, [wanted])
        return one_memory(runtime, conn, wanted)

    return runtime.database.run(work)


def memories_to_judge(runtime: Runtime, limit: int) -> list[MemoryRecord]:
    """Memories in use whose words nobody has judged: those that the ranker was least sure of first, then the newest."""
    with runtime.database.transaction() as conn:
        found = verdicts.unjudged(conn, runtime.account_id, load_head().bounds["proven"], limit)
        return store.by_ids(conn, runtime.account_id, found)
