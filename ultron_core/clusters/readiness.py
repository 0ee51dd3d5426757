"""When a cluster is ready to become a skill, and when its skill is due again."""

from __future__ import annotations

__all__ = ["ready_to_crystallize", "ready_to_recrystallize"]


def ready_to_crystallize(size: int, size_at_crystallization: int | None, threshold: int = 5) -> bool:
    """Enough members and no skill yet."""
    return size_at_crystallization is None and size >= threshold


def ready_to_recrystallize(size: int, size_at_crystallization: int | None, delta: int = 3) -> bool:
    """Its skill has missed at least `delta` members."""
    return size_at_crystallization is not None and size - size_at_crystallization >= delta
