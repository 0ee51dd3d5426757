"""Failures after which the same call worked once one thing had been changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ultron_core.lessons.candidates.candidate import LONGEST, Candidate
from ultron_core.lessons.candidates.passages import passages_of
from ultron_core.lessons.describe import EDIT, core_command, path_of, short_path, texts_of
from ultron_core.lessons.episodes.find import Episode
from ultron_core.models import Message
from ultron_core.transcript.actions import GIT, Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import clean_line

__all__ = ["find_tried"]

#: says no more than that something failed, e.g. `Exit code 1`, `error: exit status 2`
_BARE = re.compile(r"(?:\W|error|failed|command|exit(?:ed)?|code|status|with|process|\d)*", re.IGNORECASE)
#: a patch handed to a shell, e.g. `*** Begin Patch`
_PATCHES = re.compile(r"\*\*\* (?:Begin|End) Patch")
#: words by which the call that worked may differ from the one that failed, e.g. `python3 app.py`, `python app.py`
_MOST_WORDS = 2
#: characters of one changed line, and of a command, that are shown
_LONGEST_CHANGE = 120
#: messages behind a failure in which the agent says what it makes of it
_REACH = 4
#: commands that look and change nothing, so are not what solved a failure, e.g. `git -C api diff`, `cat app.py`
_LOOKING = re.compile(
    r"^(?:ls|cat|grep|rg|find|head|tail|echo|pwd|which|wc|sed -n|sleep|true|tree|file|stat|type|env|printenv|less|more|"
    rf"du|df|ps|{GIT}(?:status|diff|log|show|branch))\b"
)


def find_tried(messages: Sequence[Message], episodes: Sequence[Episode]) -> Iterator[Candidate]:
    """A candidate of each failure that one change cured: an edit or a command before the same call, or a word of it.

    Its text is the line that tells the failure, `answers` the command that failed. A longer way is the work itself.
    """
    for episode in episodes:
        failed, worked = episode.failed, episode.worked
        if failed.failure is None or worked is None or not _tells(failed) or _is_patch(failed):
            continue
        changes = _changes_of(episode, worked)
        if len(changes) != 1 or not _same_goal(failed, worked):
            continue
        message = messages[failed.result]
        yield Candidate(
            source="cure",
            author="tool",
            text=clean_line(failed.failure.line, LONGEST),
            position=failed.result,
            start_line=message.start_line,
            end_line=messages[worked.result].end_line,
            answers=clean_line(core_command(command_of(failed) or "") or failed.tool or failed.text, LONGEST),
            files=tuple(dict.fromkeys(path for change in changes if (path := path_of(change.arguments)))),
            proof=(failed.result, changes[0].call, worked.result),
            changes=tuple(_shown(change) for change in changes),
            said=_said(messages, failed.result),
            times=1 + len(episode.again),
            quote=failed.failure.line[:LONGEST],
        )


def _tells(failed: Action) -> bool:
    """False for a failure that says no more than that it was one: `Exit code 1`."""
    return failed.failure is not None and not _BARE.fullmatch(failed.failure.line.strip())


def _is_patch(failed: Action) -> bool:
    """True for an edit that did not fit its file: the next one is made from the file as it is, which all know."""
    edits = EDIT.search(failed.tool) is not None and command_of(failed) is None
    return edits or _PATCHES.search(failed.text) is not None


def _same_goal(failed: Action, worked: Action) -> bool:
    """Whether the call that worked is the one that failed, but for a word or two."""
    one, other = failed.text.split(), worked.text.split()
    removed, added = Counter(one) - Counter(other), Counter(other) - Counter(one)
    return max(removed.total(), added.total()) <= min(_MOST_WORDS, len(one) - 1)


def _changes_of(episode: Episode, worked: Action) -> list[Action]:
    """Everything between the last failing try and the cure that may have changed something: edits and commands that
    ran, and the call that worked where it is another one."""
    last = episode.again[-1].result if episode.again else episode.failed.result
    between = [
        action
        for action in episode.between
        if action.call > last
        and action.failure is None
        and (EDIT.search(action.tool) or (command_of(action) is not None and not _looks(action)))
    ]
    return between if worked.text == episode.failed.text else [*between, worked]


def _looks(action: Action) -> bool:
    return _LOOKING.match(core_command(command_of(action) or "")) is not None


def _shown(change: Action) -> str:
    command = command_of(change)
    if command is not None:
        return f"`{clean_line(core_command(command), _LONGEST_CHANGE)}`"
    path = path_of(change.arguments)
    if not path:
        return f"`{change.tool}`"
    lines = _lines(change.arguments)
    return f"`{short_path(path)}`{f' ({lines})' if lines else ''}"


def _lines(arguments: Any) -> str:
    """The first line that an edit took out and the first it put in."""
    old, new = texts_of(arguments)
    removed, added = _only(old, new), _only(new, old)
    shown = [f"`{line[:_LONGEST_CHANGE]}`" for line in (*removed[:1], *added[:1])]
    return " → ".join(shown)


def _only(text: str, other: str) -> list[str]:
    there = {line.strip() for line in other.splitlines()}
    return [line.strip() for line in text.splitlines() if line.strip() and line.strip() not in there]


def _said(messages: Sequence[Message], place: int) -> str:
    """The agent's first passage after the failure and before a person speaks."""
    for message in messages[place + 1 : place + 1 + _REACH]:
        if is_human(message):
            return ""
        if message.role == "assistant" and message.content.strip():
            return next((passage.text for passage in passages_of(message.content)), "")
    return ""
