"""Access keys: `ult_<id>_<secret>`, the scopes they carry, and whether one still holds."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, Self, get_args

from ultron_core.errors import InputError, KeyRefusedError, ScopeError

__all__ = [
    "PRESETS",
    "REFUSED",
    "SCOPES",
    "AccessKey",
    "NewKey",
    "checked_scopes",
    "hash_of",
    "key_id_of",
    "new_key",
]

Scope = Literal["read", "write", "ingest", "sessions", "curate", "admin"]
#: read      search and read memories; search and read the agent's own log
#: write     upload memories and correct them
#: ingest    hand in logs and texts
#: sessions  the logs of every agent of the account
#: curate    archive, delete, undo
#: admin     keys
SCOPES: tuple[Scope, ...] = get_args(Scope)
PRESETS: Mapping[str, tuple[Scope, ...]] = MappingProxyType(
    {
        "agent": ("read", "write", "ingest"),
        "person": ("read", "write", "ingest", "sessions", "curate"),
        "admin": SCOPES,
    }
)
#: bytes of the part that may be seen
_ID_BYTES = 6
#: 256 bits
_SECRET_BYTES = 32
#: the id, and the secret in base64, e.g. `ult_0a1b2c3d4e5f_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE`
_FORM = re.compile(r"ult_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key at the moment it is made: the only time that its text is known."""

    id: str
    text: str
    hash: str


@dataclass(frozen=True, slots=True)
class AccessKey:
    """What is stored of a key."""

    id: str
    account_id: str
    agent_id: str | None
    name: str
    hash: str
    scopes: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        values = {name: row[name] for name in cls.__slots__}
        return cls(**{**values, "scopes": tuple(row["scopes"])})

    def state(self, now: datetime) -> str:
        """active, expired or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"

    def check(self, text: str, now: datetime) -> None:
        """Raises KeyRefusedError unless `text` is this key and it holds; compares in constant time."""
        if not hmac.compare_digest(hash_of(text), self.hash) or self.state(now) != "active":
            raise KeyRefusedError(REFUSED)

    def require(self, scope: str) -> None:
        """Raises ScopeError, which names the scope that is missing."""
        if scope not in self.scopes:
            raise ScopeError(f"This key lacks the scope {scope}: ask for a key that has it.")

    def acts_for(self, agent_id: str | None) -> str | None:
        """The agent of a request: the key's own; one that belongs to no agent takes the one that is named.

        Raises ScopeError when a key of one agent names another.
        """
        if self.agent_id is None or agent_id is None or agent_id == self.agent_id:
            return self.agent_id or agent_id
        raise ScopeError(
            f"This key belongs to the agent {self.agent_id}: leave agent_id out or name that one."
        )


#: one sentence for every reason: who tries keys learns nothing
REFUSED = "The access key is missing, unknown, expired or revoked: send your `ult_` key as a bearer token."


def new_key() -> NewKey:
    key_id = secrets.token_hex(_ID_BYTES)
    text = f"ult_{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    return NewKey(key_id, text, hash_of(text))


def hash_of(text: str) -> str:
    """SHA-256 in hex. 256 random bits need no slow hash."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def key_id_of(text: str) -> str:
    """The id inside a key. Raises KeyRefusedError for anything of another form."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise KeyRefusedError(REFUSED)
    return found[1]


def checked_scopes(preset: str | None, scopes: Sequence[str] = ()) -> tuple[str, ...]:
    """The scopes of a preset and of a list, in the order of SCOPES. Raises InputError for unknown ones or none."""
    if preset is not None and preset not in PRESETS:
        raise InputError(f"preset {preset!r} is unknown; use one of {', '.join(PRESETS)}.")
    if unknown := [scope for scope in scopes if scope not in SCOPES]:
        raise InputError(f"scope {unknown[0]!r} is unknown; use {', '.join(SCOPES)}.")
    wanted = {*PRESETS.get(preset or "", ()), *scopes}
    if not wanted:
        raise InputError(
            f"A key needs scopes: a preset ({', '.join(PRESETS)}) or some of {', '.join(SCOPES)}."
        )
    return tuple(scope for scope in SCOPES if scope in wanted)
