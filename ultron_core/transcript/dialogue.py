"""A segment seen as a dialogue: whose turns they are, what each action came to, what the answer is.

Only normalised content is read (role, origin, text, calls), so the same talk in two log formats gives the
same dialogue. Text of a harness and recalled memories are nobody's behaviour and are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ultron_core.models import Message, ToolCall
from ultron_core.transcript.actions import Action, read_actions
from ultron_core.transcript.ending import Ending, ending_of
from ultron_core.transcript.people import is_human, is_request

__all__ = ["Dialogue", "ToolStep", "read_dialogue"]

State = Literal["ok", "error", "empty"]
#: a call of this name is the answer itself: "finish", "submit", "attempt_completion"
_FINISH = re.compile(
    r"^(?:finish|submit|final_?answer|answer|done|complete(?:_task)?|attempt_completion)$", re.I
)
#: evidence of a metric names at most this many lines, the last ones
_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One action at the place of its result. `position` counts in `Dialogue.messages`."""

    position: int
    name: str
    action: Action

    @property
    def state(self) -> State:
        """The outcome in three words: a failed check, a time-out and a refusal are errors."""
        if self.action.outcome == "empty":
            return "empty"
        return "ok" if self.action.outcome in ("ok", "passed") else "error"

    @property
    def key(self) -> str:
        """Equal for a repeated call with equal arguments, whatever their order; empty when nothing was called."""
        if not self.action.text:
            return ""
        arguments = json.dumps(self.action.arguments, sort_keys=True, ensure_ascii=False, default=str)
        return f"{self.action.tool} {arguments}"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Positions in `messages`: `human` turns of a person, `requests` with those that a program handed in too,
    `replies` of the model with text."""

    messages: tuple[Message, ...]
    human: tuple[int, ...]
    requests: tuple[int, ...]
    replies: tuple[int, ...]
    calls: tuple[tuple[int, ToolCall], ...]
    steps: tuple[ToolStep, ...]
    #: words of the last answer; `answer_at` is its position, or -1
    answer: str
    answer_at: int
    #: the answer came through a call such as `finish`
    finished_by_call: bool
    #: how the harness ended the work, where it did
    ending: Ending | None

    def lines(self, positions: Sequence[int]) -> tuple[int, ...]:
        """First physical lines of these messages, sorted, each once, at most 20 (the last ones)."""
        found = sorted({self.messages[p].start_line for p in positions if 0 <= p < len(self.messages)})
        return tuple(found[-_MOST_LINES:])

    @property
    def request(self) -> str:
        return self.messages[self.requests[0]].content if self.requests else ""


def read_dialogue(messages: Sequence[Message]) -> Dialogue:
    """The dialogue of a segment; harness text and recalled memories are left out."""
    kept = tuple(m for m in messages if m.origin not in ("harness", "recalled") and m.role != "system")
    actions = read_actions(kept)
    results = {action.result for action in actions}
    # in a text protocol the user's rows are tool output
    requests = tuple(i for i, m in enumerate(kept) if is_request(m) and i not in results)
    human = tuple(i for i in requests if is_human(kept[i]))
    replies = tuple(i for i, m in enumerate(kept) if m.role == "assistant" and m.content.strip())
    calls = tuple((i, call) for i, m in enumerate(kept) for call in m.tool_calls)
    steps = tuple(ToolStep(a.result, a.tool or kept[a.result].name or "", a) for a in actions)
    answer, answer_at, by_call = _answer(kept, replies, calls)
    ending = ending_of(messages)
    return Dialogue(kept, human, requests, replies, calls, steps, answer, answer_at, by_call, ending)


def _answer(
    kept: Sequence[Message], replies: Sequence[int], calls: Sequence[tuple[int, ToolCall]]
) -> tuple[str, int, bool]:
    if calls and _FINISH.match(calls[-1][1].name) and not any(r > calls[-1][0] for r in replies):
        position, call = calls[-1]
        return _words(call.arguments), position, True
    return (kept[replies[-1]].content, replies[-1], False) if replies else ("", -1, False)


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(_words(v) for v in value.values())
    if isinstance(value, list):
        return " ".join(_words(v) for v in value)
    return "" if value is None else str(value)
