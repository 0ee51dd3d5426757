"""What an agent did, in a few words: the calls of a message, and the lines of a result that speak of an error.

Whole tool output would be most of the index and little of the answer; what people look for are the file, the
command and the error.
"""

from __future__ import annotations

from collections.abc import Iterator

from ultron_core.models import Message
from ultron_core.transcript.actions import argument_strings
from ultron_core.transcript.language import one_line
from ultron_core.transcript.pairs import is_tool_result
from ultron_core.transcript.results.telling import mentions_failure

__all__ = ["action_lines"]

#: characters of an argument, of a call and of a line of a result
_VALUE_CHARS, _CALL_CHARS, _LINE_CHARS = 160, 400, 240
#: calls of one message that are told
_MOST_CALLS = 16
#: lines of one result, and how much of it is looked at
_MOST_LINES, _LOOKED_AT = 4, 40_000


def action_lines(message: Message) -> Iterator[str]:
    """One line per call (the first 16), and up to four error lines of a result; nothing without either."""
    for call in message.tool_calls[:_MOST_CALLS]:
        values = " ".join(value[:_VALUE_CHARS] for value in argument_strings(call.arguments))
        yield f"{call.name}: {one_line(values)}"[:_CALL_CHARS]
    if is_tool_result(message):
        yield from _error_lines(message)


def _error_lines(message: Message) -> Iterator[str]:
    text = message.content
    if len(text) > _LOOKED_AT:
        # tools print what went wrong at the end
        text = text[: _LOOKED_AT // 4] + "\n" + text[-_LOOKED_AT * 3 // 4 :]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = list(dict.fromkeys(line[:_LINE_CHARS] for line in lines if mentions_failure(line)))
    if message.is_error and not found:
        found = [line[:_LINE_CHARS] for line in lines[:2]]
    for line in found[: _MOST_LINES // 2] + found[_MOST_LINES // 2 :][-_MOST_LINES // 2 :]:
        yield f"tool: {line}"
