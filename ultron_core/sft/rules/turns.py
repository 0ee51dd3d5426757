"""Rules 5 to 10 and 15 to 17 on one row as it was read back: shape of the talk, clean text, what is trained."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ultron_core.sft.shape.portable import CONTROL_MARKER, clean_text

__all__ = ["Finding", "strings", "text_problems", "token_problems", "turn_problems"]

#: (number of the rule, what is wrong)
Finding = tuple[int, str]
_ROLES = frozenset({"system", "user", "assistant", "tool"})
#: the end of the integers that a column of Parquet holds
_INT64 = 2**63


def turn_problems(messages: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Roles, order, and that each result answers an open call."""
    if any(m.get("role") not in _ROLES or not isinstance(m.get("content"), str) for m in messages):
        yield 5, "a message without a known role or without text content"
        return
    if any("tool_calls" in m and not m["tool_calls"] for m in messages):
        yield 6, "empty tool_calls must be absent"
    body = messages[1:] if messages and messages[0]["role"] == "system" else messages
    if any(m["role"] == "system" for m in body):
        yield 9, "a second system message"
    if not body or body[0]["role"] != "user":
        yield 7, "does not start with the user"
    if not body or body[-1]["role"] != "assistant":
        yield 7, "does not end with the model's turn"
    yield from _alternation(body)
    yield from _answers(body)


def _alternation(body: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    for before, message in pairwise(body):
        role = message["role"]
        if role == before["role"] and role != "tool":
            yield 8, f"two {role} messages in a row"
        if role == "tool" and before["role"] not in {"tool", "assistant"}:
            yield 8, f"a tool result behind a {before['role']} message"


def _answers(body: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """The calls of the last turn may stay open: a run may end with finish, submit or a hand-over."""
    waiting: list[str] = []
    for message in body:
        if message["role"] == "tool":
            if not waiting or message.get("tool_call_id") != waiting.pop(0):
                yield 10, "a tool result that answers no open call"
            continue
        if waiting:
            yield 10, "a call without its result"
        waiting = [call["id"] for call in message.get("tool_calls", ())]


def text_problems(value: Any) -> Iterator[Finding]:
    """Strings and numbers that a reader loses, and texts that a tokenizer takes for the end of a turn."""
    if isinstance(value, str):
        if clean_text(value) != value:
            yield 15, "text with a lone surrogate or a NUL"
        if marker := CONTROL_MARKER.search(value):
            yield 17, f"text holds the control marker {marker[0]}: what follows it would be another turn"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from text_problems(key)
            yield from text_problems(item)
    elif isinstance(value, list):
        for item in value:
            yield from text_problems(item)
    elif isinstance(value, bool):
        return
    elif (isinstance(value, int) and not -_INT64 <= value < _INT64) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        yield 15, f"the number {value} does not survive Parquet"


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from strings(key)
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def token_problems(row: Mapping[str, Any], tokens: tuple[int, int], limit: int) -> Iterator[Finding]:
    """The row says its `tokens` (all, trained) rightly, they are within the limit, and something is trained."""
    total, trained = tokens
    if (total, trained) != (row["num_tokens"], row.get("num_trained_tokens", trained)):
        yield 16, f"{total} tokens of which {trained} trained, the row says otherwise"
    if total > limit:
        yield 16, f"{total} tokens, limit {limit}"
    if trained < 1:
        yield 16, "no token to train on"
    if any("loss" in m and (m["role"] != "assistant" or m["loss"] is not False) for m in row["messages"]):
        yield 17, "the loss mark belongs on turns of the model alone, and is false"
