"""Calls that a person refused, with the words that they said to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ultron_core.lessons.candidates.candidate import LONGEST, Candidate
from ultron_core.lessons.describe import path_of, short_path
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.people import is_human

__all__ = ["find_refused"]

#: messages behind a refusal in which the person says why
_REACH = 3
#: how harnesses lead to the person's words, e.g. `The user provided the following reason for the rejection:`,
#: `the user said:`
_LEADS = re.compile(r"(?:reason for the rejection|the user said|user feedback)\s*:\s*", re.IGNORECASE)


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
    """What the person said to a refused call: in its result, else in the turn that follows; empty for nothing."""
    led = _LEADS.split(action.output, maxsplit=1)
    if len(led) > 1 and led[1].strip():
        return led[1].strip(), action.result
    for place in range(action.result + 1, min(action.result + 1 + _REACH, len(messages))):
        if is_human(messages[place]):
            return messages[place].content.strip(), place
    return "", action.result
