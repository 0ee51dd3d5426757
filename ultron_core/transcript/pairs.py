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
    #: by position of a result, the first one that may not be cut off from it
    opened: dict[int, int] = {}
    asked: dict[str, int] = {}
    for position, message in enumerate(messages):
        if is_tool_result(message):
            call = asked.get(message.tool_call_id) if message.tool_call_id else None
            opened[position] = max(position, 1) if call is None else call + 1
        for tool_call in message.tool_calls:
            if tool_call.id:
                asked[tool_call.id] = position
    closed: set[int] = set()
    lowest = len(messages)
    # backwards, so that calls whose results lie far behind them are walked through once
    for position in range(len(messages) - 1, 0, -1):
        lowest = min(lowest, opened.get(position, lowest))
        if lowest <= position:
            closed.add(position)
    return frozenset(closed)
