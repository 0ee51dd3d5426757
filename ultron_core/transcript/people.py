"""Whose words a message holds: a person's, a program's request, or one of several agents that talk together."""

from __future__ import annotations

from ultron_core.models import Message
from ultron_core.transcript.harness import HARNESS_NOTICES, joined
from ultron_core.transcript.pairs import is_tool_result

__all__ = ["is_human", "is_request"]

#: what a harness says in a user row, in transcript/harness.py, e.g. `Full transcript available at:
#: /tmp/a.txt`
_NOTICE = joined(HARNESS_NOTICES, flags=0)


def is_request(message: Message) -> bool:
    """True for a user row that asks for something, whether a person typed it or a program handed it in.

    Tool output that a format writes as a user row, reminders of the harness and recalled memories are none.
    """
    if message.role != "user" or message.origin != "human" or is_tool_result(message):
        return False
    return bool(message.content.strip()) and not _NOTICE.match(message.content)


def is_human(message: Message) -> bool:
    """True for what a person wrote; a user row with a name is an agent that opened the talk
    (`{"role": "user", "name": "Geometry_Expert", ...}`)."""
    return is_request(message) and not message.name
