"""Calls and their results belong together: where a thread must not be cut."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.models import Message

__all__ = ["closed_positions", "is_tool_result"]


def is_tool_result(message: Message) -> bool:
    """Also a user message that only carries a result back, as some formats write it."""
    return message.role == "tool" or message.origin == "tool" or message.tool_call_id is not None


def closed_positions(messages: Sequence[Message]) -> frozenset[int]:
    """Positions p where a boundary before message p would part a call from its result.

    Results are matched by call id, the latest call of that id counting; a result without a known call belongs
    to what stands before it.
    """
    closed: set[int] = set()
    asked: dict[str, int] = {}
    for position, message in enumerate(messages):
        if is_tool_result(message):
            if position:
                closed.add(position)
            call = asked.get(message.tool_call_id) if message.tool_call_id else None
            if call is not None:
                closed.update(range(call + 1, position + 1))
        for tool_call in message.tool_calls:
            if tool_call.id:
                asked[tool_call.id] = position
    return frozenset(closed)
