"""Messages in the order of their first lines, with assistant rows of one answer put together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ultron_core.models import Message, ToolCall
from ultron_core.sessions.text import clean_text, clean_value

__all__ = ["Turns", "tidied"]

#: how many later messages may wait for an open answer of another thread
_MOST_WAITING = 512


def tidied(messages: list[Message]) -> list[Message]:
    """The messages without NUL characters, which no database can hold, and without those that say nothing."""
    kept = []
    for message in messages:
        if _holds_nul(message):
            message = _without_nul(message)
        if not _is_empty(message):
            kept.append(message)
    return kept


def _is_empty(message: Message) -> bool:
    """Rows that say nothing are dropped, as `filter_messages_for_trajectory` of the spec does.

    User and system rows need text or parts, assistant rows text, calls, reasoning or parts; tool rows stay.
    """
    content = message.content
    if (content and not content.isspace()) or message.parts or message.role == "tool":
        return False
    return message.role != "assistant" or not (message.tool_calls or message.reasoning)


def _holds_nul(message: Message) -> bool:
    """Whether any text of the message has a NUL: a hundred times cheaper than a look for its escape in a line."""
    m = message
    if "\x00" in m.content or (m.reasoning and "\x00" in m.reasoning):
        return True
    if "\x00" in f"{m.tool_call_id}{m.name}{m.uuid}{m.model}{m.thread}":
        return True
    if not (m.tool_calls or m.parts):
        return False
    calls = [[call.id, call.name, call.arguments] for call in m.tool_calls]
    return _any_nul([*calls, *m.parts])


def _any_nul(values: list[Any]) -> bool:
    for value in values:  # grows while it is walked
        if value.__class__ is str:
            if "\x00" in value:
                return True
        elif value.__class__ is dict:
            values.extend(value)
            values.extend(value.values())
        elif value.__class__ is list:
            values.extend(value)
    return False


def _without_nul(message: Message) -> Message:
    texts = ("content", "reasoning", "tool_call_id", "name", "uuid", "model", "thread")
    cleaned: dict[str, Any] = {name: clean_value(getattr(message, name)) for name in texts}
    cleaned["tool_calls"] = tuple(
        ToolCall(clean_text(call.id), clean_text(call.name), clean_value(call.arguments))
        for call in message.tool_calls
    )
    cleaned["parts"] = tuple(clean_value(part) for part in message.parts)
    return replace(message, **cleaned)


class _Slot:
    __slots__ = ("key", "message")

    def __init__(self, message: Message, key: str) -> None:
        self.message = message
        self.key = key


class Turns:
    """A queue whose last assistant message of each thread stays open for further rows of the same answer."""

    def __init__(self) -> None:
        #: what was added and is not ready yet
        self.waiting: deque[_Slot] = deque()
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
        self.waiting.append(slot)
        if mergeable:
            self._open[message.thread] = slot
        return False

    def ready(self, *, all_of_them: bool = False) -> Iterator[Message]:
        """The messages that can no longer change, in order."""
        queue = self.waiting
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
