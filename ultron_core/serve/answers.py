"""What goes out: `{success, data, count?}`, and errors as `{success: false, error: {code, message}}`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

import orjson
import psycopg
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from ultron_core.errors import (
    ConflictError,
    InputError,
    KeyRefusedError,
    NotFoundError,
    RateLimitError,
    ScopeError,
    UltronError,
)

__all__ = ["Failure", "add_handlers", "failure", "ok", "plain", "problem_of", "told_fields"]

logger = logging.getLogger("ultron.serve")
#: by class, the nearest first
_STATUS: tuple[tuple[type[UltronError], int, str], ...] = (
    (KeyRefusedError, 401, "unauthorized"),
    (ScopeError, 403, "forbidden"),
    (RateLimitError, 429, "rate_limited"),
    (NotFoundError, 404, "not_found"),
    (ConflictError, 409, "conflict"),
    (InputError, 422, "invalid"),
    # a database, a model or an embedder that is away
    (UltronError, 503, "unavailable"),
)
_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_type",
}
#: seconds after which a caller should ask again
_RETRY_SECONDS = 5


class Failure(Protocol):
    """How an error is told."""

    def __call__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> Response: ...


def ok(data: Any, count: int | None = None, *, success: bool = True, **more: Any) -> Response:
    """An answer with `data`; `count` when it is a list."""
    body = {"success": success, "data": data, **({} if count is None else {"count": count}), **more}
    return _json(200, body)


def failure(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return _json(status, {"success": False, "error": {"code": code, "message": message}}, headers)


def plain(value: Any) -> Any:
    """A record as a dict; what it holds is copied when it is written, not before."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return value


def problem_of(error: UltronError) -> tuple[int, str, str, dict[str, str]]:
    """Status, code, message and headers of an error. What is not the caller's doing is told in general words."""
    status, code = next((status, code) for kind, status, code in _STATUS if isinstance(error, kind))
    if status == 401:
        return status, code, str(error), {"WWW-Authenticate": "Bearer"}
    if isinstance(error, RateLimitError):
        return status, code, str(error), {"Retry-After": str(max(1, round(error.retry_after)))}
    if status == 503:
        logger.warning("a request failed: %s", type(error).__name__)
        away = "Ultron cannot answer now: it is loading, or its database or model is away. Try again."
        return status, code, away, {"Retry-After": str(_RETRY_SECONDS)}
    return status, code, str(error), {}


def add_handlers(app: FastAPI, pages: Mapping[str, Failure]) -> None:
    """Every error of a route in the one form, below the paths of `pages` in theirs. No stack, key or stored text
    leaves with any of them."""

    def told(
        request: Request, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        path = request.url.path
        form = next((form for prefix, form in pages.items() if path.startswith(prefix)), failure)
        return form(status, code, message, headers)

    @app.exception_handler(UltronError)
    def ours(request: Request, error: UltronError) -> Response:
        return told(request, *problem_of(error))

    @app.exception_handler(psycopg.Error)
    def database(request: Request, error: psycopg.Error) -> Response:
        logger.error("the database refused a statement: %s", type(error).__name__)
        if isinstance(error, psycopg.DataError):
            return told(request, 422, "invalid", "A value is one that the database cannot hold.")
        if isinstance(error, psycopg.OperationalError):
            away = "The database is away or too slow: try again."
            return told(request, 503, "unavailable", away, {"Retry-After": str(_RETRY_SECONDS)})
        return told(request, 500, "internal", "Ultron failed to answer; its log names the kind of error.")

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        # the first part of each place says whether it stood in the body, the path or the query
        problems = [{**problem, "loc": problem["loc"][1:]} for problem in error.errors()]
        return told(request, 422, "invalid", told_fields(problems))

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        code = _CODES.get(error.status_code, "refused")
        return told(request, error.status_code, code, str(error.detail), error.headers)

    @app.exception_handler(Exception)
    def unforeseen(request: Request, error: Exception) -> Response:
        logger.error("a request failed: %s", type(error).__name__)
        return told(request, 500, "internal", "Ultron failed to answer; its log names the kind of error.")


def told_fields(problems: Sequence[Any]) -> str:
    """Which fields are wrong and why, without what was sent: it may be a secret."""
    told = [f"{'.'.join(str(part) for part in p['loc']) or 'body'}: {p['msg']}" for p in problems[:5]]
    return "; ".join(told)


def _json(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Response:
    text = orjson.dumps(body, default=_default, option=orjson.OPT_NON_STR_KEYS)
    return Response(text, status, dict(headers or {}), media_type="application/json")


def _default(value: Any) -> Any:
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)
