"""What a form sent: read once, within the limits of a body, and checked by the records of the JSON routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError

from ultron_core.errors import InputError

__all__ = ["Form", "checked", "read_form"]

_Body = TypeVar("_Body", bound=BaseModel)
#: of one form; ours have ten
_MOST_FIELDS = 50


async def read_form(request: Request) -> Mapping[str, str]:
    """The fields of a POST, the last of a name; nothing of other methods. Raises InputError."""
    if request.method != "POST":
        return {}
    try:
        text = (await request.body()).decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise InputError("The form cannot be read: reload the page and send it again.") from error
    # browsers send every line end of a text as CR LF
    return {name: value.replace("\r\n", "\n") for name, value in pairs}


Form = Annotated[Mapping[str, str], Depends(read_form)]


def checked(body: type[_Body], values: Mapping[str, Any]) -> _Body:
    """The values as the record that the JSON route takes; empty ones are left out. Raises InputError with the
    fields that are wrong."""
    try:
        return body.model_validate({name: value for name, value in values.items() if value not in ("", None)})
    except ValidationError as error:
        told = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
        raise InputError("; ".join(told)) from error
