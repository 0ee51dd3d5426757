"""Messages in the order of their first lines, with assistant rows of one answer put together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from ultron_core.models import Message

__all__ = ["Turns", "is_empty"]

#: how many later messages may wait for an open answer of another thread
_MOST_WAITING = 512


def is_empty(message: Message) -> bool:
    """Rows that say nothing are dropped, as `filter_messages_for_trajectory` of the spec does.

    User and system rows need text or parts, assistant rows text, calls, reasoning or parts; tool rows stay.
    """
    if message.content.strip() or message.parts or message.role == "tool":
        return False
    return message.role != "assistant" or not (message.tool_calls or message.reasoning)


class _Slot:
    __slots__ = ("key", "message")

    def __init__(self, message: Message, key: str) -> None:
        self.message = message
        self.key = key


class Turns:
    """A queue whose last assistant message of each thread stays open for further rows of the same answer."""

    def __init__(self) -> None:
        self._queue: deque[_Slot] = deque()
        self._open: dict[str, _Slot] = {}

    def add(self, message: Message, key: str = "") -> bool:
        """Queue a message; True when it was put into the open one of its thread. `key` "" never merges."""
        before = self._open.get(message.thread) if self._open else None
        if before is not None:
            if key and before.key == key and message.role == "assistant" and _fits(before, message):
                before.message = _joined(before.message, message)
                return True
            before.key = ""
            del self._open[message.thread]
        mergeable = key if message.role == "assistant" else ""
        slot = _Slot(message, mergeable)
        self._queue.append(slot)
        if mergeable:
            self._open[message.thread] = slot
        return False

    def ready(self, *, all_of_them: bool = False) -> Iterator[Message]:
        """The messages that can no longer change, in order."""
        queue = self._queue
        while queue and (all_of_them or not queue[0].key or len(queue) > _MOST_WAITING):
            slot = queue.popleft()
            if slot.key:
                self._open.pop(slot.message.thread, None)
            yield slot.message


def _fits(before: _Slot, message: Message) -> bool:
    """Where a log has no id of the answer (key starts with `~`), two texts are two answers."""
    old = before.message
    if before.key[0] != "~":
        return True
    return not (message.content and (old.content or old.tool_calls)) and not (
        message.reasoning and old.tool_calls
    )


def _joined(old: Message, new: Message) -> Message:
    reasoning = [text for text in (old.reasoning, new.reasoning) if text]
    if len(reasoning) == 2 and reasoning[1].strip() == reasoning[0].strip():
        reasoning.pop()
    return replace(
        old,
        content="\n".join(text for text in (old.content, new.content) if text),
        reasoning="\n\n".join(reasoning) or None,
        tool_calls=old.tool_calls + new.tool_calls,
        parts=old.parts + new.parts,
        end_line=new.end_line,
        model=old.model or new.model,
        usage=new.usage or old.usage,
    )
