"""Which project a shipped segment was worked on in: the dataset itself holds only salted hashes."""

from __future__ import annotations

from collections.abc import Mapping

from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import exports

__all__ = ["projects_of"]


def projects_of(runtime: Runtime, content_hash: str) -> Mapping[str, str]:
    """By segment its project, or its agent where the project is not known; empty for a dataset of elsewhere."""
    with runtime.database.transaction() as conn:
        return exports.projects_of(conn, runtime.account_id, content_hash)
