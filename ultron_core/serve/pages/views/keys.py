"""Access keys: all of them, a new one, which is shown once, and the end of one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from ultron_core.access.keys import PRESETS
from ultron_core.errors import InputError
from ultron_core.serve.bodies import KeyBody
from ultron_core.serve.pages.forms import Form, checked
from ultron_core.serve.pages.render import moved, page
from ultron_core.serve.pages.visitors import Opens, Visitor

__all__ = ["router"]

router = APIRouter(prefix="/ui", include_in_schema=False)
Admin = Annotated[Visitor, Depends(Opens("admin"))]
_MOST_DAYS = 3_650


@router.get("/keys")
def listing(visitor: Admin) -> Response:
    """All keys, without their secrets."""
    return _page(visitor)


@router.post("/keys")
def add(visitor: Admin, form: Form) -> Response:
    """A new key. Its text stands on this page and nowhere else, not even on the page when it is loaded again."""
    try:
        body = checked(KeyBody, {name: form.get(name, "").strip() for name in ("name", "preset", "agent_id")})
        days = form.get("days", "").strip()
        expires = visitor.ultron.runtime.clock() + timedelta(days=_days(days)) if days else None
        key, text = visitor.ultron.keys.add(
            body.name, preset=body.preset, agent_id=body.agent_id, expires_at=expires
        )
    except InputError as error:
        return _page(visitor, 422, given=form, problem=str(error))
    return _page(visitor, name=key.name, text=text)


@router.post("/keys/{key_id}/revoke")
def revoke(key_id: Annotated[str, Path(max_length=64)], visitor: Admin) -> Response:
    """End a key, at once."""
    visitor.ultron.keys.revoke(key_id)
    return moved("/ui/keys")


def _page(
    visitor: Visitor,
    status: int = 200,
    *,
    given: Mapping[str, str] | None = None,
    problem: str = "",
    name: str = "",
    text: str = "",
) -> Response:
    found = visitor.ultron.keys.list()
    now = visitor.ultron.runtime.clock()
    return page(
        "keys.html",
        visitor,
        status,
        keys=[(key, key.state(now)) for key in found],
        presets=PRESETS,
        given={field: (given or {}).get(field, "") for field in ("name", "preset", "agent_id", "days")},
        problem=problem,
        new_name=name,
        new_text=text,
    )


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= _MOST_DAYS):
        raise InputError(f"days: a whole number from 1 to {_MOST_DAYS:,}, or nothing.")
    return int(text)
