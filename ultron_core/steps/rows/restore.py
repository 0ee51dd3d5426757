"""A contribution becomes a separate memory again: its words, its source, a link to the memory it was part of."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from ultron_core.memories import Body
from ultron_core.steps.rows import memories, origins
from ultron_core.steps.rows.body import MemoryRow, NewMemory, backing_in, embedded_text, offline_summary
from ultron_core.steps.rows.embedded import Embedded
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["restore"]


def restore(
    runtime: Runtime, conn: Connection, embedded: Embedded, kept: MemoryRecord, decision: dict[str, Any]
) -> UUID:
    """Id of the memory made of the contribution that `decision` merged into `kept`."""
    (part,) = origins.fetch(conn, "contribution", {**runtime.account, "id": decision["contribution_id"]})
    body = Body(part["content"], part["context"], part["resolution"])
    backing = backing_in(part)
    row = MemoryRow(
        uuid4(),
        kept.memory_type,
        body,
        tuple(part["tags"]),
        offline_summary(runtime, body),
        needs_model=runtime.llm is not None,
        backing=backing,
        vector=embedded.vector(embedded_text(kept.memory_type, body)),
        new=NewMemory(part["agent_id"], kept.confidence, kept.extractor),
        status=backing.shelf,
    )
    memories.write(runtime, conn, [row])
    origins.split_off(runtime, conn, part["id"], row.id)
    unmerged = origins.LinkRow(row.id, kept.id, "similar_to", decision["score"], "unmerged")
    origins.write(runtime, conn, origins.Origins(links=[unmerged]))
    return row.id
