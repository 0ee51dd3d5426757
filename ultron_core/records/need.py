"""What of a log a reader needs: which messages are left out, and how much of a long one is shown."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.models import Message
from ultron_core.records.frame import speaker
from ultron_core.transcript.ending import ending_kind
from ultron_core.transcript.harness import (
    HARNESS_COMMAND_ARGUMENTS,
    HARNESS_REMINDERS,
    PLAN_CALLS,
    joined,
)
from ultron_core.transcript.recaps import is_recap
from ultron_core.transcript.results.failures import find_failure

__all__ = ["left_out", "limits", "without_reminders"]

#: characters of one message: what people write counts most
_CHARS = {"user": 6_000, "agent": 6_000, "assistant": 2_800, "tool error": 1_200, "recalled": 200}
#: of what a harness wrote: a summary of earlier work, and any other line that is shown
_RECAP, _HARNESS = 3_000, 200
#: of what an agent says and calls while it works
_WORKS = 800
#: of a tool's output: one that tells of a failure, one that is asked for or answered from, and any other
_FAILING, _NEEDED, _PASSING = 800, 600, 200
_REMINDER, _ARGUMENTS = joined(HARNESS_REMINDERS), joined(HARNESS_COMMAND_ARGUMENTS)


def left_out(messages: Sequence[Message]) -> frozenset[int]:
    """Positions of messages that no reader needs: to-do lists with their results, and what a harness wrote that says
    neither what was asked for, nor what came before, nor how it ended."""
    plans = {
        call.id for message in messages for call in message.tool_calls if call.id and call.name in PLAN_CALLS
    }
    return frozenset(at for at, message in enumerate(messages) if _is_left_out(message, plans))


def _is_left_out(message: Message, plans: set[str]) -> bool:
    if message.tool_call_id in plans:
        return not message.is_error
    if message.origin != "harness":
        return False
    command = _ARGUMENTS.search(message.content)
    asks = command is not None and any(part and part.strip() for part in command.groups())
    return not (asks or is_recap(message) or ending_kind(message) is not None)


def limits(messages: Sequence[Message]) -> list[int]:
    """Characters that are shown of each message: of a tool's output more where it is or tells of an error, is the first
    one behind a request, or the last one before the agent answers."""
    who = [speaker(message) for message in messages]
    works = [
        _works(message, one, behind)
        for message, one, behind in zip(messages, who, [*who[1:], ""], strict=True)
    ]
    found: list[int] = []
    asked = True
    for at, message in enumerate(messages):
        behind = who[at + 1] if at + 1 < len(who) else ""
        answers = behind == "assistant" and not works[at + 1]
        found.append(_limit(message, who[at], works[at], asked or answers))
        asked = who[at] in ("user", "agent") or (asked and not who[at].startswith("tool"))
    return found


def _works(message: Message, who: str, behind: str) -> bool:
    """Whether an agent says it at work, and not as its answer to a person."""
    return who == "assistant" and (bool(message.tool_calls) or behind.startswith("tool"))


def _limit(message: Message, who: str, works: bool, needed: bool) -> int:
    if who == "harness":
        return _RECAP if is_recap(message) else _HARNESS
    if who == "tool":
        if find_failure(message.content, is_error=message.is_error) is not None:
            return _FAILING
        return _NEEDED if needed else _PASSING
    return _WORKS if works else _CHARS.get(who, 1_500)


def without_reminders(text: str) -> str:
    """A text without what the harness put into it for the agent alone."""
    return _REMINDER.sub("", text) if "<" in text else text
