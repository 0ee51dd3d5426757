"""Where the agent told a cause or what its change does, and the next run of the same check failed as before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ultron_core.lessons.errors.same_check import same_check
from ultron_core.lessons.errors.told.endings import edits_between
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.terminals import pasted_actions

__all__ = ["refuted_by_checks"]

#: failures of the edit itself: its old text did not match, which says nothing of what was told about it
_NOT_APPLIED = "PatchMismatch"
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
        if action.tool == "patch" and action.failure is not None and action.failure.kind != _NOT_APPLIED:
            yield action.call


def _failed_again(messages: Sequence[Message], actions: Sequence[Action]) -> Iterator[int]:
    """Messages between a failure and the next run of the same check, before which something was changed and which
    shows the same line."""
    for number, failed in enumerate(actions):
        if failed.failure is None or failed.failure.kind == _NOT_APPLIED:
            continue
        near = actions[number : number + 1 + _REACH]
        later = [one for one in near if one.call > failed.result]
        if not any(_fails_alike(failed, one) for one in later):
            continue
        following = next((one for one in later if same_check(failed, one)), None)
        if following is None or not _fails_alike(failed, following):
            continue
        if edits_between(messages, near, failed.result, following.call + 1):
            yield from range(failed.result + 1, following.call + 1)


def _fails_alike(failed: Action, later: Action) -> bool:
    if failed.failure is None or later.failure is None:
        return False
    return clean_line(failed.failure.line) == clean_line(later.failure.line)
