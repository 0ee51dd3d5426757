"""What the tools are and what they said: schemas for every called tool, long outputs cut in the middle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ultron_core.sft.shape.refused import Refused
from ultron_core.sft.shape.turns import Turn

__all__ = ["cap_outputs", "check_schemas", "declare_tools", "schema_problem"]

_MARK = "\n[... {cut} tokens of tool output left out ...]\n"
#: Python's types and JSON schema's names for them, in the order to be asked: a bool is an int, too
_TYPES = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))
_KINDS = frozenset(["null", "object", *(name for _, name in _TYPES)])


def cap_outputs(rows: Sequence[Turn], limit: int, count_tokens: Callable[[str], int]) -> int:
    """Cuts the middle out of each output over the limit; returns how many were cut."""
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


def declare_tools(
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
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "object")


def check_schemas(tools: Sequence[Mapping[str, Any]]) -> None:
    """Raises Refused when a tool's parameters are no JSON schema."""
    for tool in tools:
        if problem := schema_problem(tool["function"].get("parameters", {})):
            raise Refused("invalid_tool_schema", f"{tool['function']['name']}: {problem}")


def schema_problem(schema: Any) -> str:
    """What makes this no JSON schema, or nothing: the keywords that trainers and servers read."""
    if not isinstance(schema, Mapping):
        return "" if isinstance(schema, bool) else "a schema must be an object"
    kinds = schema.get("type", "object")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind not in _KINDS:
            return f"unknown type {kind!r}"
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        return "properties must be an object"
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return "required must be a list of names"
    inner = [*properties.values(), *([schema["items"]] if "items" in schema else [])]
    return next((problem for part in inner if (problem := schema_problem(part))), "")
