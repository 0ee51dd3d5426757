"""Who holds a quote, and does it appear at all? Placeholders of a redacted quote match whatever they replace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ultron_core.models import Evidence, Message, Trust
from ultron_core.transcript.actions import message_texts
from ultron_core.transcript.own import own_words
from ultron_core.transcript.recaps import is_recap

__all__ = ["appears_in", "holding", "is_own", "trust_of"]

#: what redaction leaves in the text that a model reads, e.g. `<PERSON>`, `<LLM_API_KEY_2>`
_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]*[A-Z](?:_\d{1,9})?>")
#: longest text that one placeholder replaces (a PEM block has about 3,500 characters)
_MAX_SECRET = 4_000
#: letters that must be outside of placeholders, or the quote would be found in any message
_MIN_LETTERS = 8


def appears_in(quote: str, message: Message) -> bool:
    """True when `quote` appears verbatim in the message's content or the arguments of its calls.

    A placeholder of redaction matches any text of one to 4,000 characters; a quote of little else matches
    only itself. An argument is also shown as JSON, so a quote of `a\\nb` matches a real line break.
    """
    if not quote.strip():
        return False
    return any(_matches(form, text) for form in _forms(quote) for text in message_texts(message))


def holding(item: Evidence, messages: Sequence[Message]) -> list[Message]:
    """Messages on the lines of the evidence that hold its quote."""
    return [
        message
        for message in messages
        if message.start_line <= item.end_line
        and message.end_line >= item.start_line
        and appears_in(item.quote, message)
    ]


def trust_of(item: Evidence, messages: Sequence[Message]) -> Trust:
    """Who said the quote: a person where it is their own, else the agent (also by a summary of its session), else a
    tool, a file or the harness; what a person quotes or pastes is no more theirs than what a tool prints."""
    found = holding(item, messages)
    if any(message.origin == "human" and is_own(item.quote, message) for message in found):
        return "human"
    return "agent" if any(message.origin == "model" or is_recap(message) for message in found) else "tool"


def is_own(quote: str, message: Message) -> bool:
    """Whether a person wrote the quote as their own words, and not as another's."""
    own = own_words(message.content)
    return any(_matches(form, own) for form in _forms(quote))


def _forms(quote: str) -> Iterator[str]:
    yield quote
    if "\\" in quote:
        try:
            yield str(json.loads(f'"{quote}"'))
        except ValueError:
            return


def _matches(quote: str, text: str) -> bool:
    if quote in text:
        return True
    pattern = _open_pattern(quote)
    return pattern is not None and pattern.search(text) is not None


@lru_cache(maxsize=256)
def _open_pattern(quote: str) -> re.Pattern[str] | None:
    """The quote with its placeholders opened; None when it has none or too few letters besides."""
    fixed = _PLACEHOLDER.split(quote)
    if len(fixed) == 1 or len(re.findall(r"\w", "".join(fixed))) < _MIN_LETTERS:
        return None
    any_text = rf"[\s\S]{{1,{_MAX_SECRET}}}?"
    return re.compile(any_text.join(re.escape(part) for part in fixed))
