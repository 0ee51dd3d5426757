"""Access keys of an account: made, listed, revoked, recognised; and the key file of whoever owns the home."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from ultron_core.access.keys import REFUSED, AccessKey, NewKey, checked_scopes, key_id_of, new_key
from ultron_core.errors import ConflictError, InputError, KeyRefusedError, NotFoundError
from ultron_core.folders import make_home
from ultron_core.steps.given import check_agent, check_id, check_name
from ultron_core.steps.runtime import Runtime
from ultron_core.store.queries import NamedQueries

__all__ = [
    "KEY_FILE",
    "OWNER",
    "add_key",
    "ensure_key_file",
    "list_keys",
    "recognise",
    "revoke_key",
    "standing_key",
]

_SQL = NamedQueries("access/keys")
#: in the home, of mode 0600: what hooks and bridges of this machine send
KEY_FILE = "access.key"
#: the name of the key in that file
OWNER = "owner"
_TOUCH = timedelta(minutes=1)


def add_key(
    runtime: Runtime,
    name: str,
    *,
    preset: str | None = None,
    scopes: Sequence[str] = (),
    agent_id: str | None = None,
    expires_at: datetime | None = None,
) -> tuple[AccessKey, NewKey]:
    """A new key; its text is in the second record and nowhere else. Raises InputError, and ConflictError for a name
    that a living key has."""
    check_id("name", name)
    check_agent("agent_id", agent_id, optional=True)
    now = runtime.clock()
    if expires_at is not None and expires_at.tzinfo is None:
        raise InputError("expires_at has no time zone: give one, such as UTC.")
    if expires_at is not None and expires_at <= now:
        raise InputError("expires_at is in the past: such a key would never hold.")
    made = new_key()
    values = {
        **runtime.account,
        "id": made.id,
        "hash": made.hash,
        "name": name,
        "agent_id": agent_id,
        "now": now,
        "scopes": list(checked_scopes(preset, scopes)),
        "expires_at": expires_at,
    }
    row = runtime.database.run(lambda conn: _SQL.fetch_one(conn, "insert", values))
    if row is None:
        raise ConflictError(f"There is a key named {name} already: revoke it first, or choose another name.")
    return AccessKey.from_row(row), made


def list_keys(runtime: Runtime) -> list[AccessKey]:
    rows = runtime.database.run(lambda conn: _SQL.fetch(conn, "listing", runtime.account))
    return [AccessKey.from_row(row) for row in rows]


def revoke_key(runtime: Runtime, which: str) -> list[AccessKey]:
    """End a key by its id or name, at once. Raises NotFoundError."""
    check_name("which", which)
    values = {**runtime.account, "which": which, "now": runtime.clock()}
    rows = runtime.database.run(lambda conn: _SQL.fetch(conn, "revoke", values))
    if not rows:
        raise NotFoundError(f"No active key {which}: `ultron keys list` shows all.")
    return [AccessKey.from_row(row) for row in rows]


def recognise(runtime: Runtime, text: str) -> AccessKey:
    """The key that a caller sent. Asked of the database every time, so that a revoked one ends at once.

    Raises KeyRefusedError, also for a key of another account.
    """
    key, now = _find(runtime, key_id_of(text)), runtime.clock()
    key.check(text, now)
    return _used(runtime, key, now)


def standing_key(runtime: Runtime, key_id: str) -> AccessKey:
    """The key that somebody showed before, asked of the database again. Raises KeyRefusedError once it has ended."""
    key, now = _find(runtime, key_id), runtime.clock()
    if key.state(now) != "active":
        raise KeyRefusedError(REFUSED)
    return _used(runtime, key, now)


def _find(runtime: Runtime, key_id: str) -> AccessKey:
    row = runtime.database.run(lambda conn: _SQL.fetch_one(conn, "find", {"id": key_id}))
    if row is None or row["account_id"] != runtime.account_id:
        raise KeyRefusedError(REFUSED)
    return AccessKey.from_row(row)


def _used(runtime: Runtime, key: AccessKey, now: datetime) -> AccessKey:
    if key.last_used_at is None or key.last_used_at < now - _TOUCH:
        runtime.database.run(
            lambda conn: _SQL.run(conn, "used", {**runtime.account, "id": key.id, "now": now})
        )
    return key


def ensure_key_file(runtime: Runtime, home: Path) -> Path:
    """The file with the owner's key, made with its key when it is missing or its key does not hold any more."""
    path = home / KEY_FILE
    try:
        recognise(runtime, path.read_text("utf-8").strip())
        return path
    except (FileNotFoundError, UnicodeDecodeError, KeyRefusedError):
        pass  # the first start, a revoked key, or a new database under an old home
    living = [k for k in list_keys(runtime) if k.name == OWNER and k.state(runtime.clock()) != "revoked"]
    for key in living:
        revoke_key(runtime, key.id)
    _, made = add_key(runtime, OWNER, preset="person")
    make_home(home)
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(made.text + "\n")
    new.replace(path)
    return path
