"""Indexes of embedding models that hold nothing any more: another model took over, or the last row was deleted."""

from __future__ import annotations

import logging
from functools import partial

from psycopg import errors

from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import embeddings as store

__all__ = ["drop_unused_indexes"]

logger = logging.getLogger("ultron.embeddings")


def drop_unused_indexes(runtime: Runtime) -> int:
    """How many went. Not while a search or a backup holds their table: the next cycle tries again, and who writes with
    such a model again makes its index anew."""
    names = runtime.database.run(partial(store.unused_indexes, model_id=runtime.embedder.model_id))
    dropped = [name for name in names if _dropped(runtime, name)]
    if dropped:
        logger.info("%d empty indexes dropped: %s", len(dropped), ", ".join(dropped))
    return len(dropped)


def _dropped(runtime: Runtime, name: str) -> bool:
    """Each by itself: a table that is busy keeps no lock on the other."""
    try:
        runtime.database.run(partial(store.drop_unused, name=name))
    except errors.LockNotAvailable:
        return False
    return True
