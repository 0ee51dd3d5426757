"""Messages -> plain turns: text everywhere, arguments as objects, neighbours of one role in one turn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ultron_core.models import Message, ToolCall
from ultron_core.sft.shape.portable import without_nulls
from ultron_core.sft.shape.refused import Refused

__all__ = ["Turn", "from_first_user", "merged", "turns"]

Turn = dict[str, Any]
#: the end of the integers that a column of Parquet holds
_INT64 = 2**63


def turns(messages: Sequence[Message], reasoning: str, repairs: Counter[str]) -> list[Turn]:
    """One turn a message, but for those that say nothing."""
    rows: list[Turn] = []
    for message in messages:
        row = _turn(message, reasoning, repairs)
        if (
            row["role"] == "tool"
            or row["content"].strip()
            or "tool_calls" in row
            or "reasoning_content" in row
        ):
            rows.append(row)
    return rows


def _turn(message: Message, reasoning: str, repairs: Counter[str]) -> Turn:
    content = message.content
    images = sum(part.get("type") == "image" for part in message.parts)
    if images:
        repairs["image"] += images
        content = f"{content}\n[image]".strip()
    if message.role == "assistant":
        return _assistant(message, content, reasoning, repairs)
    if message.role == "tool":
        answers = message.tool_call_id or ""
        return {"role": "tool", "content": content, "tool_call_id": answers, "name": message.name or ""}
    return {"role": message.role, "content": content}


def _assistant(message: Message, content: str, reasoning: str, repairs: Counter[str]) -> Turn:
    row: Turn = {"role": "assistant", "content": content}
    if message.reasoning and reasoning == "keep":
        row["reasoning_content"] = message.reasoning
    elif message.reasoning and reasoning == "inline":
        row["content"] = f"<think>\n{message.reasoning}\n</think>\n\n{content}"
    if message.tool_calls:
        row["tool_calls"] = [_call(call, repairs) for call in message.tool_calls]
    return row


def _call(call: ToolCall, repairs: Counter[str]) -> Turn:
    arguments = {} if call.arguments in (None, "") else call.arguments
    if isinstance(arguments, str) and not arguments.lstrip().startswith(("{", "[")):
        # a tool with one free text, as Codex' apply_patch takes: "*** Begin Patch\n..."
        repairs["wrapped_arguments"] += 1
        arguments = {"input": arguments}
    if not isinstance(arguments, dict):
        raise Refused("arguments_no_object", f"{call.name}: {type(arguments).__name__}")
    if not call.name:
        raise Refused("call_without_name")
    _check_numbers(arguments)
    arguments = without_nulls(arguments, repairs)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _check_numbers(value: Any) -> None:
    """Values that Parquet readers lose: integers beyond 64 bits, NaN and infinities."""
    if isinstance(value, dict):
        for item in value.values():
            _check_numbers(item)
    elif isinstance(value, list):
        for item in value:
            _check_numbers(item)
    elif isinstance(value, bool):
        return
    elif (isinstance(value, int) and not -_INT64 <= value < _INT64) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise Refused("number_not_portable", str(value)[:40])


def from_first_user(rows: Sequence[Turn], repairs: Counter[str], *, stopped: bool = False) -> list[Turn]:
    """System prompt, then from the first user turn to the last of the model, which may be a call.

    `stopped`: the person stopped the last call; then the row ends with the turn before.
    """
    system = [row for row in rows[:1] if row["role"] == "system"]
    body = list(rows[len(system) :])
    first = next((i for i, row in enumerate(body) if row["role"] == "user"), None)
    if first is None:
        raise Refused("no_user_message")
    # a greeting before the person speaks teaches nothing; calls before it answer something that is not here
    if any("tool_calls" in row for row in body[:first]):
        raise Refused("fragment", "begins with a call that nobody asked for here")
    body = body[first:]
    end = next((i for i in range(len(body) - 1, -1, -1) if body[i]["role"] == "assistant"), None)
    if end is None:
        raise Refused("no_assistant_message")
    behind, body = body[end + 1 :], body[: end + 1]
    repairs["trailing_result"] += sum(row["role"] == "tool" for row in behind)
    repairs["trailing_user"] += sum(row["role"] == "user" for row in behind)
    if stopped and "tool_calls" in body[-1]:
        repairs["interrupted_end"] += 1
        return from_first_user(system + body[:-1], Counter())
    return system + body


def merged(rows: Sequence[Mapping[str, Any]]) -> list[Turn]:
    """Neighbours of one role become one turn: trainers insist on alternation.

    A turn with calls takes the next one in when both were answered together, as harnesses write parallel calls.
    """
    result: list[Turn] = []
    for position, row in enumerate(rows):
        last = result[-1] if result else None
        if last is None or last["role"] != row["role"] or row["role"] == "tool":
            result.append(dict(row))
            continue
        if "tool_calls" in last and not _answered_later(last, rows[position + 1 :]):
            result.append(dict(row))
            continue
        last["content"] = "\n\n".join(text for text in (last["content"], row["content"]) if text)
        if "reasoning_content" in row:
            thoughts = (last.get("reasoning_content"), row["reasoning_content"])
            last["reasoning_content"] = "\n\n".join(text for text in thoughts if text)
        if "tool_calls" in row:
            last["tool_calls"] = [*last.get("tool_calls", ()), *row["tool_calls"]]
    return result


def _answered_later(turn: Mapping[str, Any], behind: Sequence[Mapping[str, Any]]) -> bool:
    """Is every call of the turn answered before a person speaks again?"""
    waiting = {call["id"] for call in turn["tool_calls"]}
    for row in behind:
        if row["role"] == "user":
            break
        if row["role"] == "tool":
            waiting.discard(row["tool_call_id"])
    return not waiting
