"""Messages of a segment -> the message rules that all trainers share, or the reason why not.

The rules, and the trainers that need them: docs/sft.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ultron_core.models import Message, ToolCall

__all__ = ["Normalized", "normalize_messages"]

_MARK = "\n[... {cut} tokens of tool output left out ...]\n"
#: the end of the integers that a column of Parquet holds
_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class Normalized:
    """Trainable messages and tools, or the `reason` why there are none."""

    messages: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()
    tools_inferred: bool = False
    truncated: int = 0
    reason: str = ""
    detail: str = ""


class _Refused(Exception):
    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def normalize_messages(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    *,
    reasoning: str = "keep",
    tool_output_max_tokens: int = 2048,
    count_tokens: Callable[[str], int] = len,
) -> Normalized:
    """OpenAI-shaped messages: one leading system, strict turns, each result after its call, text everywhere.

    `reasoning`: keep (as `reasoning_content`), drop, or inline (in `<think>`). Tool outputs over the limit
    keep head and tail around a fixed mark; assistant text is never cut.
    """
    try:
        rows = _turns(_spoken(messages), reasoning)
        rows = _from_first_user(rows)
        rows = _merge(rows)
        rows = _renumber(rows)
        truncated = _cap_outputs(rows, tool_output_max_tokens, count_tokens)
        declared, inferred = _declare_tools(rows, tools)
    except _Refused as refused:
        return Normalized(reason=refused.reason, detail=refused.detail)
    return Normalized(tuple(rows), tuple(declared), inferred, truncated)


def _spoken(messages: Sequence[Message]) -> list[Message]:
    """Without what a memory system or a harness injected; a system prompt at the start stays."""
    kept = []
    for position, message in enumerate(messages):
        injected = message.origin in {"harness", "recalled"}
        if injected and not (message.role == "system" and position == 0):
            continue
        kept.append(message)
    return kept


def _turns(messages: Sequence[Message], reasoning: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for message in messages:
        content = message.content
        if any(part.get("type") == "image" for part in message.parts):
            content = f"{content}\n[image]".strip()
        if message.role == "assistant":
            row = _assistant(message, content, reasoning)
            if row["content"] or row.get("tool_calls") or row.get("reasoning_content"):
                rows.append(row)
        elif message.role == "tool":
            rows.append(
                {
                    "role": "tool",
                    "content": content,
                    "tool_call_id": message.tool_call_id or "",
                    "name": message.name or "",
                }
            )
        elif message.role == "system" and rows:
            rows.append({"role": "user", "content": content})
        elif content.strip():
            rows.append({"role": message.role, "content": content})
    return rows


def _assistant(message: Message, content: str, reasoning: str) -> dict[str, Any]:
    row: dict[str, Any] = {"role": "assistant", "content": content}
    if message.reasoning and reasoning == "keep":
        row["reasoning_content"] = message.reasoning
    elif message.reasoning and reasoning == "inline":
        row["content"] = f"<think>\n{message.reasoning}\n</think>\n\n{content}"
    if message.tool_calls:
        row["tool_calls"] = [_call(call) for call in message.tool_calls]
    return row


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = {} if call.arguments in (None, "") else call.arguments
    if not isinstance(arguments, dict):
        raise _Refused("arguments_no_object", f"{call.name}: {type(arguments).__name__}")
    if not call.name:
        raise _Refused("call_without_name")
    _check_numbers(arguments)
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
        raise _Refused("number_not_portable", str(value)[:40])


def _from_first_user(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """System (at most one, in front), then the first user message; ends with the assistant."""
    system = [row for row in rows[:1] if row["role"] == "system"]
    body = rows[len(system) :]
    first = next((i for i, row in enumerate(body) if row["role"] == "user"), None)
    if first is None:
        raise _Refused("no_user_message")
    # a greeting of the assistant before the person speaks carries nothing to learn; calls would
    if any(row.get("tool_calls") for row in body[:first]):
        raise _Refused("starts_with_tool_call")
    body = body[first:]
    while body and body[-1]["role"] != "assistant":
        body.pop()
    if not body:
        raise _Refused("no_assistant_message")
    if body[-1].get("tool_calls"):
        raise _Refused("ends_with_open_call")
    return system + body


def _merge(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours of one role become one message: trainers insist on alternation."""
    merged: list[dict[str, Any]] = []
    for row in rows:
        last = merged[-1] if merged else None
        joins = last is not None and last["role"] == row["role"] and row["role"] in {"user", "assistant"}
        if not joins or last is None or last.get("tool_calls"):
            merged.append(dict(row))
            continue
        last["content"] = "\n\n".join(text for text in (last["content"], row["content"]) if text)
        for key in ("reasoning_content", "tool_calls"):
            if key == "reasoning_content" and key in last and key in row:
                last[key] = f"{last[key]}\n\n{row[key]}"
            elif key in row:
                last[key] = row[key]
    return merged


def _renumber(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """New call ids in order; every result answers an open call, in call order, and every call is answered."""
    result: list[dict[str, Any]] = []
    open_calls: list[tuple[str, str, str]] = []
    answers: dict[str, dict[str, Any]] = {}
    number = 0
    for row in [*rows, {"role": "end"}]:
        if row["role"] == "tool":
            if not open_calls:
                raise _Refused("result_without_call", row["name"])
            old = row["tool_call_id"]
            match = next((c for c in open_calls if c[0] == old and c[1] not in answers), None)
            if match is None:
                unanswered = [c for c in open_calls if c[1] not in answers]
                if (old and any(c[0] for c in unanswered)) or not unanswered:
                    raise _Refused("result_without_call", row["name"])
                match = unanswered[0]  # logs without ids: results are in call order
            answers[match[1]] = {**row, "tool_call_id": match[1], "name": match[2]}
            continue
        if open_calls:
            missing = [c[2] for c in open_calls if c[1] not in answers]
            if missing:
                raise _Refused("call_without_result", missing[0])
            result += [answers[c[1]] for c in open_calls]
            open_calls, answers = [], {}
        if row["role"] == "end":
            break
        if row.get("tool_calls"):
            calls = []
            for call in row["tool_calls"]:
                number += 1
                new = f"call_{number:05d}"
                open_calls.append((call["id"], new, call["function"]["name"]))
                calls.append({**call, "id": new})
            row = {**row, "tool_calls": calls}
        result.append(row)
    return result


def _cap_outputs(rows: list[dict[str, Any]], limit: int, count_tokens: Callable[[str], int]) -> int:
    truncated = 0
    for row in rows:
        # a token has at least one character: short text needs no counting
        if row["role"] != "tool" or len(row["content"]) <= limit:
            continue
        tokens = count_tokens(row["content"])
        if tokens <= limit:
            continue
        keep = max(1, len(row["content"]) * limit // tokens // 2)
        mark = _MARK.format(cut=tokens - limit)
        row["content"] = row["content"][:keep] + mark + row["content"][-keep:]
        truncated += 1
    return truncated


def _declare_tools(
    rows: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, Any]], bool]:
    """The log's schemas of tools; for called ones without a schema, a minimal one inferred from the calls."""
    declared: dict[str, Mapping[str, Any]] = {}
    for tool in tools:
        function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
        if isinstance(function, dict) and function.get("name"):
            declared[str(function["name"])] = {"type": "function", "function": dict(function)}
    inferred = False
    seen: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        for call in row.get("tool_calls", ()):
            function = call["function"]
            properties = seen.setdefault(function["name"], {})
            for key, value in function["arguments"].items():
                properties.setdefault(key, set()).add(_json_type(value))
    for name, properties in sorted(seen.items()):
        if name not in declared:
            inferred = True
            declared[name] = _schema(name, properties)
    return [declared[name] for name in sorted(declared)], inferred


def _schema(name: str, properties: Mapping[str, set[str]]) -> dict[str, Any]:
    shapes: dict[str, Any] = {}
    for key, types in sorted(properties.items()):
        known = sorted(types)
        shapes[key] = {"type": known[0] if len(known) == 1 else known}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": "",
            "parameters": {"type": "object", "properties": shapes},
        },
    }


def _json_type(value: Any) -> str:
    if value is None:
        return "null"
    for kind, name in (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
    ):
        if isinstance(value, kind):
            return name
    return "object"
