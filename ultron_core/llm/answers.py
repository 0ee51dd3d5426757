"""From the text of an answer to an instance of the schema that was asked for."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, ValidationError

from ultron_core.errors import ModelAnswerError
from ultron_core.llm.protocol import Answer

__all__ = ["json_schema_format", "parse_answer", "schema_instructions"]

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


def parse_answer(text: str, schema: type[Answer]) -> Answer:
    """The first JSON value of the text as `schema`. Raises ModelAnswerError saying what does not fit."""
    try:
        return schema.model_validate(_first_json(text))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise ModelAnswerError(f"{error.error_count()} problem(s); {place}: {first['msg']}") from error


def _first_json(text: str) -> Any:
    fenced = _FENCE.search(text)
    candidates = [text.strip(), *([fenced.group(1).strip()] if fenced else [])]
    decoder = json.JSONDecoder()
    for candidate in candidates:
        try:
            return json.loads(candidate)
        except ValueError:
            continue
    for match in re.finditer(r"[\[{]", text):
        try:
            return decoder.raw_decode(text, match.start())[0]
        except ValueError:
            continue
    raise ModelAnswerError("the answer holds no JSON value")


def json_schema_format(schema: type[BaseModel]) -> dict[str, Any]:
    """`response_format` of an endpoint that takes a JSON schema."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", schema.__name__)[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema.model_json_schema()}}


def schema_instructions(schema: type[BaseModel]) -> str:
    """The same for endpoints that do not: the schema in words."""
    described = json.dumps(schema.model_json_schema(), ensure_ascii=False)
    return f"Answer with one JSON value and nothing else. It must fit this JSON schema:\n{described}"
