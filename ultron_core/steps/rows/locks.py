"""What a writer of memories takes before it looks: locks in one order, and the embedder known with its index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

from psycopg import Cursor

from ultron_core.models import MemoryType
from ultron_core.steps.clusters.members import lock_clusters
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import embeddings as model_store
from ultron_core.store.tables import uploads as upload_store

__all__ = ["ask_model", "lock_memories", "lock_types", "lock_uploads", "register_model"]

#: hexadecimal digits of a hashed key that name its lock: the server has room for some thousands of locks, a batch may
#: bring as many keys
_KEY_DIGITS = 1


def lock_types(runtime: Runtime, conn: Connection, types: Iterable[str]) -> None:
    """One writer a type, until the transaction ends; taken before anything is looked up."""
    upload_store.send(conn, "lock", {**runtime.account, "types": sorted(set(types))})


def lock_uploads(runtime: Runtime, conn: Connection, types: Iterable[str], keys: Iterable[str]) -> None:
    """The types, and then the idempotency keys, hashed as they are stored: one key may come for two types at once."""
    slots = sorted({f"key:{key[:_KEY_DIGITS]}" for key in keys if key})
    upload_store.send(conn, "lock", {**runtime.account, "types": [*sorted(set(types)), *slots]})


def lock_memories(runtime: Runtime, conn: Connection, types: Iterable[str] = get_args(MemoryType)) -> None:
    """Nobody else writes memories (of these types) until the transaction ends: who archives or deletes must not
    come between the last look of an upload, made under the lock of its type, and what it then writes."""
    lock_types(runtime, conn, types)
    lock_clusters(runtime, conn)


def register_model(runtime: Runtime, conn: Connection) -> None:
    """Record the embedder with its thresholds, and make its indexes."""
    if not ask_model(runtime, conn).fetchall():
        model_store.run(conn, "register_model", _model(runtime))
        model_store.ensure_indexes(conn, runtime.embedder.model_id, runtime.embedder.dimension)


def ask_model(runtime: Runtime, conn: Connection) -> Cursor[dict[str, Any]]:
    """A row if the embedder is known and has its indexes; asked without waiting inside a pipeline."""
    indexes = [f"ultron.{name}" for name in model_store.index_names(runtime.embedder.model_id).values()]
    return model_store.send(conn, "model_is_ready", {**_model(runtime), "indexes": indexes})


def _model(runtime: Runtime) -> dict[str, Any]:
    own = runtime.embedder.thresholds
    limits = {"merge": own.merge, "soft": own.soft, "cluster": own.cluster}
    return {
        **runtime.model_key,
        **limits,
        "dimension": runtime.embedder.dimension,
        "now": runtime.clock(),
    }
