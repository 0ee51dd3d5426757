"""One dynamic partition per session file; the core makes the key and stores it with the session."""

from __future__ import annotations

import dagster as dg

__all__ = ["SESSIONS_NAME", "sessions_partitions"]

SESSIONS_NAME = "sessions"
sessions_partitions = dg.DynamicPartitionsDefinition(name=SESSIONS_NAME)
