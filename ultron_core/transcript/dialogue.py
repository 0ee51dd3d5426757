"""A segment seen as a dialogue: whose turns they are, what each tool call came to, what the answer is.

Only normalised content is read (role, origin, text, calls), so the same talk in two log formats gives the
same dialogue. Text of a harness and recalled memories are no behaviour of anybody and are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ultron_core.models import Message, ToolCall
from ultron_core.transcript import signs as phrases

__all__ = ["Dialogue", "ToolStep", "call_key", "read_dialogue"]

State = Literal["ok", "error", "empty"]
#: signs of an outcome stand at the head or the tail of a tool's output; the middle is the output itself
_EDGE = 1_500
#: a call of this name is the answer itself
_FINISH = re.compile(
    r"^(?:finish|submit|final_?answer|answer|done|complete(?:_task)?|attempt_completion)$", re.I
)
#: tools whose output is text that somebody wrote: only its first words can be about the call itself
_SHOWS = re.compile(
    r"^(?:read|view|cat|open|grep|glob|ls|list|search_file|read_file|web|fetch|task|agent)", re.I
)


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One tool result. `position` counts in `Dialogue.messages`; `key` names the call and its arguments."""

    position: int
    name: str
    key: str
    state: State


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Positions in `messages`: `human` turns of a person, `replies` of the model with text."""

    messages: tuple[Message, ...]
    human: tuple[int, ...]
    replies: tuple[int, ...]
    calls: tuple[tuple[int, ToolCall], ...]
    steps: tuple[ToolStep, ...]
    #: words of the last answer; `answer_at` is its position, or -1
    answer: str
    answer_at: int
    #: the answer came through a call such as `finish`
    finished_by_call: bool

    def lines(self, positions: Sequence[int]) -> tuple[int, ...]:
        """First physical lines of these messages, sorted, each once, at most 20 (the last ones)."""
        found = sorted({self.messages[p].start_line for p in positions if 0 <= p < len(self.messages)})
        return tuple(found[-20:])

    @property
    def request(self) -> str:
        return self.messages[self.human[0]].content if self.human else ""


def read_dialogue(messages: Sequence[Message]) -> Dialogue:
    """The dialogue of a segment; harness text and recalled memories are left out."""
    kept = tuple(m for m in messages if m.origin not in ("harness", "recalled") and m.role != "system")
    # some formats write a tool's observation as a user row; its origin tells
    human = tuple(
        i for i, m in enumerate(kept) if m.role == "user" and m.origin != "tool" and m.content.strip()
    )
    replies = tuple(i for i, m in enumerate(kept) if m.role == "assistant" and m.content.strip())
    calls = tuple((i, call) for i, m in enumerate(kept) for call in m.tool_calls)
    answer, answer_at, by_call = _answer(kept, replies, calls)
    return Dialogue(kept, human, replies, calls, _steps(kept), answer, answer_at, by_call)


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


def call_key(call: ToolCall) -> str:
    """The call without its id: equal for a repeated call with equal arguments, whatever their order."""
    arguments = json.dumps(call.arguments, sort_keys=True, ensure_ascii=False, default=str)
    return f"{call.name} {arguments}"


def _steps(kept: Sequence[Message]) -> tuple[ToolStep, ...]:
    waiting: dict[str, ToolCall] = {}
    steps = []
    for position, message in enumerate(kept):
        waiting.update({call.id: call for call in message.tool_calls})
        if message.role != "tool":
            continue
        call = waiting.get(message.tool_call_id or "")
        name = call.name if call else (message.name or "")
        key = call_key(call) if call else ""
        steps.append(ToolStep(position, name, key, _state(message, name)))
    return tuple(steps)


def _state(message: Message, name: str) -> State:
    text = message.content
    if message.is_error:
        return "error"
    edges = text if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}"
    if _SHOWS.match(name):
        edges = edges[:200]
    if len(text) < 400 and phrases.EMPTY_RESULT.search(text):
        return "empty"
    if phrases.ERROR_RESULT.search(edges) or (phrases.FAILED_TESTS.search(edges) and not _SHOWS.match(name)):
        return "error"
    return "ok"
