"""What a reader carries from row to row, and the one place where messages are made."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ultron_core.models import Message, Origin, ToolCall
from ultron_core.sessions.blocks import Content, Result, take_apart
from ultron_core.sessions.message import new_message
from ultron_core.sessions.origins import Origins, is_memory_tool
from ultron_core.sessions.text import as_text, clean_text, clean_value, decode

__all__ = ["METADATA", "Read", "State", "usage_of"]

#: What a format makes of a row: its messages, none for metadata, or the reason for a skip.
Read = list[Message] | str
METADATA: list[Message] = []
_INFO = ("harness", "harness_version", "cwd", "root", "remote", "session_id", "model")
_USAGE = (
    ("input", ("input_tokens", "prompt_tokens", "input")),
    ("output", ("output_tokens", "completion_tokens", "output")),
    ("cache_read", ("cache_read_input_tokens", "cached_input_tokens", "cacheRead")),
    ("cache_write", ("cache_creation_input_tokens", "cacheWrite")),
    ("reasoning", ("reasoning_output_tokens", "reasoning_tokens")),
)


class State:
    """Reader state: current lines, threads by row id, calls by id, what the log said about itself."""

    def __init__(self, find_threads: Callable[[], Mapping[str, str]], origins: Origins) -> None:
        self.start = self.end = 0
        self._find_threads = find_threads
        self.origins = origins
        self._threads: Mapping[str, str] | None = None
        self.info: dict[str, Any] = {}
        self.tools: tuple[Mapping[str, Any], ...] = ()
        self.first_time: datetime | None = None
        self.last_time: datetime | None = None
        self.seen_ids: set[str] = set()
        self.calls: dict[str, str] = {}
        #: calls without an id of their own, answered in order: (thread, name)
        self.waiting: deque[str] = deque()
        #: set by a format: assistant rows with equal keys that follow each other are one message
        self.merge_key = ""
        #: calls that a log reports as failed (or not) before it gives their answer
        self.failed: dict[str, bool] = {}
        #: token counts of the open answer of the main thread, given in a separate row
        self.late_usage: Mapping[str, int] | None = None
        #: rows that only OpenAI chat has; lines of role and text alone may also be Anthropic's
        self.openai_marks = 0
        #: formats whose rows another harness also writes, and that harness, once the log has named it
        self.dialects: dict[str, str] = {}
        #: scratch data of one format, by its name
        self.memo: dict[str, Any] = {}

    def thread_of(self, row_id: str) -> str:
        """The thread of a row of a tree; the first request makes the reader read the file for its tree."""
        if self._threads is None:
            self._threads = self._find_threads()
        return self._threads.get(row_id, "main")

    def note(self, **values: Any) -> None:
        """Keep the first non-empty value of each field of SessionInfo."""
        for key, value in values.items():
            if key in _INFO and isinstance(value, str) and value and key not in self.info:
                self.info[key] = clean_text(value)

    def speaks(self, dialect: str, of: str) -> None:
        """The rows of format `of` in this file are those of the harness `dialect`; the first claim stands."""
        if of not in self.dialects:
            self.dialects[of] = dialect
            if self.info.get("harness") in (None, of):
                self.info["harness"] = dialect

    def note_time(self, time: datetime | None) -> datetime | None:
        """Widen the session's time span; returns the time."""
        if time is not None:
            if self.last_time is None:
                self.first_time = self.last_time = time
            elif time > self.last_time:
                self.last_time = time
            elif self.first_time is not None and time < self.first_time:
                self.first_time = time
        return time

    def note_tools(self, tools: Any) -> None:
        """Keep tool schemas in OpenAI shape, from a list or its JSON; the last one that a log carries stands."""
        tools = decode(tools)
        if not isinstance(tools, list):
            return
        shaped = [_tool_schema(clean_value(tool)) for tool in tools if isinstance(tool, dict)]
        self.tools = tuple(tool for tool in shaped if tool) or self.tools

    def user(self, content: Any, origin: Origin = "human", **extra: Any) -> list[Message]:
        """User text (split by origin) and tool results, in the order of the blocks."""
        if isinstance(content, str):
            return [
                self._make("user", text, kind, **extra) for kind, text in self.origins.split(content, origin)
            ]
        taken = take_apart(content)
        messages: list[Message] = []
        for item in taken.flow:
            if isinstance(item, Result):
                messages.append(self._result(item, **extra))
            else:
                messages.extend(
                    self._make("user", text, kind, **extra) for kind, text in self.origins.split(item, origin)
                )
        if taken.parts:
            self._attach(messages, taken, origin, extra)
        return messages

    def _attach(self, messages: list[Message], taken: Content, origin: Origin, extra: dict[str, Any]) -> None:
        """Images and unknown blocks go with the person's words, otherwise into a separate message."""
        place = next((i for i, m in enumerate(messages) if m.role == "user" and m.origin == origin), None)
        if place is None:
            messages.append(self._make("user", "", origin, parts=tuple(taken.parts), **extra))
        else:
            words = messages[place]
            messages[place] = self._make("user", words.content, origin, parts=tuple(taken.parts), **extra)

    def system(self, content: Any, **extra: Any) -> list[Message]:
        """A system prompt; memory blocks in it become messages of origin `recalled`."""
        text = content if isinstance(content, str) else take_apart(content).text
        return [
            self._make("system", piece, kind, **extra) for kind, piece in self.origins.split(text, "harness")
        ]

    def assistant(
        self,
        content: Any,
        *,
        calls: Sequence[ToolCall] = (),
        reasoning: Any = None,
        origin: Origin = "model",
        parts: tuple[Mapping[str, Any], ...] = (),
        name: str | None = None,
        thread: str = "main",
        timestamp: datetime | None = None,
        model: str | None = None,
        usage: Mapping[str, int] | None = None,
        uuid: str | None = None,
    ) -> list[Message]:
        """One message of the model: text blocks by newline, thinking blocks by blank line, calls in order."""
        results: list[Result] = []
        thinking = reasoning if reasoning.__class__ is str else None
        if content.__class__ is str:
            text = content
        else:
            taken = take_apart(content)
            text = taken.text
            if taken.thinking:
                thinking = "\n\n".join([*taken.thinking, thinking] if thinking else taken.thinking)
            calls, parts = (*taken.calls, *calls), (*parts, *taken.parts)
            results = [item for item in taken.flow if item.__class__ is Result]
        for call in calls:
            if call.id:
                self.calls[call.id] = call.name
        messages = [
            new_message(
                "assistant", text, tuple(calls), None, name, None, thinking or None, origin, thread,
                self.start, self.end, timestamp, parts, model, usage, uuid,
            )
        ]  # fmt: skip
        for item in results:
            messages.append(self._result(item, thread=thread, timestamp=timestamp, uuid=uuid))
        return messages

    def tool(
        self,
        content: str,
        call_id: str | None = None,
        *,
        name: str | None = None,
        is_error: bool | None = None,
        parts: tuple[Mapping[str, Any], ...] = (),
        thread: str = "main",
        timestamp: datetime | None = None,
        uuid: str | None = None,
        **_: Any,
    ) -> list[Message]:
        """The answer of a tool; its name is filled in from the call where that is known."""
        if not name and call_id:
            name = self.calls.get(call_id)
        origin: Origin = "recalled" if name and is_memory_tool(name) else "tool"
        message = new_message(
            "tool", content, (), call_id, name or None, is_error, None, origin, thread, self.start, self.end,
            timestamp, parts, None, None, uuid,
        )  # fmt: skip
        return [message]

    def _result(self, item: Result, **extra: Any) -> Message:
        call_id = item.call_id or extra.get("call_id")
        extra = {key: value for key, value in extra.items() if key in ("thread", "timestamp", "uuid")}
        return self.tool(item.text, call_id, is_error=item.is_error, parts=item.parts, **extra)[0]

    def _make(
        self,
        role: Any,
        content: str,
        origin: Origin,
        calls: Sequence[ToolCall] = (),
        reasoning: str | None = None,
        parts: tuple[Mapping[str, Any], ...] = (),
        *,
        call_id: str | None = None,
        name: str | None = None,
        is_error: bool | None = None,
        thread: str = "main",
        timestamp: datetime | None = None,
        model: str | None = None,
        usage: Mapping[str, int] | None = None,
        uuid: str | None = None,
    ) -> Message:
        for call in calls:
            if call.id:
                self.calls[call.id] = call.name
        return new_message(
            role, content, tuple(calls), call_id, name, is_error, reasoning, origin, thread, self.start,
            self.end, timestamp, parts, model, usage, uuid,
        )  # fmt: skip


def usage_of(raw: Any) -> Mapping[str, int] | None:
    """Token counts under our names, from Anthropic, OpenAI or native ones."""
    if not isinstance(raw, dict):
        return None
    counts = {}
    for ours, theirs in _USAGE:
        for key in theirs:
            value = raw.get(key)
            if value.__class__ is int:
                counts[ours] = value
                break
    return counts or None


def _tool_schema(tool: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if isinstance(tool.get("function"), dict):
        return {"type": "function", "function": tool["function"]}
    name = tool.get("name")
    if not isinstance(name, str):
        return None
    parameters: Any = next(
        (tool[k] for k in ("parameters", "input_schema", "inputSchema") if isinstance(tool.get(k), dict)), {}
    )
    function = {"name": name, "description": as_text(tool.get("description")), "parameters": parameters}
    return {"type": "function", "function": function}
