"""Invariants of every row before it is published; each finding names the rule and the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ultron_core.sft.records import Row

__all__ = ["validate_rows"]

_ROLES = {"system", "user", "assistant", "tool"}


def validate_rows(rows: Sequence[Row]) -> list[str]:
    """All violations; empty when the rows can be published."""
    problems = [f"{row.id}: {problem}" for row in rows for problem in _row_problems(row)]
    hashes = [row.content_sha256 for row in rows]
    if len(set(hashes)) != len(hashes):
        problems.append("two rows have the same content")
    train = {row.group_key for row in rows if row.split == "train"}
    both = train & {row.group_key for row in rows if row.split == "validation"}
    problems += [f"group {key} is in both splits" for key in sorted(both)]
    return problems


def _row_problems(row: Row) -> list[str]:
    problems = _shape_problems(row.messages)
    declared = [tool["function"]["name"] for tool in row.tools]
    called = {c["function"]["name"] for m in row.messages for c in m.get("tool_calls", ())}
    problems += [f"tool {name} is called but not declared" for name in sorted(called - set(declared))]
    if len(set(declared)) != len(declared):
        problems.append("a tool is declared twice")
    if row.num_trained_tokens < 1:
        problems.append("no token to train on")
    return problems


def _shape_problems(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    problems: list[str] = []
    if any(m.get("role") not in _ROLES or not isinstance(m.get("content"), str) for m in messages):
        return ["a message without a known role or without text content"]
    if any("tool_calls" in m and not m["tool_calls"] for m in messages):
        problems.append("empty tool_calls must be absent")
    body = messages[1:] if messages and messages[0]["role"] == "system" else messages
    if any(m["role"] == "system" for m in body):
        problems.append("a second system message")
    if not body or body[0]["role"] != "user":
        problems.append("does not start with the user")
    if not body or body[-1]["role"] != "assistant" or body[-1].get("tool_calls"):
        problems.append("does not end with the assistant's answer")
    problems += _turn_problems(body)
    return problems


def _turn_problems(body: Sequence[Mapping[str, Any]]) -> list[str]:
    problems: list[str] = []
    open_ids: list[str] = []
    last = ""
    for message in body:
        role = message["role"]
        if role == "tool":
            if not open_ids or message["tool_call_id"] != open_ids.pop(0):
                problems.append("a tool result that answers no open call")
        elif open_ids:
            problems.append("a call without its result")
            open_ids = []
        elif role == last:
            problems.append(f"two {role} messages in a row")
        for call in message.get("tool_calls", ()):
            open_ids.append(call["id"])
            if not isinstance(call["function"]["arguments"], dict):
                problems.append("arguments are not an object")
        last = role
    return problems
