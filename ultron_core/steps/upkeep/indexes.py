"""Indexes of embedding models that hold nothing any more: another model took over, or the last row was deleted."""

from __future__ import annotations

import logging
from functools import partial

from psycopg import errors

from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import embeddings as store

__all__ = ["drop_unused_indexes"]

logger = logging.getLogger("ultron.embeddings")


def drop_unused_indexes(runtime: Runtime) -> int:
    """How many went. Not while a search or a backup holds their table: the next cycle tries again, and who writes with
    such a model again makes its index anew."""
    try:
        dropped = runtime.database.run(partial(_drop, runtime))
    except errors.LockNotAvailable:
        return 0
    if dropped:
        logger.info("%d empty indexes dropped: %s", len(dropped), ", ".join(dropped))
    return len(dropped)


def _drop(runtime: Runtime, conn: Connection) -> list[str]:
    return store.drop_unused(conn, runtime.embedder.model_id)
