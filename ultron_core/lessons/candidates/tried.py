"""Passages of what calls came to: a failure with the change after which the same goal was reached, or without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ultron_core.lessons.candidates.candidate import LONGEST, Candidate
from ultron_core.lessons.describe import EDIT, path_of
from ultron_core.lessons.errors.episodes import Episode
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of

__all__ = ["changes_of", "find_tried"]


def find_tried(messages: Sequence[Message], episodes: Sequence[Episode]) -> Iterator[Candidate]:
    """A candidate of each failure: `cure` where the same goal was reached after a change, else `failure`.

    Its text is the line that tells the failure, `answers` the command that failed.
    """
    for episode in episodes:
        failed = episode.failed
        changes = changes_of(episode)
        if failed.failure is None or (episode.worked is not None and not changes):
            continue
        message = messages[failed.result]
        proof = (failed.result, *(change.call for change in changes))
        worked = episode.worked
        yield Candidate(
            source="cure" if worked is not None else "failure",
            author="tool",
            text=failed.failure.line[:LONGEST],
            position=failed.result,
            start_line=message.start_line,
            end_line=messages[worked.result].end_line if worked is not None else message.end_line,
            answers=(command_of(failed) or failed.text)[:LONGEST],
            files=tuple(dict.fromkeys(path for change in changes if (path := path_of(change.arguments)))),
            proof=(*proof, worked.result) if worked is not None else proof,
        )


def changes_of(episode: Episode) -> list[Action]:
    """Everything between a failure and its cure that may have changed something: edits and commands that ran."""
    if episode.worked is None:
        return []
    return [
        action
        for action in episode.between
        if action.failure is None and (EDIT.search(action.tool) or command_of(action) is not None)
    ]
