"""Messages in the order of their first lines, with the assistant rows of one answer merged."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ultron_core.models import Message, ToolCall
from ultron_core.sessions.message import new_message
from ultron_core.sessions.text import clean_text, clean_value

__all__ = ["Turns", "tidied"]

#: how many later messages may wait for an open answer of another thread
_MOST_WAITING = 512


def tidied(messages: list[Message]) -> list[Message]:
    """The messages without NUL characters, which no database can hold, and without empty ones."""
    for m in messages:
        if not m.content or m.content.isspace() or _holds_nul(m):
            break
    else:
        return messages
    cleaned = [_without_nul(m) if _holds_nul(m) else m for m in messages]
    return [m for m in cleaned if not _is_empty(m)]


def _is_empty(message: Message) -> bool:
    """Empty rows are dropped.

    User and system rows need text or parts, assistant rows text, calls, reasoning or parts; tool rows stay.
    """
    if message.content.strip() or message.parts or message.role == "tool":
        return False
    return message.role != "assistant" or not (message.tool_calls or message.reasoning)


def _holds_nul(m: Message) -> bool:
    """Whether any text of the message has a NUL: far cheaper than searching each line for its escape."""
    name, call_id, uuid, model, reasoning = m.name, m.tool_call_id, m.uuid, m.model, m.reasoning
    if (
        "\x00" in m.content
        or (name and "\x00" in name)
        or (call_id and "\x00" in call_id)
        or (uuid and "\x00" in uuid)
        or (m.thread != "main" and "\x00" in m.thread)
        or (model and "\x00" in model)
        or (reasoning and "\x00" in reasoning)
    ):
        return True
    calls, parts = m.tool_calls, m.parts
    if not calls and not parts:
        return False
    values: list[Any] = list(parts)
    for call in calls:
        values += (call.id, call.name, call.arguments)
    return _any_nul(values)


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
    """A queue in which the last assistant message of each thread stays open for further rows of the same answer."""

    def __init__(self) -> None:
        #: what was added and is not ready yet
        self.waiting: deque[_Slot] = deque()
        self._open: dict[str, _Slot] = {}

    def add(self, message: Message, key: str = "") -> bool:
        """Queue a message; True when it was merged into the open one of its thread. `key` "" never merges."""
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

    def note_usage(self, thread: str, usage: Mapping[str, int]) -> None:
        """Token counts for the open answer of a thread; dropped when there is none."""
        slot = self._open.get(thread)
        if slot is not None:
            slot.message = replace(slot.message, usage=usage)

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
    content = f"{old.content}\n{new.content}" if old.content and new.content else old.content or new.content
    return new_message(
        old.role, content, old.tool_calls + new.tool_calls, old.tool_call_id, old.name, old.is_error,
        "\n\n".join(reasoning) or None, old.origin, old.thread, old.start_line, new.end_line, old.timestamp,
        old.parts + new.parts, old.model or new.model, new.usage or old.usage, old.uuid,
    )  # fmt: skip
