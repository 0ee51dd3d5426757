"""What a model sees of a thread that it divides: of each message head and tail, of long runs of work their ends."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.llm.clip import fit_tokens, keep_ends
from ultron_core.llm.tokens import CountTokens
from ultron_core.models import Message
from ultron_core.records.frame import framed, left_out, mark_of, speaker
from ultron_core.records.record import message_body
from ultron_core.redaction.known import without_secrets
from ultron_core.segments.by_model.windows import Window

__all__ = ["ShownThread"]

#: characters of one message: boundaries are told by what people write. The same cuts came out as with whole messages,
#: in a trial on eight sessions, at a sixth of the tokens
_USER_CHARS, _ASSISTANT_CHARS, _OTHER_CHARS = 1_500, 300, 120
#: whose messages may ask for another task
_ASKING = ("user", "agent", "harness", "system")
#: messages at each end of what agent and tools do between two of those: what was asked says where a task begins. Of
#: 375 messages of agents and tools in the ten threads of tests/replay that are divided, 214 stand deeper inside
_RUN_ENDS = 3


class ShownThread:
    """The messages of a thread, each rendered once; a window numbers its own from 1."""

    def __init__(self, messages: Sequence[Message], count: CountTokens) -> None:
        self._messages = messages
        self._count = count
        self._bodies = [_body(message) for message in messages]
        self._hidden = _hidden(messages)
        self._mark = mark_of(self._bodies)

    def costs(self) -> list[int]:
        """Tokens of each message; its number is as wide as it can get, so that it is counted once for all windows."""
        last = len(self._messages)
        gap = self._count(left_out(self._mark, last, last)) if self._hidden else 0
        return [self._cost(at, gap) for at in range(last)]

    def _cost(self, at: int, gap: int) -> int:
        if at in self._hidden:
            return 0 if at - 1 in self._hidden else gap
        return self._count(self._framed(at, len(self._messages), self._bodies[at]))

    @property
    def frame(self) -> int:
        """Tokens around the messages of a window, one that begins in the middle of a hidden run included."""
        last = len(self._messages)
        return self._count(self._around([left_out(self._mark, last, last)] if self._hidden else [], last))

    def text(self, window: Window, room: int) -> str:
        """What is sent of one window; a lone message is shortened to `room` tokens."""
        lines: list[str] = []
        first = window.start
        for at in range(window.start, window.end):
            number = at - window.start + 1
            if at not in self._hidden:
                lines.append(self._framed(at, number, self._body_within(at, room, window)))
                first = at + 1
            elif at + 1 == window.end or at + 1 not in self._hidden:
                lines.append(left_out(self._mark, first - window.start + 1, number))
        return self._around(lines, window.end - window.start)

    def _body_within(self, at: int, room: int, window: Window) -> str:
        if not window.shortened:
            return self._bodies[at]
        head = self._count(self._framed(at, 1, ""))
        return fit_tokens(self._bodies[at], max(room - head, 1), self._count)

    def _framed(self, at: int, number: int, body: str) -> str:
        return framed(self._mark, number, speaker(self._messages[at]), body)

    def _around(self, lines: Sequence[str], last: int) -> str:
        return "".join([f"Record {self._mark}, messages 1 to {last}.\n\n", *lines, f"[{self._mark} end]"])


def _hidden(messages: Sequence[Message]) -> frozenset[int]:
    """Positions in the middle of long runs of what agent and tools do."""
    hidden: set[int] = set()
    first = 0
    for at in range(len(messages) + 1):
        if at == len(messages) or speaker(messages[at]) in _ASKING:
            inner = range(first + _RUN_ENDS, at - _RUN_ENDS)
            hidden.update(inner if len(inner) > 1 else ())
            first = at + 1
    return frozenset(hidden)


def _body(message: Message) -> str:
    """The head and tail of what it says and calls, else of its reasoning; may be empty."""
    clean = without_secrets(message)
    most = {"user": _USER_CHARS, "assistant": _ASSISTANT_CHARS}.get(speaker(message), _OTHER_CHARS)
    return keep_ends(message_body(clean, _ASSISTANT_CHARS) or clean.reasoning or "", most)
