"""One dynamic partition per session file; the core makes the key and stores it with the session."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg

__all__ = ["SESSIONS_NAME", "add_partitions", "sessions_partitions"]

SESSIONS_NAME = "sessions"
sessions_partitions = dg.DynamicPartitionsDefinition(name=SESSIONS_NAME)


def add_partitions(instance: dg.DagsterInstance, keys: Sequence[str]) -> None:
    """Those of the keys that Dagster does not know yet, in one request."""
    missing = sorted(set(keys) - set(instance.get_dynamic_partitions(SESSIONS_NAME)))
    if missing:
        instance.add_dynamic_partitions(SESSIONS_NAME, missing)
