"""Calls that failed and then worked: the same words but for one or two, within one turn of the agent."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ultron_core.lessons.describe import EDIT
from ultron_core.models import Message
from ultron_core.transcript.actions import Action, call_text
from ultron_core.transcript.commands import command_of, same_purpose
from ultron_core.transcript.people import is_human

__all__ = ["Retry", "find_retries"]

#: later actions among which a call that worked is looked for (not fitted: docs/memories.md)
_REACH = 60
#: words by which it may differ from the one that failed, e.g. `python3 app.py`, `python app.py`
_MOST_WORDS = 2
#: how alike two words must be for one to be the other, spelled right: `mian.py`, `main.py`
_SPELLING = 0.7
#: a patch handed to a shell, e.g. `*** Begin Patch`
_PATCHES = re.compile(r"\*\*\* (?:Begin|End) Patch")
#: says nothing about how the command will end, e.g. `Command running in background with ID: b1`, `still running`
_NOT_DONE = re.compile(
    r"\brunning in (?:the )?background\b|\bstill running\b|\bsession ID \d+\b", re.IGNORECASE
)
#: the exit code is thrown away, or what a check says is sifted: `npm test || true`, `make check | grep a`
_HIDDEN = re.compile(r"\|\|\s*(?:true|:|echo\b)|\|\s*(?:grep|egrep|rg|head|tail|wc|awk|sed|cut|sort|uniq)\b")


@dataclass(frozen=True, slots=True)
class Retry:
    """A failure, how often it came, what ran from the last time on, and the call that worked."""

    failed: Action
    times: int
    between: tuple[Action, ...]
    worked: Action


def find_retries(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[Retry]:
    """One for every failed call that worked before a person spoke again; none over a call whose result is not known.

    A patch that did not fit its file is made anew from the file, which all know.
    """
    turns = [place for place, message in enumerate(messages) if is_human(message)]
    open_calls = _unanswered(messages, actions)
    taken: set[int] = set()
    for at, failed in enumerate(actions):
        if failed.failure is None or at in taken or _is_patch(failed):
            continue
        last, times = at, 1
        for later in range(at + 1, min(at + 1 + _REACH, len(actions))):
            action = actions[later]
            if bisect_right(turns, action.call) > bisect_right(turns, failed.result):
                break
            if action.call < failed.result or not _is_same(failed, action):
                continue
            if action.failure is not None:
                last, times = later, times + 1
                taken.add(later)
            elif _is_proof(action):
                begin = actions[last].result
                if bisect_right(open_calls, begin) == bisect_right(open_calls, action.call):
                    yield Retry(failed, times, tuple(actions[last + 1 : later]), action)
                break


def _is_same(failed: Action, later: Action) -> bool:
    """The same words but for the program, options or one that is spelled otherwise; of a check the same words."""
    if failed.tool != later.tool or not same_purpose(failed, later):
        return False
    one, other = ((command_of(action) or action.text).split() for action in (failed, later))
    if one == other or command_of(failed) is None:
        return one == other
    if later.checks != "none" or abs(len(one) - len(other)) > _MOST_WORDS:
        return False
    removed = list((Counter(one) - Counter(other)).elements())
    added = list((Counter(other) - Counter(one)).elements())
    if len(removed) == len(added) == 1 and SequenceMatcher(None, removed[0], added[0]).ratio() >= _SPELLING:
        return True
    beside = {*one[:1], *other[:1]}
    return max(len(removed), len(added)) <= _MOST_WORDS and all(
        word.startswith("-") or "=" in word or word in beside for word in (*removed, *added)
    )


def _is_proof(action: Action) -> bool:
    """True when a result shows that its call worked: it ended, nobody refused it and its exit code counts."""
    if action.outcome not in ("ok", "passed") or _NOT_DONE.search(action.output[:400]):
        return False
    return action.checks == "passed" or _HIDDEN.search(command_of(action) or "") is None


def _is_patch(failed: Action) -> bool:
    edits = EDIT.search(failed.tool) is not None and command_of(failed) is None
    return edits or _PATCHES.search(failed.text) is not None


def _unanswered(messages: Sequence[Message], actions: Sequence[Action]) -> list[int]:
    """Places of calls whose result the log does not hold (some logs leave out empty ones)."""
    answered = {(action.call, action.tool, action.text) for action in actions}
    return [
        place
        for place, message in enumerate(messages)
        for call in message.tool_calls
        if (place, call.name, call_text(call)) not in answered
    ]
