"""When a cluster is ready to become a skill, and when that skill is due for an update."""

from __future__ import annotations

__all__ = ["ready_to_crystallize", "ready_to_recrystallize"]


def ready_to_crystallize(size: int, size_at_crystallization: int | None, threshold: int = 5) -> bool:
    """Enough members and no skill yet."""
    return size_at_crystallization is None and size >= threshold


def ready_to_recrystallize(size: int, size_at_crystallization: int | None, delta: int = 3) -> bool:
    """It has gained at least `delta` members since its skill was made."""
    return size_at_crystallization is not None and size - size_at_crystallization >= delta
