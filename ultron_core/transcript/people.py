"""Whose words a message holds: a person's, or one of several agents that talk together."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.models import Message

__all__ = ["is_group", "is_human"]


def is_human(message: Message) -> bool:
    """True for what a person wrote; a user row with a name is an agent that opened the talk
    (`{"role": "user", "name": "Geometry_Expert", ...}`)."""
    return message.role == "user" and message.origin == "human" and not message.name


def is_group(messages: Sequence[Message]) -> bool:
    """True for a talk of two named agents or more; one name alone is how some logs sign every answer."""
    return len({m.name for m in messages if m.role == "assistant" and m.name}) >= 2
