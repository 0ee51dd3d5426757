"""All candidates of a segment."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.candidates.decided import find_decided
from ultron_core.lessons.candidates.spoken import find_spoken
from ultron_core.lessons.candidates.tried import find_tried
from ultron_core.lessons.errors.episodes import find_episodes
from ultron_core.models import Message
from ultron_core.transcript.actions import read_actions

__all__ = ["find_candidates"]


def find_candidates(messages: Sequence[Message]) -> list[Candidate]:
    """The passages of `messages` (one segment, or a session) that may be worth keeping, in the order of the log.

    System prompts and recalled memories are not read: an agent that repeats them taught nothing.
    """
    kept = [message for message in messages if message.role != "system" and message.origin != "recalled"]
    actions = read_actions(kept)
    found = [
        *find_spoken(kept, actions),
        *find_tried(kept, find_episodes(kept, actions)),
        *find_decided(kept, actions),
    ]
    return sorted(found, key=lambda one: (one.position, one.start_line))
