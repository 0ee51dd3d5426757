"""Is an answer a valid call: it parses, names a known tool, and its arguments fit the tool's schema?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing.exceptions import Unresolvable

from ultron_core.training.records import Answer

__all__ = ["calls_in", "is_valid_call"]

#: a call of Qwen, Hermes and our own template, e.g. `<tool_call>{"name": "look_up", "arguments": {}}</tool_call>`
_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|$)", re.DOTALL)


def calls_in(answer: Answer) -> list[Mapping[str, Any]] | None:
    """`{name, arguments}` of each call; None when one of them does not parse, empty when there is none."""
    if answer.calls is not None:
        return [call.get("function", call) for call in answer.calls]
    tagged = _TAGGED.findall(answer.text)
    text = answer.text.strip()
    if not tagged and not text.startswith("{"):
        return []
    # Llama 3.1 writes the bare object, with `parameters`
    found: list[Mapping[str, Any]] = []
    for part in tagged or [text]:
        try:
            value = json.loads(part)
        except ValueError:
            return None
        if not isinstance(value, Mapping):
            return None
        found.append(
            {"name": value.get("name"), "arguments": value.get("arguments", value.get("parameters"))}
        )
    return found


def is_valid_call(answer: Answer, tools: Sequence[Mapping[str, Any]]) -> bool:
    """At least one call, and all of them to declared tools with arguments that fit."""
    schemas = {tool["function"]["name"]: tool["function"].get("parameters") or {} for tool in tools}
    calls = calls_in(answer)
    return bool(calls) and all(_fits(call, schemas) for call in calls or ())


def _fits(call: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]) -> bool:
    arguments = call.get("arguments")
    if call.get("name") not in schemas or not isinstance(arguments, Mapping):
        return False
    schema = schemas[call["name"]]
    try:
        Draft202012Validator.check_schema(schema)
        return bool(Draft202012Validator(schema).is_valid(arguments))
    except (SchemaError, Unresolvable):
        # a log may declare a schema that no validator takes; then nothing can be said against the arguments
        return True
