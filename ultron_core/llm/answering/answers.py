"""From the text of an answer to an instance of the schema that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from ultron_core.errors import ModelAnswerError
from ultron_core.llm.answering.json_values import Found, find_values
from ultron_core.llm.answering.repair import DROPPED, repaired
from ultron_core.llm.answering.shapes import field_key, is_filled, is_item, shapes, why_refused
from ultron_core.llm.protocol import Answer

__all__ = ["parse_answer"]

#: drafts before the answer that are tried when it does not fit
_MOST_CANDIDATES = 4


def parse_answer(text: str, schema: type[Answer]) -> Answer:
    """The last JSON value after the reasoning that can be read as `schema`.

    Wrappers are taken off, and what does not fit costs its field or its item alone. Raises ModelAnswerError
    saying what does not fit: a wrong shape never passes as an answer that says nothing.
    """
    found = find_values(text)
    problems = []
    for value in _whole_first(_candidates(found), schema):
        fitted = _fitted(value, schema, whole=found.broken)
        if not isinstance(fitted, str):
            return fitted
        problems.append(fitted)
    raise ModelAnswerError(problems[0] if problems else "the answer contains no JSON value")


def _candidates(found: Found) -> list[Any]:
    """The last value first. Values on lines of their own (NDJSON) may be the items of one list.

    A list of numbers or words, or an empty one, counts only when it is the whole answer ("as [1] says").
    """
    values = [value for value in found.values if found.alone or not _is_plain_list(value)]
    last_first = values[: -_MOST_CANDIDATES - 1 : -1]
    return [list(found.run), *last_first] if len(found.run) > 1 else last_first


def _whole_first(candidates: list[Any], schema: type[BaseModel]) -> list[Any]:
    """The answer before a mere item behind it: `{"memories": [...]} Not to be kept: {"content": "..."}`."""
    if candidates and is_item(candidates[0], schema):
        return sorted(candidates, key=lambda value: not is_filled(value, schema))
    return candidates


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(one, dict | list) for one in value)


def _fitted(value: Any, schema: type[Answer], *, whole: bool) -> Answer | str:
    """The value as the schema, or what is wrong with it; `whole`: it must not need a wrapper or a list around it."""
    described = _described(schema)
    problem = why_refused(value)
    for shape in shapes(value, schema):
        if whole and shape is not value:
            continue
        fixed = repaired(shape, described, described)
        if fixed is DROPPED or _lost_a_list(shape, fixed, described):
            fixed = shape
        try:
            return schema.model_validate(fixed)
        except ValidationError as error:
            problem = _first_problem(error)
    return problem


def _lost_a_list(shape: Mapping[str, Any], fixed: Mapping[str, Any], described: Mapping[str, Any]) -> bool:
    """Whether a list of the answer itself was given and nothing of it can be used: that is not an empty list."""
    given = {field_key(str(key)) for key, value in shape.items() if value}
    lists = (name for name, part in described["properties"].items() if part.get("type") == "array")
    return any(field_key(name) in given and not fixed.get(name) for name in lists)


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the answer"
    return f"{error.error_count()} problem(s); {place}: {first['msg']}"


@lru_cache(maxsize=32)
def _described(schema: type[BaseModel]) -> dict[str, Any]:
    return schema.model_json_schema()
