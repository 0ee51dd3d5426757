"""Everything that needs no model: secrets first, then personal data with a shape, until nothing more fires."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ultron_core.models import Finding, Redaction
from ultron_core.redaction.credentials import named_credentials
from ultron_core.redaction.numbers import personal_numbers
from ultron_core.redaction.personal import personal_data
from ultron_core.redaction.spans import Draft, Numbering, Span
from ultron_core.redaction.vendors import vendor_keys

__all__ = ["draft_of", "find_secrets", "redact_patterns", "settle"]

#: how far around a new placeholder a second look goes; contexts and matches that matter are shorter
_AROUND = 320
_EDGE = 64


def redact_patterns(text: str) -> Redaction:
    """Secrets and shaped personal data only, no names: needs no model, several MB a second."""
    draft = draft_of(text)
    settle(draft)
    numbering = Numbering()
    numbering.reserve(text)
    return draft.finish(numbering)


def find_secrets(text: str) -> list[Finding]:
    """Keys, tokens and passwords alone, in order of position; for gates that only ask "is one in here?"."""
    draft = draft_of(text)
    draft.add(_secrets(text))
    return list(draft.finish(Numbering()).findings)


def draft_of(text: str) -> Draft:
    """A draft of the text; text that is JSON may change only inside its strings."""
    draft = Draft(text)
    head = text[:1] or " "
    if head in "{[" or (head.isspace() and text.lstrip()[:1] in ("{", "[")):
        draft.maybe_json = True
    return draft


def settle(draft: Draft) -> None:
    """Add what the patterns find, and look again around each new placeholder until nothing more is found."""
    new = draft.add(_all(draft.view))
    while new:
        new = draft.add(_near(draft.view, new))


def _secrets(text: str) -> Iterator[Span]:
    yield from vendor_keys(text)
    yield from named_credentials(text)


def _all(text: str) -> Iterator[Span]:
    yield from _secrets(text)
    yield from personal_data(text)
    yield from personal_numbers(text)


def _near(view: str, places: Sequence[tuple[int, int]]) -> Iterator[Span]:
    for start, end in _windows(places, len(view)):
        low = start + _EDGE if start else 0
        high = end - _EDGE if end < len(view) else end
        for span in _all(view[start:end]):
            if low <= span.start + start and span.end + start <= high:
                yield Span(span.start + start, span.end + start, span.entity)


def _windows(places: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    start, end = max(0, places[0][0] - _AROUND), places[0][1] + _AROUND
    for first, last in places[1:]:
        if first - _AROUND > end:
            yield start, min(length, end)
            start = first - _AROUND
        end = last + _AROUND
    yield start, min(length, end)
