"""Where the agent told a cause or what its change does, and the next run of the same check failed as before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ultron_core.lessons.errors.same_check import same_check
from ultron_core.lessons.errors.told.endings import edits_between
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.harness import HARNESS_SUCCESS, joined
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.terminals import pasted_actions

__all__ = ["refuted_by_checks"]

#: in the words of a harness: the patch went in, e.g. `Applied edit to cart.py`
_WENT_IN = joined(HARNESS_SUCCESS)
#: a line of a failed run that says that something failed, e.g. `cart.py:8: F821 undefined name`, `assert 4 == 5`
_SAYS_FAILED = re.compile(r"fail|error|exception|assert|\b[A-Z]{1,3}\d{3,4}\b|失败|错误", re.IGNORECASE)
#: lines and durations differ from run to run, e.g. `in 0.02s`, `cart.py:8:14`
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
#: actions after a failure among which the next run of the same check is looked for
_REACH = 40


def refuted_by_checks(messages: Sequence[Message], actions: Sequence[Action]) -> frozenset[int]:
    """The positions of messages whose account a check disproves, whoever shows its result: a tool, the harness that
    runs it after each patch, or a person who pastes it."""
    shown = sorted([*actions, *pasted_actions(messages)], key=lambda action: (action.result, action.call))
    return frozenset((*_failed_at_once(actions), *_failed_again(messages, shown)))


def _failed_at_once(actions: Sequence[Action]) -> Iterator[int]:
    """Messages with a patch that went in and did not pass the check that the harness ran on it."""
    for action in actions:
        if action.tool == "patch" and action.failure is not None and _WENT_IN.search(action.output):
            yield action.call


def _failed_again(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[int]:
    """Messages between a failure and the next run of the same check, before which something was changed and which
    fails in all that it failed in. Where a person asks for something in between, what is told may be about that."""
    for number, failed in enumerate(actions):
        if failed.failure is None:
            continue
        near = actions[number : number + 1 + _REACH]
        later = [one for one in near if one.call > failed.result]
        if not any(_same_line(failed, one) for one in later):
            continue
        following = next((one for one in later if same_check(failed, one)), None)
        if following is None or not _fails_alike(failed, following):
            continue
        told = range(failed.result + 1, following.call + 1)
        if any(is_human(messages[position]) for position in told[:-1]):
            continue
        if edits_between(messages, near, failed.result, following.call + 1):
            yield from told


def _same_line(failed: Action, later: Action) -> bool:
    if failed.failure is None or later.failure is None:
        return False
    return clean_line(failed.failure.line) == clean_line(later.failure.line)


def _fails_alike(failed: Action, later: Action) -> bool:
    """Whether the same telling line is there, and nothing that had failed is gone: of two failures one may be cured."""
    return _same_line(failed, later) and _failing_lines(failed) <= _failing_lines(later)


def _failing_lines(action: Action) -> Counter[str]:
    """How often each stands there: two failures may differ in a number alone."""
    found = (line.strip() for line in action.output.splitlines() if _SAYS_FAILED.search(line))
    return Counter(_NUMBER.sub("0", line) for line in found)
