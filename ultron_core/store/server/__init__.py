"""The embedded PostgreSQL: one server a home, and where it lies."""

from ultron_core.store.server.embedded import EmbeddedServer

__all__ = ["EmbeddedServer"]
