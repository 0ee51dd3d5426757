"""How a harness ended the work: a limit, a model that broke off, a person who stopped it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from ultron_core.models import Message
from ultron_core.transcript.harness import INTERRUPTED, LIMIT_REACHED, MODEL_BREAKS, joined

__all__ = ["Ending", "ending_kind", "ending_of"]

Kind = Literal["limit", "crash", "interrupted"]
#: in transcript/harness.py, e.g. `You've hit your limit`, `API Error: 500`, `[Request interrupted by user]`
_KINDS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("limit", joined(LIMIT_REACHED, re.IGNORECASE)),
    ("crash", joined(MODEL_BREAKS, flags=0)),
    ("interrupted", joined(INTERRUPTED, flags=0)),
)


class Ending(NamedTuple):
    """What ended the work, and the line that says so."""

    kind: Kind
    line: int


def ending_of(messages: Sequence[Message]) -> Ending | None:
    """What the harness wrote behind the last act of the agent, where it says that the work was cut short.

    A stop right behind a person's own words stopped these, not the work.
    """
    found: Ending | None = None
    for message in reversed(messages):
        if message.origin != "harness":
            stops_words = found is not None and found.kind == "interrupted" and message.role == "user"
            if found is not None:
                return None if stops_words else found
            if message.role != "user":
                return None
        elif found is None:
            kind = ending_kind(message)
            found = Ending(kind, message.start_line) if kind else None
    return found


def ending_kind(message: Message) -> Kind | None:
    """How this message of the harness ends the work; None where it does not."""
    text = message.content[:400]
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), None)
