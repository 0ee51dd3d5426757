"""What stood before a person's turn: what the agent said last, what it called, and what had been asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ultron_core.models import Message

__all__ = ["before_turn"]


class Before(NamedTuple):
    said: str
    #: names, in their order
    calls: tuple[str, ...]
    asked: str


def before_turn(messages: Sequence[Message], place: int, previous: int) -> Before:
    """Of the turn at `place`; `previous` is where the turn before it stands, -1 when there is none."""
    between = [m for m in messages[previous + 1 : place] if m.role == "assistant"]
    return Before(
        next((m.content for m in reversed(between) if m.content.strip()), ""),
        tuple(call.name for m in between for call in m.tool_calls),
        messages[previous].content if previous >= 0 else "",
    )
