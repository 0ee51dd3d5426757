"""From a JSON value to the object that a schema asks for: wrappers are taken off, single items put in a list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from ultron_core.llm.answering.json_values import decode, is_too_deep

__all__ = ["field_key", "is_filled", "is_item", "shapes", "why_refused"]

#: what models put around an answer, tool calls of several vendors among it
_WRAPPERS = frozenset(
    """result results response answer output data json content value arguments parameters input final
    finalanswer function functioncall toolcall toolcalls toolinput args message object properties
    text""".split()  # noqa: SIM905
)
#: other names of the list that a schema of one list asks for; an empty one says that there is nothing
_LISTS = frozenset(
    """notes items entries list array results data lessons records tasks segments
    memory""".split()  # noqa: SIM905
)
#: levels of an answer in which the expected shape is looked for
_DEEPEST = 5


def field_key(name: str) -> str:
    """One spelling of a name: "memoryType", "Memory Type" and "memory_type" are the same."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def shapes(value: Any, schema: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """What the value may mean as an object of the schema, best first; nothing for a wrong shape."""
    yield from _shapes(value, _Wanted(schema), 0)


def is_item(value: Any, schema: type[BaseModel]) -> bool:
    """Whether it is one item of the list that the schema asks for, and not the list."""
    wanted = _Wanted(schema)
    return wanted.is_item(value) and not wanted.has_list(value)


def is_filled(value: Any, schema: type[BaseModel]) -> bool:
    """Whether it holds that list by its own name, with something in it."""
    wanted = _Wanted(schema)
    return wanted.has_list(value) and bool(value[wanted.only_list])


def why_refused(value: Any) -> str:
    """What a value is that has no shape of the schema."""
    if value == {}:
        return "an empty object is not an answer"
    if isinstance(value, Mapping):
        keys = {field_key(str(key)) for key in value}
        if keys & {"error", "errors", "exception"}:
            return "the answer reports an error instead of the value asked for"
        if keys & {"properties", "defs", "schema", "jsonschema"}:
            return "the answer repeats the schema instead of filling it"
    return "the answer has none of the fields asked for"


class _Wanted:
    """The fields of a schema; `only_list` when all that it needs is one list, `item_needs` what its items need."""

    def __init__(self, schema: type[BaseModel]) -> None:
        described = schema.model_json_schema()
        self.fields = {field_key(name) for name in described.get("properties", {})}
        self.needed = {field_key(name) for name in described.get("required", [])}
        lists = [n for n, part in described.get("properties", {}).items() if part.get("type") == "array"]
        self.only_list = lists[0] if len(lists) == 1 == len(self.fields) else None
        self.item_needs: frozenset[str] = frozenset()
        if self.only_list:
            items = described["properties"][self.only_list].get("items", {})
            item = described.get("$defs", {}).get(str(items.get("$ref", "")).rpartition("/")[2], {})
            self.item_needs = frozenset(field_key(name) for name in item.get("required", []))

    def is_item(self, value: Any) -> bool:
        if not self.item_needs or not isinstance(value, Mapping) or "role" in value:
            return False
        return self.item_needs <= {field_key(str(key)) for key in value}

    def has_list(self, value: Any) -> bool:
        return isinstance(value, Mapping) and isinstance(value.get(self.only_list), list)


def _shapes(value: Any, wanted: _Wanted, depth: int) -> Iterator[dict[str, Any]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        inner = _decoded(value)
        if inner is not None:
            yield from _shapes(inner, wanted, depth + 1)
    elif isinstance(value, list):
        yield from _from_list(value, wanted, depth)
    elif isinstance(value, dict):
        keys = {field_key(str(key)) for key in value}
        if keys & wanted.fields and wanted.needed <= keys:
            yield value
        yield from _unwrapped(value, wanted, depth)
        if wanted.only_list and wanted.is_item(value):
            yield {wanted.only_list: [value]}


def _from_list(value: list[Any], wanted: _Wanted, depth: int) -> Iterator[dict[str, Any]]:
    if wanted.only_list and len(value) > 1 and all(wanted.has_list(one) for one in value):
        joined = [item for one in value for item in one[wanted.only_list]]
        yield {wanted.only_list: list({json.dumps(item, sort_keys=True): item for item in joined}.values())}
    if len(value) == 1 and not wanted.is_item(value[0]):
        yield from _shapes(value[0], wanted, depth + 1)
    if wanted.only_list and (not wanted.item_needs or not value or any(map(wanted.is_item, value))):
        yield {wanted.only_list: value}


def _unwrapped(value: dict[str, Any], wanted: _Wanted, depth: int) -> Iterator[dict[str, Any]]:
    for key, inner in value.items():
        name = field_key(str(key))
        if not isinstance(inner, dict | list | str):
            continue
        if isinstance(inner, list) and not inner:
            if wanted.only_list and name in _LISTS and len(value) == 1:
                yield {wanted.only_list: []}
        elif name in _WRAPPERS or name in _LISTS or (len(value) == 1 and not isinstance(inner, str)):
            yield from _shapes(inner, wanted, depth + 1)


def _decoded(text: str) -> Any:
    text = text.strip()
    if not text.startswith(("{", "[")) or is_too_deep(text):
        return None
    try:
        return decode(text)
    except ValueError:
        return None
