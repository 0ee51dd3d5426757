"""Errors in tool output and what became of them: solved, tried again in vain, or abandoned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ultron_core.lessons.errors.same_check import code_of, is_proof, same_check
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import same_purpose
from ultron_core.transcript.failures import clean_line

__all__ = ["STAGES", "Episode", "find_episodes", "unchanged"]

#: later actions among which the cure of a failure is looked for (not fitted: docs/memories.md)
_REACH = 60
#: characters from which on a repeated message of a person begins the whole task again
_TASK_CHARS = 200
#: kinds of failure that belong to one step of an edit
STAGES = ("PatchMismatch", "Lint")

#: "exitcode: 0 (execution succeeded)", "Code output:", "stdout:"
_STATUS_LINE = re.compile(r"^(?:exit ?code:?.*|(?:\w+ )?output:|stdout:|stderr:)\s*", re.IGNORECASE)
#: tests that never ran judge nothing, e.g. `ModuleNotFoundError: No module named 'app'`
_NOT_IMPORTED = re.compile(r"\b(?:ImportError|ModuleNotFoundError)\b")
#: "[]", "None"
_NOTHING = re.compile(r"(?:(?:\[\s*\]|\{\s*\}|none|null|nan|''|\"\")\s*)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Episode:
    """A failure, the tries of the same thing that failed too, and the one that worked (None: none did)."""

    failed: Action
    again: tuple[Action, ...]
    worked: Action | None
    between: tuple[Action, ...]
    #: the next actions from the one that worked on
    after: tuple[Action, ...] = ()


def find_episodes(messages: Sequence[Message], actions: Sequence[Action]) -> list[Episode]:
    """One episode for every failure that is not itself a repetition of an earlier, open one."""
    restarts = _starts_over(messages)
    taken: set[int] = set()
    episodes = []
    for i, action in enumerate(actions):
        if action.failure is None or i in taken:
            continue
        again: list[Action] = []
        worked, stop = None, min(i + 1 + _REACH, len(actions))
        for j in range(i + 1, stop):
            later = actions[j]
            if messages[later.result].thread != messages[action.result].thread:
                continue
            if any(action.result < position <= later.call for position in restarts):
                break
            # a call made before the failure was seen cannot be its cure
            if later.call < action.result or not same_purpose(action, later):
                continue
            if same_check(action, later) and _cured(action, later):
                worked, stop = later, j
                break
            if _same_error(action, later):
                taken.add(j)
                again.append(later)
            elif _moved_on(action, later):
                break
        again_from = min((p for p in restarts if p > action.result), default=len(messages))
        after = [a for a in actions[stop : stop + _REACH // 2] if a.call < again_from]
        episodes.append(Episode(action, tuple(again), worked, tuple(actions[i + 1 : stop]), tuple(after)))
    return episodes


def unchanged(episode: Episode) -> bool:
    """True when the same call was made three times with nothing else done in between."""
    tries = (episode.failed, *episode.again)
    last = tries[-1].result
    others = [a for a in episode.between if a.result < last and a not in tries]
    return len(tries) >= 3 and not others and all(a.text == tries[0].text for a in tries)


def _cured(failed: Action, later: Action) -> bool:
    """True when `later` shows that what failed works; of a patch that its own kind of failure is gone."""
    assert failed.failure is not None
    lint = failed.failure.kind in STAGES
    if later.failure is None and failed.tool != "patch":
        return is_proof(later) and not (code_of(failed) and "print(" in later.text and _empty(later.output))
    if later.failure is None and not lint:
        return later.checks == "passed"  # "Applied edit to a.py" alone does not say what the tests came to
    if not lint or (later.failure is not None and later.failure.kind == failed.failure.kind):
        return False
    # the stage behind the edit ran: a name that is imported from where it is not would have stopped it
    return later.checks != "none" and not _NOT_IMPORTED.search(later.output)


def _moved_on(failed: Action, later: Action) -> bool:
    """True when the same check fails for another reason: what is changed from there on cures that one."""
    assert failed.failure is not None
    gone = failed.failure.line not in later.output
    return later.failure is not None and failed.tool != "patch" and gone and same_check(failed, later)


def _empty(output: str) -> bool:
    """True for a program that was to print something and printed nothing, or an empty value."""
    lines = [_STATUS_LINE.sub("", line.strip()) for line in output.splitlines()]
    shown = "\n".join(line for line in lines if line)
    return not shown or _NOTHING.fullmatch(shown) is not None


def _starts_over(messages: Sequence[Message]) -> list[int]:
    """Positions where a person hands in the same long task again: what follows is another try of all."""
    seen: set[str] = set()
    found = []
    for position, message in enumerate(messages):
        if message.role == "user" and len(message.content) >= _TASK_CHARS:
            if message.content in seen:
                found.append(position)
            seen.add(message.content)
    return found


def _same_error(one: Action, other: Action) -> bool:
    if one.failure is None or other.failure is None:
        return False
    if one.failure.kind or other.failure.kind:
        return one.failure.kind == other.failure.kind
    return clean_line(one.failure.line)[:60] == clean_line(other.failure.line)[:60]
