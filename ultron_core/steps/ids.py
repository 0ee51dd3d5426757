"""Ids as callers give them, the tag that ties a memory to its segment, and the data version of a file."""

from __future__ import annotations

import hashlib
from uuid import UUID

from ultron_core.errors import InputError

__all__ = ["as_id", "segment_tag", "session_data_version"]


def as_id(value: str | UUID) -> UUID:
    """A UUID. Raises InputError for text that is not one."""
    try:
        return value if isinstance(value, UUID) else UUID(str(value))
    except ValueError as error:
        raise InputError(f"{value!r} is not an id: ids look like 3f2b6c1e-....") from error


def segment_tag(segment_id: UUID) -> str:
    """The tag of the memories that a segment gave."""
    return f"segment:{str(segment_id)[:8]}"


def session_data_version(content_sha256: str, parser_version: str) -> str:
    """Data version of one session file: its bytes and who read them."""
    return hashlib.sha256(f"{content_sha256}\n{parser_version}".encode()).hexdigest()[:32]
