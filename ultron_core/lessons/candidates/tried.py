"""Failures after which the same call worked once one thing had been changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ultron_core.lessons.candidates.candidate import LONGEST, Candidate
from ultron_core.lessons.candidates.passages import passages_of
from ultron_core.lessons.candidates.retries import Retry
from ultron_core.lessons.describe import EDIT, core_command, path_of, short_path, texts_of
from ultron_core.models import Message
from ultron_core.transcript.actions import GIT, Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import clean_line

__all__ = ["find_tried"]

#: says no more than that something failed, e.g. `Exit code 1`, `error: exit status 2`
_BARE = re.compile(r"(?:\W|error|failed|command|exit(?:ed)?|code|status|with|process|\d)*", re.IGNORECASE)
#: characters of one changed line, and of a command, that are shown
_LONGEST_CHANGE = 120
#: a value that a few words can show, e.g. `require_escalated`
_WORD = re.compile(r"\S{1,40}")
#: messages behind a failure in which the agent says what it makes of it
_REACH = 4
#: commands that look and change nothing, so are not what solved a failure, e.g. `git -C api diff`, `cat app.py`
_LOOKING = re.compile(
    r"^(?:ls|cat|grep|rg|find|head|tail|echo|pwd|which|wc|sed -n|sleep|true|tree|file|stat|type|env|printenv|less|more|"
    rf"du|df|ps|{GIT}(?:status|diff|log|show|branch))\b"
)


def find_tried(messages: Sequence[Message], retries: Iterable[Retry]) -> Iterator[Candidate]:
    """A candidate of each failure that one change cured: an edit or a command before the same call, or a word of it.

    Its text is the line that tells the failure, `answers` the command that failed. A longer way is the work itself.
    """
    for retry in retries:
        failed, worked = retry.failed, retry.worked
        ran = [action for action in retry.between if _changes(action)]
        repeats = worked.arguments == failed.arguments
        change = worked if not ran else ran[0]
        shown = _otherwise(failed, worked) if change is worked else _shown(change)
        if len(ran) + (not repeats) != 1 or not shown or failed.failure is None:
            continue
        if _BARE.fullmatch(failed.failure.line.strip()):
            continue
        yield Candidate(
            source="cure",
            author="tool",
            text=clean_line(failed.failure.line, LONGEST),
            position=failed.result,
            start_line=messages[failed.result].start_line,
            end_line=messages[worked.result].end_line,
            answers=clean_line(core_command(command_of(failed) or "") or failed.tool or failed.text, LONGEST),
            files=tuple(path for path in (path_of(change.arguments),) if path),
            proof=(failed.result, change.call, worked.result),
            changes=(shown,),
            said=_said(messages, failed.result),
            times=retry.times,
            quote=failed.failure.line[:LONGEST],
        )


def _changes(action: Action) -> bool:
    """Whether a call may have changed something: an edit or a command that ran."""
    if action.failure is not None:
        return False
    return EDIT.search(action.tool) is not None or (command_of(action) is not None and not _looks(action))


def _otherwise(failed: Action, worked: Action) -> str:
    """The call that worked; where it is the same command, with what else it was given, e.g. `(sandbox: off)`."""
    shown = _shown(worked)
    if shown != _shown(failed) or not isinstance(worked.arguments, dict):
        return shown
    before = failed.arguments if isinstance(failed.arguments, dict) else {}
    named = [
        f"{key}: {value}"
        for key, value in worked.arguments.items()
        if before.get(key) != value and isinstance(value, str | bool) and _WORD.fullmatch(str(value))
    ]
    return f"{shown} ({', '.join(named)})" if named else ""


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
