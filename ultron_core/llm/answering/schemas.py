"""The JSON schema of an answer as a server is sent it: what small models must not leave out, and no bound too large.

A server that makes a grammar of the schema has the model write the required fields first, in their order, then the
others. What is asked for here may still be missing in an answer that is read: `"asked"` in the description of a record
names fields that are required of a server alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from ultron_core.llm.prompts import read_prompt

__all__ = ["asked_schema", "json_schema_format", "schema_instructions"]

#: llama.cpp makes a rule of its grammar for each character that a text may have, and refuses a schema of 2,000 of them
_MOST_LENGTH = 2_000


def json_schema_format(schema: type[BaseModel]) -> dict[str, Any]:
    """`response_format` of an endpoint that takes a JSON schema."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", schema.__name__)[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "schema": asked_schema(schema)}}


def schema_instructions(schema: type[BaseModel]) -> str:
    """The schema in words, for endpoints that take no JSON schema."""
    described = json.dumps(asked_schema(schema), ensure_ascii=False)
    return f"{read_prompt('ultron_core.llm', 'schema')}\n{described}"


def asked_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The schema as it is sent: fields that are asked for are required, and no length is bounded by 2,000 or more."""
    described = schema.model_json_schema()
    for node in _nodes(described):
        asked = node.pop("asked", [])
        if asked:
            needed = {*node.get("required", []), *asked}
            node["required"] = [name for name in node["properties"] if name in needed]
        for name in asked:
            node["properties"][name] = _given(node["properties"][name])
        if node.get("maxLength", 0) >= _MOST_LENGTH:
            del node["maxLength"]
    return described


def _given(part: dict[str, Any]) -> dict[str, Any]:
    """A field that may be null, as one that is given."""
    choices = [choice for choice in part.get("anyOf", []) if choice.get("type") != "null"]
    return choices[0] if len(choices) == 1 else part


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema within a schema, itself first."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    for part in [*inner, *schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]:
        yield from _nodes(part)
