"""Errors in tool output and what became of them: solved, tried again in vain, or abandoned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ultron_core.lessons.episodes.same_check import code_of, is_proof, same_check
from ultron_core.models import Message
from ultron_core.transcript.actions import Action, call_text
from ultron_core.transcript.commands import same_purpose
from ultron_core.transcript.results.failures import clean_line

__all__ = ["Episode", "find_episodes"]

#: later actions among which the cure of a failure is looked for (not fitted: docs/memories.md)
_REACH = 60
#: characters from which on a repeated message of a person begins the whole task again
_TASK_CHARS = 200
#: kinds of failure that belong to one step of an edit
STAGES = ("PatchMismatch", "Lint")

#: "exitcode: 0 (execution succeeded)", "Code output:", "stdout:"
_STATUS_LINE = re.compile(r"^(?:exit ?code:?.*|(?:\w+ )?output:|stdout:|stderr:)\s*", re.IGNORECASE)
#: e.g. `user_id`
_WORD = re.compile(r"\w+")
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
    #: the first run of the same check without this failure, when another one came to light before it worked
    gone: Action | None = None


def find_episodes(messages: Sequence[Message], actions: Sequence[Action]) -> list[Episode]:
    """One episode for every failure that is not itself a repetition of an earlier, open one."""
    restarts = _starts_over(messages)
    unanswered = _unanswered(messages, actions) if any(a.failure for a in actions) else []
    taken: set[int] = set()
    episodes: list[Episode] = []
    for i, action in enumerate(actions):
        if action.failure is None or i in taken:
            continue
        again: list[Action] = []
        worked, gone, stop = None, None, min(i + 1 + _REACH, len(actions))
        cured_at = 0
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
            if _same_error(action, later) or _still_there(action, later):
                if _same_error(action, later):
                    taken.add(j)
                again.append(later)
                gone = None  # it came back
            elif gone is None and _moved_on(action, later):
                gone, cured_at = (
                    later,
                    j,
                )  # its cure lies before; that it holds is shown by the run that works
        again_from = min((p for p in restarts if p > action.result), default=len(messages))
        after = [a for a in actions[stop : stop + _REACH // 2] if a.call < again_from]
        end = cured_at if worked is not None and gone is not None else stop
        last = actions[end].call if end < len(actions) else len(messages)
        silent = (a for a in unanswered if action.result < a.call < last)
        between = tuple(sorted((*actions[i + 1 : end], *silent), key=lambda a: (a.call, a.result)))
        episodes.append(Episode(action, tuple(again), worked, between, tuple(after), gone))
    return episodes


def _unanswered(messages: Sequence[Message], actions: Sequence[Action]) -> list[Action]:
    """Calls whose result the log does not hold (some logs leave out empty ones); what they changed is changed."""
    answered = {(a.call, a.tool, a.text) for a in actions}
    found = []
    for position, message in enumerate(messages):
        for call in message.tool_calls:
            text = call_text(call)
            if (position, call.name, text) not in answered:
                found.append(
                    Action(position, position, call.name, call.arguments, text, "", "ok", "none", None)
                )
    return found


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


def _still_there(failed: Action, later: Action) -> bool:
    """True when a later run that fails, perhaps for another reason first, still prints the line of this failure."""
    line = failed.failure.line.strip() if failed.failure else ""
    return bool(line) and later.failure is not None and line in later.output


def _moved_on(failed: Action, later: Action) -> bool:
    """True when a later run of the same thing fails for another reason: what changes from there on cures that."""
    assert failed.failure is not None
    return later.failure is not None and failed.tool != "patch" and failed.failure.line not in later.output


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
        if message.role == "user" and message.origin == "human" and len(message.content) >= _TASK_CHARS:
            if message.content in seen:
                found.append(position)
            seen.add(message.content)
    return found


def _same_error(one: Action, other: Action) -> bool:
    """The same exception, or none in both, in words that are half the same."""
    if one.failure is None or other.failure is None or one.failure.kind != other.failure.kind:
        return False
    left, right = (_WORD.findall(clean_line(a.failure.line)) for a in (one, other) if a.failure)
    return 2 * len(set(left) & set(right)) >= max(len(set(left)), len(set(right)))
