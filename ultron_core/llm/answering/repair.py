"""Field by field to what a JSON schema allows: what does not fit costs its field or its item, not the answer."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ultron_core.llm.answering.shapes import field_key

__all__ = ["DROPPED", "repaired"]

#: stands for a value that nothing can be made of
DROPPED: Any = object()
#: "85%", "7/10", "0.85"
_NUMBER = re.compile(
    r"\s{0,40}(-?\d{1,15}(?:\.\d{1,15})?)\s{0,40}(?:(%)|/\s{0,40}(\d{1,6}(?:\.\d{1,6})?))?\s{0,40}"
)
#: "[12]", "#12", "L12", and a whole header of a record: "[bqcd 12 tool error]"
_COUNT = re.compile(r"\W{0,40}(?:[lL]|[a-z]{4} )?(-?\d{1,15})(?: [a-z ]{1,20})?\W{0,40}")
#: between words that stand in one text instead of a list: "login, timeout"
_COMMAS = re.compile(r"[,;，；、]")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def repaired(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """The value as the schema allows it, or DROPPED."""
    if "$ref" in schema:
        return repaired(value, root["$defs"][str(schema["$ref"]).rpartition("/")[2]], root)
    if "anyOf" in schema:
        return _any_of(value, schema["anyOf"], root)
    if "enum" in schema or "const" in schema:
        return _choice(value, schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "object":
            return _object(value, schema, root)
        case "array":
            return _array(value, schema, root)
        case "string":
            return _string(value, schema)
        case "integer" | "number":
            return _number(value, schema)
        case "boolean":
            return _boolean(value)
        case _:
            return value


def _any_of(value: Any, choices: list[Mapping[str, Any]], root: Mapping[str, Any]) -> Any:
    nullable = any(choice.get("type") == "null" for choice in choices)
    if value is None:
        return None if nullable else DROPPED
    for choice in choices:
        if choice.get("type") != "null" and (fixed := repaired(value, choice, root)) is not DROPPED:
            return fixed
    return None if nullable else DROPPED


def _alone(value: Any) -> Any:
    """The one item of a list where a single value is asked for: `"message": [3]`."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _choice(value: Any, choices: list[Any]) -> Any:
    value = _alone(value)
    if value in choices:
        return value
    if not isinstance(value, str):
        return DROPPED
    return next((one for one in choices if field_key(str(one)) == field_key(value)), DROPPED)


def _object(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    if not isinstance(value, dict):
        return DROPPED
    given = {field_key(str(key)): part for key, part in reversed(value.items())} | value
    made = {}
    for name, part in schema.get("properties", {}).items():
        own = given.get(name, given.get(field_key(name), DROPPED))
        fixed = DROPPED if own is DROPPED else repaired(own, part, root)
        if fixed is not DROPPED:
            made[name] = fixed
        elif name in schema.get("required", ()):
            return DROPPED
    return made


def _array(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    if value is None:
        return DROPPED
    given = value if isinstance(value, list) else [value]
    if isinstance(value, str) and schema.get("items", {}).get("type") == "string":
        given = [part.strip() for part in _COMMAS.split(value)]
    fixed = [repaired(one, schema.get("items", {}), root) for one in given]
    kept = [one for one in fixed if one is not DROPPED]
    # a list of which nothing can be used must not pass as an empty one
    if len(kept) < schema.get("minItems", 0) or (given and not kept):
        return DROPPED
    return kept[: schema.get("maxItems", len(kept))]


def _string(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = "\n".join(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or len(value.strip()) < schema.get("minLength", 0):
        return DROPPED
    # neither can be stored: a NUL, `\u0000` in JSON, and half a surrogate pair, `\ud800`
    kept = value.replace("\x00", "")[: schema.get("maxLength", len(value))]
    return kept.encode("utf-8", "replace").decode("utf-8")


def _number(value: Any, schema: Mapping[str, Any]) -> Any:
    whole = schema["type"] == "integer"
    number = _read_number(_alone(value), whole)
    if number is None:
        return DROPPED
    most = schema.get("maximum", math.inf)
    if most == 1 and not whole and 10 < number <= 100:  # up to 10 it may as well be a mark out of ten
        number /= 100
    if not schema.get("minimum", -math.inf) <= number <= most:
        return DROPPED
    return int(number) if whole else number


def _read_number(value: Any, whole: bool) -> float | None:
    if isinstance(value, str):
        if whole:
            found = _COUNT.fullmatch(value)
            return int(found.group(1)) if found else None
        found = _NUMBER.fullmatch(value)
        if found is None:
            return None
        number, percent, out_of = found.groups()
        if percent:
            return float(number) / 100
        return float(number) / (float(out_of) or math.inf) if out_of else float(number)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and (not math.isfinite(value) or (whole and not value.is_integer())):
        return None
    return value


def _boolean(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    return _BOOLEANS.get(str(value).strip().lower(), DROPPED)
