"""Passages of what was said: an agent's closing words, its remarks between calls, and the turns of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ultron_core.lessons.candidates.candidate import Author, Candidate, Source
from ultron_core.lessons.candidates.passages import joined_of, passages_of
from ultron_core.lessons.candidates.typed import own_passages, own_sentences
from ultron_core.lessons.describe import EDIT, path_of
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.people import is_human
from ultron_core.transcript.recaps import is_recap

__all__ = ["find_spoken"]

#: characters of the request that a passage answers
_LONGEST_REQUEST = 400


def find_spoken(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[Candidate]:
    """A candidate of each passage that an agent or a person said in the main thread, in the order of the log.

    An agent's last words before a person's next turn are its closing, what it says before are remarks.
    """
    places = [place for place, message in enumerate(messages) if is_human(message)]
    said = Counter(messages[place].content for place in places)
    for begin, end in pairwise((-1, *places, len(messages))):
        spoken = [
            place
            for place in range(begin + 1, end)
            if messages[place].role == "assistant" and messages[place].content.strip()
        ]
        asked = _asked(messages[begin]) if begin >= 0 else ""
        files = _changed(actions, begin, end)
        for place in (place for place in spoken if not is_recap(messages[place])):
            source: Source = "closing" if place == spoken[-1] else "remark"
            yield from _of_message(messages, place, source, "agent", asked, files)
        # what comes word for word again is a program's text
        if end < len(messages) and said[messages[end].content] == 1:
            yield from _turn(messages, end, messages[spoken[-1]].content if spoken else "")


def _of_message(
    messages: Sequence[Message],
    place: int,
    source: Source,
    author: Author,
    answers: str,
    files: tuple[str, ...],
) -> Iterator[Candidate]:
    message = messages[place]
    for passage in (*passages_of(message.content), *joined_of(message.content)):
        yield Candidate(
            source,
            author,
            passage.text,
            place,
            message.start_line,
            message.end_line,
            passage.head,
            answers,
            files,
        )


def _turn(messages: Sequence[Message], place: int, before: str) -> Iterator[Candidate]:
    """What a person typed as their own, behind the agent's last words."""
    message = messages[place]
    for text in own_passages(message):
        yield Candidate(
            "turn",
            "person",
            text,
            place,
            message.start_line,
            message.end_line,
            "",
            before[-_LONGEST_REQUEST:],
        )


def _asked(message: Message) -> str:
    return " ".join(own_sentences(message))[:_LONGEST_REQUEST]


def _changed(actions: Sequence[Action], begin: int, end: int) -> tuple[str, ...]:
    """Files that the agent edited between two turns, each once, in their order."""
    edits = (action for action in actions if begin < action.call < end and EDIT.search(action.tool))
    return tuple(dict.fromkeys(path for action in edits if (path := path_of(action.arguments))))
