"""All candidates of a segment."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.candidates.picked import find_picked
from ultron_core.lessons.candidates.recapped import find_recapped
from ultron_core.lessons.candidates.refused import find_refused
from ultron_core.lessons.candidates.retries import find_retries
from ultron_core.lessons.candidates.spoken import find_spoken
from ultron_core.lessons.candidates.tried import find_tried
from ultron_core.lessons.candidates.written import find_written
from ultron_core.models import Message
from ultron_core.transcript.actions import Action

__all__ = ["find_candidates"]


def find_candidates(messages: Sequence[Message], actions: Sequence[Action]) -> list[Candidate]:
    """The passages of `messages` (one segment, or a session) that may be worth keeping, in the order of the log;
    `actions` are theirs."""
    refused = list(find_refused(messages, actions))
    to_a_call = {(one.position, one.text) for one in refused}
    found = [
        *refused,
        *(one for one in find_spoken(messages, actions) if (one.position, one.text) not in to_a_call),
        *find_tried(messages, find_retries(messages, actions)),
        *find_picked(messages),
        *find_written(messages, actions),
        *find_recapped(messages),
    ]
    return sorted(found, key=lambda one: (one.position, one.start_line))
