"""Everything that needs no model: secrets first, then personal data with a shape, until nothing more fires."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ultron_core.models import Finding, Redaction
from ultron_core.redaction.normal import normalised
from ultron_core.redaction.numbers import personal_numbers
from ultron_core.redaction.personal import personal_data
from ultron_core.redaction.secrets.arguments import argument_secrets
from ultron_core.redaction.secrets.assignments import assigned_secrets
from ultron_core.redaction.secrets.commands import command_secrets
from ultron_core.redaction.secrets.headers import header_secrets
from ultron_core.redaction.secrets.keyfiles import key_blocks, login_files
from ultron_core.redaction.secrets.prose import login_pairs
from ultron_core.redaction.secrets.vendors import vendor_keys
from ultron_core.redaction.secrets.wrapped import joined_secrets, wallet_keys, wrapped_secrets
from ultron_core.redaction.spans import Draft, Numbering, Span
from ultron_core.redaction.words import OwnWords

__all__ = ["draft_of", "find_secrets", "hide_secrets", "redact_patterns", "settle", "settle_secrets"]

#: how far around a new placeholder a second look goes; contexts and matches that matter are shorter
_AROUND = 320
#: matches this near to the edge of a look may be cut off and wait for the next
_EDGE = 64
_NO_WORDS = OwnWords()
#: the strings of a JSON value are mostly names and single words, and the same in the next value: `tests_passed`
_SHORT, _MOST_SHORT = 80, 20_000


def redact_patterns(text: str, words: OwnWords = _NO_WORDS) -> Redaction:
    """Secrets, shaped personal data and the user's own words, no names: needs no model."""
    draft = draft_of(text)
    settle(draft, words)
    numbering = Numbering()
    numbering.reserve(text)
    return draft.finish(numbering)


def find_secrets(text: str) -> list[Finding]:
    """Keys, tokens and passwords alone, in order of position; for gates that only ask "is one in here?"."""
    return list(_secrets_of(text).findings)


def hide_secrets(text: str) -> str:
    """The text with its secrets as placeholders, and nothing else changed."""
    return _secrets_of(text).text


def _secrets_of(text: str) -> Redaction:
    draft = draft_of(text)
    settle_secrets([draft])
    numbering = Numbering()
    numbering.reserve(text)
    return draft.finish(numbering)


def settle_secrets(drafts: Sequence[Draft], names: Sequence[bool] = ()) -> None:
    """Secrets alone, in one look; `names` is for those who also look for names."""
    for draft in drafts:
        draft.add(_everywhere(draft.view, secrets_only=True))


def draft_of(text: str) -> Draft:
    """A draft of the text; text that is JSON may change only inside its strings."""
    draft = Draft(text)
    head = text[:1] or " "
    if head in "{[" or (head.isspace() and text.lstrip()[:1] in ("{", "[")):
        draft.maybe_json = True
    return draft


def settle(draft: Draft, words: OwnWords = _NO_WORDS) -> None:
    """Add what the patterns find, and look again around each new placeholder until nothing more is found."""
    view = draft.view
    new = draft.add(_in_short(view, words) if len(view) <= _SHORT else _everywhere(view, words))
    while new:
        new = draft.add(_near(draft.view, new, words))


def _everywhere(text: str, words: OwnWords = _NO_WORDS, *, secrets_only: bool = False) -> Iterator[Span]:
    """What is found in the text and in its normalised view; secrets rank first in both.

    Where something is hidden the view ranks first: half of a key may be a finding of its own.
    """
    view = normalised(text)
    if view and view.disguised:
        yield from map(view.original, _secrets(view.text))
    yield from _secrets(text)
    # no escape stands within a run of base64
    yield from wrapped_secrets(text, _secrets)
    yield from wallet_keys(text)
    if view and not view.disguised:
        yield from map(view.original, _secrets(view.text))
    if secrets_only:
        return
    yield from _personal(text, words)
    if view:
        yield from map(
            view.original, _personal(view.text, words) if view.disguised else words.find(view.text)
        )


@lru_cache(maxsize=_MOST_SHORT)
def _in_short(text: str, words: OwnWords) -> tuple[Span, ...]:
    return tuple(_everywhere(text, words))


def _secrets(text: str) -> Iterator[Span]:
    yield from joined_secrets(text)
    yield from key_blocks(text)
    yield from vendor_keys(text)
    yield from header_secrets(text)
    yield from assigned_secrets(text)
    yield from command_secrets(text)
    yield from argument_secrets(text)
    yield from login_files(text)
    yield from login_pairs(text)


def _personal(text: str, words: OwnWords) -> Iterator[Span]:
    yield from personal_data(text)
    yield from personal_numbers(text)
    yield from words.find(text)


def _near(view: str, places: Sequence[tuple[int, int]], words: OwnWords) -> Iterator[Span]:
    for start, end in _windows(places, len(view)):
        low = start + _EDGE if start else 0
        high = end - _EDGE if end < len(view) else end
        for span in _everywhere(view[start:end], words):
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
