"""PostgreSQL: the embedded server, connections, migrations, named SQL, one repository per table family."""

from ultron_core.store.digest import content_digest

__all__ = ["content_digest"]
