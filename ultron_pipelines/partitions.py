"""One dynamic partition a session file; the key is made by the core and stored with the session."""

from __future__ import annotations

import dagster as dg

__all__ = ["SESSIONS_NAME", "sessions_partitions"]

SESSIONS_NAME = "sessions"
sessions_partitions = dg.DynamicPartitionsDefinition(name=SESSIONS_NAME)
