"""Calls that a person refused, with the words that they said to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ultron_core.lessons.candidates.candidate import LONGEST, Candidate
from ultron_core.lessons.candidates.typed import own_passages
from ultron_core.lessons.describe import path_of, short_path
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.people import is_human

__all__ = ["find_refused"]

#: messages behind a refusal in which the person says why
_REACH = 3


def find_refused(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[Candidate]:
    """A candidate of each refused call to which the person said something."""
    for action in actions:
        if action.outcome != "refused":
            continue
        words, place = _reason(messages, action)
        if not words:
            continue
        yield Candidate(
            source="refusal",
            author="person",
            text=words[:LONGEST],
            position=place,
            start_line=messages[action.result].start_line,
            end_line=messages[place].end_line,
            answers=(command_of(action) or short_path(path_of(action.arguments)) or action.tool)[:LONGEST],
            proof=(action.call, action.result),
        )


def _reason(messages: Sequence[Message], action: Action) -> tuple[str, int]:
    """What the person said in the turn that follows, in their own words; empty for nothing.

    The result may hold a reason too, but whatever a call fetches or prints could play such a refusal.
    """
    for place in range(action.result + 1, min(action.result + 1 + _REACH, len(messages))):
        if is_human(messages[place]):
            return next(iter(own_passages(messages[place])), ""), place
    return "", action.result
