"""What a query says, read offline: language, terms, identifiers, quoted phrases and time words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ultron_core.search.terms import query_terms
from ultron_core.search.timewords import find_range
from ultron_core.transcript.language import mixed_language

__all__ = ["Language", "QueryAnalysis", "analyze_query"]

Language = Literal["en", "zh", "mixed"]

#: what is to be found as written, e.g. `"too many clients"`, `“连接超时”`, `「连接超时」`, `` `make check` ``
_QUOTED = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|「([^」\n]{2,200})」|`([^`\n]{2,200})`')
#: e.g. `--no-cache`, `/etc/hosts`, `app.py`, `user_id`, `getUser`, `v1.2.3`, `ERR-42`
_IDENTIFIER = re.compile(
    r"(?<![\w/.-])("
    r"--?[a-z][\w-]+(?:=[\w./-]+)?"  # flags
    r"|(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+-]*)*"  # paths
    r"|[A-Za-z_][\w]*(?:(?:::|\.|/|-)[A-Za-z_][\w]*)*\.(?:py|js|ts|tsx|rs|go|java|md|json|ya?ml|toml|sql|sh|c|h|cpp)"
    r"|[A-Za-z]+(?:_[A-Za-z0-9]+)+"  # snake_case and UPPER_CASE
    r"|[A-Za-z]+[a-z][A-Z][A-Za-z0-9]*"  # camelCase
    r"|v?\d+(?:\.\d+)+"  # versions
    r"|[A-Z]{2,}-?\d+|[A-Za-z]+\d+[A-Za-z0-9]*"  # error codes
    r")(?![\w])",
    re.ASCII,
)
#: terms from which on a query may be a line of a log
_WHOLE = 3


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """`terms` for the BM25 lane; `identifiers` and `phrases` as written, to be matched exactly;
    `since` <= time < `until` where the query names a time, else None."""

    language: Language
    terms: tuple[str, ...]
    identifiers: tuple[str, ...]
    phrases: tuple[str, ...]
    since: datetime | None = None
    until: datetime | None = None
    #: what should appear verbatim: the quoted phrases, else the whole query if it has a few terms
    literals: tuple[str, ...] = ()


def analyze_query(text: str, now: datetime) -> QueryAnalysis:
    """Reads `text`; `now` is timezone-aware and sets the calendar that "yesterday" refers to.

    Time words are taken out of the terms only when something else is left to search for.
    """
    span = find_range(text, now)
    rest = text
    if span is not None:
        without = text[: span.begin] + " " + text[span.end :]
        rest = without if query_terms(without) else text
    phrases = tuple(
        dict.fromkeys(next(group for group in match.groups() if group) for match in _QUOTED.finditer(text))
    )
    identifiers = tuple(dict.fromkeys(_IDENTIFIER.findall(text)))
    terms = tuple(query_terms(rest))
    whole = (text.strip(),) if len(terms) >= _WHOLE else ()
    return QueryAnalysis(
        language=mixed_language(text),
        terms=terms,
        identifiers=identifiers,
        phrases=phrases,
        since=span.since if span else None,
        until=span.until if span else None,
        literals=phrases or whole,
    )
