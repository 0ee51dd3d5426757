"""Signing in and out, and what is shown when something was refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from ultron_core.errors import KeyRefusedError
from ultron_core.serve.callers import backend_of
from ultron_core.serve.pages.addresses import redeem
from ultron_core.serve.pages.forms import Form
from ultron_core.serve.pages.render import moved, page
from ultron_core.serve.pages.visitors import COOKIE, Opens, Visitor, sessions_of, sign_in
from ultron_core.steps.keys import ensure_key_file

__all__ = ["problem_page", "router"]

router = APIRouter(prefix="/ui", include_in_schema=False)
#: what stands over a page that says no
_TITLES = {
    400: "That was not understood",
    403: "Not allowed",
    404: "Not found",
    405: "Not found",
    409: "Changed by somebody else",
    422: "That cannot be used",
    429: "Too many requests",
    503: "Not ready",
}
_USED = (
    "That address was used before, or its five minutes are over. `ultron serve --sign-in` prints a new one."
)
_OTHER_SITE = frozenset({"cross-site", "same-site"})


@router.get("/sign-in")
def ask_to_sign_in(request: Request, token: Annotated[str | None, Query(max_length=200)] = None) -> Response:
    """With the token of a one-time address: signed in at once. A link on another site's page asks first, so that no
    page can decide who its reader is here."""
    if token is None:
        return _ask()
    if request.headers.get("sec-fetch-site") in _OTHER_SITE or "sec-purpose" in request.headers:
        return page("sign_in.html", None, problem="", token=token)
    return _redeem(request, token)


@router.post("/sign-in")
def take_sign_in(request: Request, form: Form) -> Response:
    """By the token of a one-time address, or by an access key."""
    if form.get("token"):
        return _redeem(request, form["token"])
    backend = backend_of(request)
    try:
        key = backend.ultron.keys.recognise(form.get("key", "").strip())
    except KeyRefusedError:
        return _ask("That access key is unknown, expired or revoked.")
    backend.limits.take(key.id)
    answer = moved("/ui")
    sign_in(request, answer, key)
    return answer


@router.post("/sign-out")
def sign_out(request: Request, visitor: Annotated[Visitor, Depends(Opens("read"))]) -> Response:
    """End this session."""
    sessions_of(request).close(request.cookies[COOKIE])
    answer = moved("/ui/sign-in")
    answer.delete_cookie(COOKIE, path="/ui", httponly=True, samesite="strict")
    return answer


def _redeem(request: Request, token: str) -> Response:
    ultron = backend_of(request).ultron
    home = ultron.settings.store.home
    if not redeem(home, token, ultron.runtime.clock()):
        return _ask(_USED)
    path = ensure_key_file(ultron.runtime, home)
    answer = moved("/ui")
    sign_in(request, answer, ultron.keys.recognise(path.read_text("utf-8").strip()), as_owner=True)
    return answer


def _ask(problem: str = "") -> Response:
    return page("sign_in.html", None, 401 if problem else 200, problem=problem, token=None)


def problem_page(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error as people read it; who is not signed in is asked to."""
    if status == 401:
        return page("sign_in.html", None, 401, problem=message, token=None)
    told = dict(headers or {})
    if status == 503:
        told["Refresh"] = told.get("Retry-After", "5")  # the page asks again by itself
    title = _TITLES.get(status, "Something went wrong")
    return page("problem.html", None, status, told, title=title, message=message, code=code)
