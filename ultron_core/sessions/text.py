"""Text, times and plain JSON values as every format needs them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from ultron_core.errors import InputError

__all__ = [
    "TooDeepError",
    "as_text",
    "check_depth",
    "check_names",
    "clean_text",
    "clean_value",
    "decode",
    "parse_time",
]

#: Deeper values cannot be serialised by common JSON libraries (orjson.dumps stops at 254).
MAX_DEPTH = 200
#: half of a pair that JSON can name and UTF-8 cannot hold: "\ud83d"
_SURROGATE = re.compile("[\ud800-\udfff]")
#: both halves, which JSON names one by one, are one character: "\ud83d\ude00"
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class TooDeepError(ValueError):
    """A JSON value is nested too deeply to be stored again."""


def clean_text(text: str) -> str:
    """The text without NUL characters and lone surrogates, which neither UTF-8 nor a database can hold."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    if _SURROGATE.search(text):
        text = _PAIR.sub(lambda m: m.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
        text = _SURROGATE.sub("", text)
    return text


def check_names(**names: str | Sequence[str] | None) -> None:
    """Names are looked up as given, so they are refused rather than cleaned. Raises InputError for a name with
    characters that `clean_text` would remove."""
    for name, given in names.items():
        for value in [given] if isinstance(given, str) else given or ():
            if clean_text(value) != value:
                raise InputError(
                    f"{name} {value!r} contains a NUL or half a surrogate pair: use a name without it."
                )


def clean_value(value: Any, depth: int = 0) -> Any:
    """The same JSON value with every string cleaned, keys included. Raises TooDeepError."""
    if depth > MAX_DEPTH:
        raise TooDeepError
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): clean_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [clean_value(item, depth + 1) for item in value]
    return value


def check_depth(value: Any) -> Any:
    """The value itself. Raises TooDeepError when it is nested deeper than MAX_DEPTH."""
    if value.__class__ is dict:
        for item in value.values():
            if item.__class__ is dict or item.__class__ is list:
                break
        else:
            return value
    elif not isinstance(value, (dict, list)):
        return value
    level, depth = [value], 0
    while level:
        if depth > MAX_DEPTH:
            raise TooDeepError
        below: list[Any] = []
        for item in level:
            if isinstance(item, Mapping):
                below.extend(v for v in item.values() if isinstance(v, (Mapping, list)))
            elif isinstance(item, list):
                below.extend(v for v in item if isinstance(v, (Mapping, list)))
        level, depth = below, depth + 1
    return value


def as_text(value: Any) -> str:
    """A string for any JSON value: strings unchanged, None as empty, the rest as compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    text = orjson.dumps(check_depth(value)).decode("utf-8")
    return orjson.dumps(clean_value(value)).decode("utf-8") if "\\u0000" in text else text


def decode(arguments: Any) -> Any:
    """The arguments of a call: decoded when they are JSON in a string, otherwise unchanged."""
    if not isinstance(arguments, str):
        return check_depth(arguments)
    try:
        decoded = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments
    # each level needs a bracket
    return decoded if len(arguments) <= MAX_DEPTH else check_depth(decoded)


def parse_time(value: Any) -> datetime | None:
    """An aware UTC time from ISO text, or from seconds or milliseconds since 1970; None if it is neither."""
    try:
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            if parsed.tzinfo is UTC:
                return parsed
            return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            # 1e11 seconds is the year 5138, 1e11 milliseconds is 1973
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
