"""From a template to an answer: every text is escaped, no page holds a script, and times are told in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

import orjson
from fastapi import Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ultron_core.display import plain, shown_bytes
from ultron_core.serve.pages.quoting import cut
from ultron_core.serve.pages.visitors import TOKEN_FIELD, Visitor
from ultron_core.version import __version__

__all__ = ["address", "ago", "moved", "page", "words_of_stage"]

#: nothing but our own style sheet and icon; `same-origin`, as without a referrer browsers send forms of no origin
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
#: Japanese syllables, e.g. `ひ` or `カ`: Chinese text has none
_KANA = re.compile(r"[\u3040-\u30ff]")
#: Chinese characters, e.g. `数`
_HAN = re.compile(r"[\u3400-\u9fff]")
#: seconds of each unit, the longest first
_UNITS = (
    (31_557_600, "year"),
    (2_629_800, "month"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)


def page(
    template: str,
    visitor: Visitor | None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> Response:
    """A page. Values that a template does not know of are a mistake, as are those it misses."""
    now = visitor.ultron.runtime.clock() if visitor is not None else datetime.now(UTC)
    body = _TEMPLATES.get_template(template).render(visitor=visitor, now=now, **values)
    return Response(body, status, {**HEADERS, **(headers or {})}, media_type="text/html")


def moved(path: str, **parameters: str) -> Response:
    """Ask for another page after a form: to load that one again sends nothing twice."""
    return Response(status_code=303, headers={**HEADERS, "Location": address(path, **parameters)})


def address(path: str, **parameters: Any) -> str:
    """A path of ours with the parameters that have a value."""
    given = {name: value for name, value in parameters.items() if value not in (None, "")}
    return quote(path) + (f"?{urlencode(given)}" if given else "")


def ago(then: datetime, now: datetime) -> str:
    """`3 hours ago`, `in 2 days`, `just now`."""
    seconds = (now - then).total_seconds()
    for size, unit in _UNITS:
        if abs(seconds) >= size:
            count = int(abs(seconds) // size)
            told = f"{count} {unit}{'s' if count > 1 else ''}"
            return f"{told} ago" if seconds > 0 else f"in {told}"
    return "just now"


def words_of_stage(name: str) -> str:
    """`memory_extract` as `memory extract`."""
    return name.replace("_", " ")


def _file_name(session_file: str) -> str:
    """The last part of a log's path, which tells logs apart; the whole stands on the session's page."""
    return session_file.rstrip("/").rpartition("/")[2]


def _reason(text: str) -> str:
    """A reason that is a code, e.g. `nothing_near`, as words; a sentence stays."""
    return text if " " in text else words_of_stage(text)


def _language(text: str) -> str:
    """The language that a browser should read stored text in, when it is not that of the page."""
    if _KANA.search(text):
        return "ja"
    return "zh" if _HAN.search(text) else ""


def _absolute(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _number(value: float) -> str:
    """`12,345` or `0.62`."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def _json(value: Any) -> str:
    """JSON to be read by people, to be escaped like any text."""
    return orjson.dumps(value, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()


def _words(value: Any) -> Any:
    """What is put into a page, before it is escaped; what a macro made is a page already."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("ultron_core.serve.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_words,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "absolute": _absolute,
        "ago": ago,
        "bytes": shown_bytes,
        "cut": cut,
        "file_name": _file_name,
        "language": _language,
        "number": _number,
        "reason": _reason,
        "tojson_plain": _json,
        "words": words_of_stage,
    }
    made.globals |= {"address": address, "token_field": TOKEN_FIELD, "version": __version__}
    return made


_TEMPLATES = _environment()
