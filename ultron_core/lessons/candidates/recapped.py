"""Items of a summary that a harness puts in place of an earlier part of the session: errors, decisions and facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ultron_core.lessons.candidates.candidate import LONGEST, Candidate
from ultron_core.models import Message
from ultron_core.transcript.recaps import is_recap, recap_items

__all__ = ["find_recapped"]

#: kinds of items that last
_LASTING = ("error", "decision", "fact", "concept")


def find_recapped(messages: Sequence[Message]) -> Iterator[Candidate]:
    """A candidate of each item below a heading that is worth keeping, once a text."""
    seen: set[str] = set()
    for place, message in enumerate(messages):
        for item in recap_items(message) if is_recap(message) else ():
            if item.kind not in _LASTING or item.text in seen or len(item.text) > LONGEST:
                continue
            seen.add(item.text)
            yield Candidate(
                source="recap",
                author="agent",
                text=item.text,
                position=place,
                start_line=message.start_line,
                end_line=message.end_line,
                quote=item.quote[:LONGEST],
            )
