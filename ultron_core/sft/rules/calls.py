"""Rules 1, 2, 11, 13 and 21 on one row as it was read back: calls, tools, reasoning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ultron_core.sft.rules.turns import Finding
from ultron_core.sft.shape.tools import schema_problem

__all__ = ["call_problems", "is_inline"]


def call_problems(row: Mapping[str, Any]) -> Iterator[Finding]:
    """Arguments are objects without padding, every called tool is declared once with a JSON schema."""
    functions = [call["function"] for m in row["messages"] for call in m.get("tool_calls") or ()]
    if any(not isinstance(function["arguments"], Mapping) for function in functions):
        yield 1, "arguments are not an object"
    if any(_has_null(function["arguments"]) for function in functions) or _has_null(row["tools"]):
        yield 2, "a key that holds null"
    if any(_has_null(message) for message in row["messages"]):
        yield 2, "a message with a key that holds null"
    declared = [tool["function"]["name"] for tool in row["tools"]]
    for name in sorted({function["name"] for function in functions} - set(declared)):
        yield 11, f"tool {name} is called but not declared"
    if len(set(declared)) != len(declared):
        yield 11, "a tool is declared twice"
    for tool in row["tools"]:
        if problem := schema_problem(tool["function"].get("parameters", {})):
            yield 11, f"tool {tool['function']['name']}: {problem}"
    yield from _reasoning_problems(row)
    parallel = max((len(m.get("tool_calls") or ()) for m in row["messages"]), default=0)
    if parallel != row.get("max_parallel_calls", parallel):
        yield 21, f"{parallel} calls in one turn, the row says {row['max_parallel_calls']}"


def is_inline(message: Mapping[str, Any]) -> bool:
    """Does the model's turn begin with its reasoning?"""
    return message["role"] == "assistant" and str(message["content"]).startswith("<think>\n")


def _reasoning_problems(row: Mapping[str, Any]) -> Iterator[Finding]:
    separate = any("reasoning_content" in message for message in row["messages"])
    inline = any(is_inline(message) for message in row["messages"])
    if separate and inline:
        yield 13, "reasoning both inline and separate"
    if (separate or inline) != row.get("has_reasoning", separate or inline):
        yield 13, "has_reasoning does not say what the row holds"


def _has_null(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(item is None or _has_null(item) for item in value.values())
    return isinstance(value, list) and any(_has_null(item) for item in value)
