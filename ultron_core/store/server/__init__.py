"""The embedded PostgreSQL: one server per home, and where it is kept."""

from ultron_core.store.server.embedded import EmbeddedServer

__all__ = ["EmbeddedServer"]
