"""Ids as callers give them, and the tag that ties a memory to its segment."""

from __future__ import annotations

from uuid import UUID

from ultron_core.errors import InputError

__all__ = ["as_id", "segment_tag"]


def as_id(value: str | UUID) -> UUID:
    """A UUID. Raises InputError for text that is not one."""
    try:
        return value if isinstance(value, UUID) else UUID(str(value))
    except ValueError as error:
        raise InputError(f"{value!r} is not an id: ids look like 3f2b6c1e-....") from error


def segment_tag(segment_id: UUID) -> str:
    """The tag of the memories that a segment gave."""
    return f"segment:{str(segment_id)[:8]}"
