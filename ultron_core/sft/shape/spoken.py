"""What of a segment is talk between person, model and tools: the rest is taken out and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ultron_core.models import Message

__all__ = ["spoken", "stopped_at_end"]

#: "[Request interrupted by user for tool use]": typed by the harness when the person stops the agent
_STOPPED = "[request interrupted by user"


def spoken(messages: Sequence[Message], system: str, repairs: Counter[str]) -> list[Message]:
    """Without reminders, compaction prompts, hook output and recalled memories; the system prompt in front.

    `system` is the prompt of the session, for a segment that does not begin with one.
    """
    kept: list[Message] = []
    first = messages[0] if messages else None
    if first is not None and first.role == "system":
        kept.append(first)
    elif system:
        kept.append(Message("system", system, origin="harness"))
        repairs["system_prompt_of_session"] += 1
    for message in messages[1:] if kept and kept[0] is first else messages:
        if message.origin in {"harness", "recalled"} or message.role == "system":
            repairs["harness_text"] += 1
        else:
            kept.append(message)
    return kept


def stopped_at_end(messages: Sequence[Message]) -> bool:
    """Did the person stop the agent after its last turn?"""
    for message in reversed(messages):
        if _STOPPED in message.content.lower():
            return True
        if message.role == "assistant":
            return False
    return False
