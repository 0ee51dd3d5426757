"""Passages in which a person decided: a refused call with their words, an option that they picked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ultron_core.lessons.candidates.candidate import LONGEST, Candidate
from ultron_core.lessons.people.answered import ASKING_TOOLS
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.people import is_human

__all__ = ["find_decided"]

#: messages behind a refusal in which the person says why
_REACH = 3


def find_decided(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[Candidate]:
    """A candidate of each answer to a question that an agent asked by its tool, and of each refused call."""
    for action in actions:
        message = messages[action.result]
        if action.tool in ASKING_TOOLS and action.output.strip():
            yield Candidate(
                "choice",
                "person",
                action.output.strip()[:LONGEST],
                action.result,
                message.start_line,
                message.end_line,
                "",
                action.text[:LONGEST],
            )
        elif action.outcome == "refused":
            words, place = _reason(messages, action)
            said = messages[place]
            yield Candidate(
                "refusal",
                "person",
                words[:LONGEST],
                place,
                message.start_line,
                said.end_line,
                "",
                action.text[:LONGEST],
                (),
                (action.call, action.result),
            )


def _reason(messages: Sequence[Message], action: Action) -> tuple[str, int]:
    """What the person said to a refused call: in its result, else in the turn that follows."""
    for place in range(action.result + 1, min(action.result + 1 + _REACH, len(messages))):
        if is_human(messages[place]):
            return messages[place].content.strip(), place
    return action.output.strip(), action.result
