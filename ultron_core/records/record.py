"""A segment, or a whole session, as a model reads it: what always stands there, and its messages in windows.

Every window shows the head of the session's system prompt and the person's request. Of one task it shows the last
messages as well, whatever else fits: so a later window still knows what was asked, and an early one how it ended. Of a
session the model is told what earlier windows decided instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ultron_core.llm.clip import fit_tokens, keep_ends
from ultron_core.llm.tokens import CountTokens, count_tokens, truncate_tokens
from ultron_core.models import Message
from ultron_core.records.frame import framed, header, left_out, mark_of, speaker
from ultron_core.records.need import left_out as not_needed
from ultron_core.records.need import limits, without_reminders
from ultron_core.redaction.known import without_secrets
from ultron_core.redaction.patterns import hide_secrets
from ultron_core.transcript.harness import PLAN_CALLS

__all__ = ["Record", "RecordWindow", "message_body"]

#: at most so many tokens, and at most one part in so many of a window, for what every window shows
_HEAD, _SYSTEM, _REQUEST, _TAIL = (400, 8), (300, 8), (1_500, 6), (1_500, 6)
#: characters of the arguments of one call
_CALL_CHARS = 300


@dataclass(frozen=True, slots=True)
class RecordWindow:
    """The messages shown at start..end (end exclusive), `number` of `total`."""

    start: int
    end: int
    number: int
    total: int

    @property
    def is_last(self) -> bool:
        return self.number == self.total


@dataclass(frozen=True, slots=True)
class _Shown:
    """One message: its number in the segment from 1, who wrote it, its text as far as it is shown."""

    number: int
    who: str
    body: str


class Record:
    """The messages of a segment, each rendered once. Their numbers are positions in the segment, from 1."""

    def __init__(
        self, messages: Sequence[Message], *, system: str = "", count: CountTokens = count_tokens
    ) -> None:
        """`system`: the session's system prompt, for a segment that does not hold it."""
        self.messages = messages
        self._count = count
        told = next((m.content for m in messages if m.role == "system"), system).strip()
        self._system = hide_secrets(told)
        self._shown = _shown_of(messages)
        self.mark = mark_of([self._system, *(f"{one.number} {one.who} {one.body}" for one in self._shown)])
        self._system_cost = count(framed(self.mark, 0, "system", self._system)) if self._system else 0
        self._costs = [count(self._framed(one)) for one in self._shown]
        people = [at for at, one in enumerate(self._shown) if one.who == "user"]
        agents = [at for at, one in enumerate(self._shown) if one.who == "agent"]
        self._request = next(iter(people or agents), None)

    @property
    def has_work(self) -> bool:
        """Whether it holds anything but what a harness wrote or a memory system recalled."""
        return any(one.who not in ("harness", "recalled") for one in self._shown)

    @property
    def tokens(self) -> int:
        """Of all messages, as far as they are shown."""
        return sum(self._costs)

    def numbers(self, window: RecordWindow) -> list[int]:
        """The numbers of the messages that a window shows, apart from request and end."""
        return [one.number for one in self._shown[window.start : window.end]]

    def windows(self, limit: int, *, ends: bool = True) -> list[RecordWindow]:
        """As few runs of messages as windows of `limit` tokens allow; without `ends` the last messages are not shown in
        each of them."""
        runs: list[tuple[int, int]] = []
        start, used, room = 0, 0, self._room(limit, ends)
        for at, cost in enumerate(self._costs):
            if at > start and used + cost > room:
                runs.append((start, at))
                start, used = at, 0
            used += cost
        runs.append((start, len(self._shown)))
        return [RecordWindow(s, e, n, len(runs)) for n, (s, e) in enumerate(runs, start=1)]

    def text(
        self,
        window: RecordWindow,
        limit: int,
        about: Sequence[str] = (),
        *,
        asked: int | None = None,
        ends: bool = True,
    ) -> str:
        """What a model reads of one window; `about` are lines on the record as a whole. `asked` is the number of the
        message that asked for what the window goes on with, by default the first request."""
        head = [
            f"Record {self.mark}, window {window.number} of {window.total}.",
            *(line for line in about if line),
        ]
        parts = [fit_tokens("\n".join(head), _part(_HEAD, limit), self._count), "\n\n"]
        if self._system:
            system = truncate_tokens(self._system, _part(_SYSTEM, limit), mark=" […]")
            parts.append(framed(self.mark, 0, "system", system))
        first = self._asked_at(asked)
        request = [] if first is None or first >= window.start else [first]
        tail = self._tail(window.end, _part(_TAIL, limit)) if ends else range(0)
        parts += self._messages(request, _part(_REQUEST, limit))
        parts.append(self._gap(request[-1] + 1 if request else 0, window.start))
        parts += self._messages(range(window.start, window.end), self._room(limit, ends))
        if ends:
            parts.append(self._gap(window.end, tail[0] if tail else len(self._shown)))
        parts += self._messages(tail, _part(_TAIL, limit))
        return "".join([*parts, f"[{self.mark} end]"])

    def _asked_at(self, number: int | None) -> int | None:
        """The first message from this number on that asks for something; without a number the first request."""
        if number is None:
            return self._request
        later = ((at, one) for at, one in enumerate(self._shown) if one.number >= number)
        return next((at for at, one in later if one.who in ("user", "agent")), None)

    def _room(self, limit: int, ends: bool) -> int:
        """Tokens that are left for the messages of a window; all that nothing else needs when one window will do."""
        room = limit - _part(_HEAD, limit) - min(self._system_cost, _part(_SYSTEM, limit))
        if self.tokens <= room:
            return room
        if not ends:  # which request a later window goes on with is not known yet
            return room - _part(_REQUEST, limit)
        request = 0 if self._request is None else self._costs[self._request]
        return room - min(request, _part(_REQUEST, limit)) - _part(_TAIL, limit)

    def _tail(self, end: int, limit: int) -> range:
        """The last messages behind a window, as many as fit, at least one."""
        first, used = len(self._shown), 0
        while first > end and (used == 0 or used + self._costs[first - 1] <= limit):
            first -= 1
            used += self._costs[first]
        return range(first, len(self._shown))

    def _messages(self, places: Iterable[int], most: int) -> list[str]:
        """Their texts; one that alone is over `most` tokens keeps its head and its tail."""
        texts = []
        for at in places:
            one = self._shown[at]
            if self._costs[at] > most:
                room = max(most - self._count(header(self.mark, one.number, one.who)), 1)
                one = _Shown(one.number, one.who, fit_tokens(one.body, room, self._count))
            texts.append(self._framed(one))
        return texts

    def _framed(self, one: _Shown) -> str:
        return framed(self.mark, one.number, one.who, one.body)

    def _gap(self, start: int, end: int) -> str:
        if start >= end:
            return ""
        return left_out(self.mark, self._shown[start].number, self._shown[end - 1].number)


def _part(most: tuple[int, int], limit: int) -> int:
    tokens, share = most
    return min(tokens, limit // share)


def _shown_of(messages: Sequence[Message]) -> list[_Shown]:
    """Every message that says something and that a reader needs."""
    unneeded = not_needed(messages)
    shown = []
    for at, (message, most) in enumerate(zip(messages, limits(messages), strict=True)):
        if message.role != "system" and at not in unneeded:
            body = message_body(without_secrets(message), _CALL_CHARS)
            shown.append(_Shown(at + 1, speaker(message), keep_ends(body, most)))
    return [one for one in shown if one.body.strip()]


def message_body(message: Message, call_chars: int) -> str:
    """What a message says and what it calls, to-do lists apart."""
    calls = [
        f"call {call.name}: {keep_ends(_arguments(call.arguments), call_chars)}"
        for call in message.tool_calls
        if call.name not in PLAN_CALLS
    ]
    return "\n".join(part for part in (without_reminders(message.content), *calls) if part)


def _arguments(arguments: Any) -> str:
    """Strings as they are, so that they can be quoted; anything else as JSON."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Mapping):
        return json.dumps(arguments, ensure_ascii=False, default=str)
    if len(arguments) == 1:
        return _arguments(next(iter(arguments.values())))
    return "\n".join(f"{name}: {_arguments(value)}" for name, value in arguments.items())
