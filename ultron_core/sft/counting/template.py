"""Chat templates as the trainers' library runs them: Jinja in a sandbox, with the names that templates expect."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

__all__ = ["Render", "compiled"]

Render = Callable[[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]], str | None]
#: templates that print the day of the run: any fixed one, so that equal rows have equal counts
_DAY = datetime(2026, 1, 1, tzinfo=UTC)


def compiled(template: str) -> Render:
    """A function from messages and tools to the text that a model reads; None for a row that the template refuses.

    Raises ValueError for a template that is no Jinja.
    """
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _DAY.strftime
    try:
        ready = environment.from_string(template)
    except TemplateError as error:
        raise ValueError(f"its chat template: {error}") from error

    def render(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> str | None:
        try:
            return ready.render(messages=messages, tools=list(tools) or None, add_generation_prompt=False)
        except (TemplateError, TypeError, _RefusedError):
            # Llama 3.1 refuses parallel calls; others fail on a turn without text
            return None

    return render


class _RefusedError(Exception):
    """The template says that it cannot write the row."""


def _refuse(message: str) -> None:
    raise _RefusedError(message)


def _to_json(value: Any, indent: int | None = None, **_: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)
