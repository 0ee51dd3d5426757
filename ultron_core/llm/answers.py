"""From the text of an answer to an instance of the schema that was asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from ultron_core.errors import ModelAnswerError
from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.protocol import Answer

__all__ = ["json_schema_format", "parse_answer", "schema_instructions"]

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
#: what reasoning models think aloud before they answer
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_BRACKET = re.compile(r"[\[{]")
#: a bracket that opens JSON rather than a remark
_OPENING = re.compile(r'\{\s*"|\[\s*[\[{"]')
_DECODER = json.JSONDecoder()


def parse_answer(text: str, schema: type[Answer]) -> Answer:
    """The first JSON value of the text as `schema`. Raises ModelAnswerError saying what does not fit."""
    try:
        return schema.model_validate(_first_json(text))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise ModelAnswerError(f"{error.error_count()} problem(s); {place}: {first['msg']}") from error


def _first_json(text: str) -> Any:
    text = _THOUGHT.sub("", text).strip()
    fenced = _FENCE.search(text)
    for candidate in (text, *([fenced.group(1)] if fenced else [])):
        try:
            return json.loads(candidate)
        except ValueError:
            continue
    values = list(_outermost(text))
    if not values:
        raise ModelAnswerError("the answer contains no JSON value")
    # "as [1] says: {...}": an object is meant before a list
    return next((value for value in values if isinstance(value, dict)), values[0])


def _outermost(text: str) -> Iterator[Any]:
    """The JSON values in the text, none from within another.

    A value that begins and does not end means that the answer was cut off: its parts must not pass as a whole.
    """
    position = 0
    while start := _BRACKET.search(text, position):
        try:
            value, position = _DECODER.raw_decode(text, start.start())
        except ValueError:
            if _OPENING.match(text, start.start()):
                raise ModelAnswerError("the JSON value is broken or cut off") from None
            position = start.end()
        else:
            yield value


def json_schema_format(schema: type[BaseModel]) -> dict[str, Any]:
    """`response_format` of an endpoint that takes a JSON schema."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", schema.__name__)[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema.model_json_schema()}}


def schema_instructions(schema: type[BaseModel]) -> str:
    """The schema in words, for endpoints that take no JSON schema."""
    described = json.dumps(schema.model_json_schema(), ensure_ascii=False)
    return f"{read_prompt('ultron_core.llm', 'schema')}\n{described}"
