"""Every error Ultron raises on purpose, as one tree.

    UltronError
    ├── SettingsError            a setting has an invalid value
    ├── InputError               what the caller passed in cannot be used
    │   ├── SessionFileError     a session file cannot be read at all
    │   ├── UnknownNameError     no such project, type, tier or task type; the message tells the near names
    │   ├── AmbiguousNameError   a name or the beginning of an id that fits several; the message lists them
    │   ├── ConflictError        somebody else changed the memory, or used the key for other words
    │   └── NotFoundError        no such memory, session or cluster
    ├── AccessError              the caller may not do this
    │   ├── KeyRefusedError      no access key, or one that is unknown, revoked or expired
    │   ├── ScopeError           the key lacks a scope; the message names it
    │   └── RateLimitError       too many requests with this key: try again later
    ├── StoreError               the database cannot do what was asked
    │   ├── StoreMissingError    nothing was stored yet where a command was to read
    │   ├── ServerStartError     the embedded PostgreSQL did not start
    │   ├── DatabaseUnreachableError
    │   ├── PgvectorMissingError
    │   ├── MigrationError
    │   └── LogChangedError      a log was read again while something was made of it: take it up anew
    ├── ModelError               a model endpoint did not give a usable answer
    │   ├── ModelUnavailableError  down, timed out, refused, rate-limited: try again later
    │   ├── ModelAnswerError       it answered, but the answer does not fit the schema
    │   │   └── ContextTooLongError  the request is longer than the model reads: ask with less
    │   └── BudgetExceededError    the run or the day has spent its limit
    ├── EmbeddingError           texts could not be turned into vectors
    │   └── TextRefusedError     the embedder does not take one of them: ask with the others
    └── ExportError              a dataset could not be written or is not valid
        └── NothingToExportError  no row is left; nothing was written

A message says what happened, to which file and line, and what to do. Callers branch on the class, never
on the text. Bad *lines* of a session are not errors: they are counted in its ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from typing import ClassVar

__all__ = [
    "AccessError",
    "AmbiguousNameError",
    "BudgetExceededError",
    "ConflictError",
    "ContextTooLongError",
    "DatabaseUnreachableError",
    "EmbeddingError",
    "ExportError",
    "InputError",
    "KeyRefusedError",
    "LogChangedError",
    "MigrationError",
    "ModelAnswerError",
    "ModelError",
    "ModelUnavailableError",
    "NotFoundError",
    "NothingToExportError",
    "PgvectorMissingError",
    "RateLimitError",
    "ScopeError",
    "ServerStartError",
    "SessionFileError",
    "SettingsError",
    "StoreError",
    "StoreMissingError",
    "TextRefusedError",
    "UltronError",
    "UnknownNameError",
]


#: names of a list that is told in full
MOST_SHOWN = 12


class UltronError(Exception):
    """Base of every error that Ultron raises on purpose."""


class SettingsError(UltronError):
    """A setting has an invalid value; the message names the variable and what it accepts."""


class InputError(UltronError):
    """What the caller passed in cannot be used; nothing was written. The message quotes it without keys."""

    #: how keys are taken out of a message; redaction stands above this module, and who opens a store says what it is
    clean: ClassVar[Callable[[str], str]] = staticmethod(str)

    def __init__(self, message: str = "") -> None:
        super().__init__(InputError.clean(message))


class SessionFileError(InputError):
    """A session file cannot be read at all (missing, unreadable, binary, no messages)."""


class UnknownNameError(InputError):
    """A name that nothing has; the message tells the near ones, else all of a short list."""

    def __init__(self, kind: str, name: str, known: Collection[str]) -> None:
        folded = {one.casefold(): one for one in known}
        near = [folded[one] for one in get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)]
        shown = near or (sorted(known) if len(known) <= MOST_SHOWN else [])
        hint = (
            f"Did you mean {' or '.join(near)}?"
            if near
            else f"There are: {', '.join(shown)}."
            if shown
            else ""
        )
        nothing = "" if known else f"No {kind} is known yet."
        super().__init__(" ".join(part for part in (f"No {kind} {name!r}.", hint, nothing) if part))


class AmbiguousNameError(InputError):
    """A name, or the beginning of an id, that fits several; the message lists them, one a line."""

    def __init__(self, kind: str, name: str, fits: Sequence[str]) -> None:
        further = f"\n  and {len(fits) - MOST_SHOWN} more" if len(fits) > MOST_SHOWN else ""
        lines = "".join(f"\n  {one}" for one in fits[:MOST_SHOWN])
        super().__init__(f"{name} fits more than one {kind}: give more characters.{lines}{further}")


class NotFoundError(InputError):
    """No row has the given id."""


class ConflictError(InputError):
    """What the caller saw is not what is stored now: read it again, or use a new idempotency key."""


class AccessError(UltronError):
    """The caller may not do this."""


class KeyRefusedError(AccessError):
    """No access key was given, or one that is unknown, revoked or expired."""


class ScopeError(AccessError):
    """The key lacks a scope, or belongs to another agent; the message says which."""


class RateLimitError(AccessError):
    """Too many requests with one key."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        #: seconds until the next request is taken
        self.retry_after = retry_after


class StoreError(UltronError):
    """The database cannot do what was asked."""


class StoreMissingError(StoreError):
    """There is no store where a command was to read, and reading makes none."""


class ServerStartError(StoreError):
    """The embedded PostgreSQL did not start; the message carries the end of its log."""


class DatabaseUnreachableError(StoreError):
    """No connection to the database; check ULTRON_DATABASE_URL and that the server runs."""


class PgvectorMissingError(StoreError):
    """The server has no pgvector >= 0.8; install it and run CREATE EXTENSION vector."""


class MigrationError(StoreError):
    """The database has a schema that this version cannot use."""


class LogChangedError(StoreError):
    """The messages of a session are no longer those that were read a moment ago."""


class ModelError(UltronError):
    """A model endpoint did not give a usable answer."""


class ModelUnavailableError(ModelError):
    """The endpoint is down, timed out, refused the connection or limits the rate; work stays pending."""


class ModelAnswerError(ModelError):
    """The model answered, but not in the requested shape, even on a second try."""


class ContextTooLongError(ModelAnswerError):
    """The request is longer than the model reads; a caller that sends windows halves them."""


class BudgetExceededError(ModelError):
    """The run or the day has spent its budget; raise it or wait."""


class EmbeddingError(UltronError):
    """Texts could not be turned into vectors; rows are stored without one and filled in later."""


class TextRefusedError(EmbeddingError):
    """The embedder answers, but not with these texts; one of them may be to blame, and the others may pass."""


class ExportError(UltronError):
    """A dataset could not be written or did not pass validation; nothing was published."""


class NothingToExportError(ExportError):
    """No segment fits the request; no folder was made."""
