"""What a person calls things by, looked up: ids by their first characters, agents, sessions by file or key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from ultron_core.errors import AmbiguousNameError, InputError, NotFoundError, UnknownNameError
from ultron_core.steps import given
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["agent_named", "cluster_named", "find_memories", "find_memory", "sessions_named"]

_SQL = NamedQueries("access/names")
_HEX = set("0123456789abcdef")
#: digits of an id
_DIGITS = 32
#: of an id that is not there, those that begin with so many of its digits are near
_NEAR_DIGITS = 4
#: characters of a file name that may be the beginning of an id
_SESSION_DIGITS = 8


def find_memory(runtime: Runtime, prefix: str) -> UUID:
    """The one memory whose id begins with `prefix`. Raises InputError for what is no id, NotFoundError with those that
    begin alike, and AmbiguousNameError with those that it fits."""
    return find_memories(runtime, [prefix])[0]


def find_memories(runtime: Runtime, prefixes: Sequence[str]) -> list[UUID]:
    """The memories that these beginnings of ids stand for, each once, in the order given. Raises like `find_memory`
    before anything is done with the others."""
    with runtime.database.transaction() as conn:
        found = [_memory(runtime, conn, prefix) for prefix in prefixes]
    return list(dict.fromkeys(found))


def cluster_named(runtime: Runtime, conn: Connection, prefix: str | UUID) -> UUID:
    """The cluster whose id begins so. Raises like `find_memory`."""
    digits = _digits("cluster", str(prefix))
    rows = _SQL.fetch(conn, "clusters", {**runtime.account, **_range(digits)})
    return _only("cluster", str(prefix), rows, "`ultron clusters` lists them.")


def agent_named(runtime: Runtime, conn: Connection, name: str) -> str:
    """An agent that has logs here, or gave a memory. Raises UnknownNameError with the nearest names."""
    given.check_agent("agent_id", name)
    if not _SQL.fetch(conn, "agent", {**runtime.account, "agent_id": name}):
        known = _SQL.fetch(conn, "agents", runtime.account)
        raise UnknownNameError("agent", name, [row["agent_id"] for row in known])
    return name


def sessions_named(runtime: Runtime, conn: Connection, named: str) -> list[UUID]:
    """All generations of the session that a key, an id or its first eight characters, `<agent>/<file>`, or a file name
    stands for. Raises UnknownNameError with the nearest names, and AmbiguousNameError with those that it fits."""
    given.check_text("session", named, most=2 * given.MOST_NAME + 1)
    digits = named.strip().lower().replace("-", "")
    is_id = _SESSION_DIGITS <= len(digits) <= _DIGITS and not set(digits) - _HEX
    asked = {**runtime.account, "named": named, **_range(digits if is_id else None)}
    rows = _SQL.fetch(conn, "sessions", asked)
    if not rows:
        known = _SQL.fetch(conn, "session_names", runtime.account)
        raise UnknownNameError("session", named, [row["name"] for row in known])
    if len(names := {row["name"] for row in rows}) > 1:
        raise AmbiguousNameError("session", named, sorted(names))
    return [row["id"] for row in rows]


def _memory(runtime: Runtime, conn: Connection, prefix: str) -> UUID:
    digits = _digits("memory", prefix)
    rows = _SQL.fetch(conn, "memories", {**runtime.account, **_range(digits)})
    near = [] if rows else _SQL.fetch(conn, "memories", {**runtime.account, **_range(digits[:_NEAR_DIGITS])})
    alike = (
        ", ".join(str(row["id"])[:_SESSION_DIGITS] for row in near[:3]) if len(digits) > _NEAR_DIGITS else ""
    )
    return _only("memory", prefix, rows, f"Near: {alike}." if alike else "`ultron memories` lists them.")


def _only(kind: str, prefix: str, rows: Sequence[Mapping[str, Any]], otherwise: str) -> UUID:
    if not rows:
        raise NotFoundError(f"No {kind} whose id begins with {prefix}. {otherwise}")
    if len(rows) > 1:
        raise AmbiguousNameError(kind, prefix, [f"{row['id']}  {row['told']}" for row in rows])
    found: UUID = rows[0]["id"]
    return found


def _digits(kind: str, prefix: str) -> str:
    digits = prefix.strip().lower().replace("-", "")
    if not digits or set(digits) - _HEX or len(digits) > _DIGITS:
        raise InputError(
            f"{prefix!r} is not the id of a {kind}: give the first characters of one, as lists print it."
        )
    return digits


def _range(digits: str | None) -> dict[str, UUID | None]:
    """The first and the last id that begin with these digits."""
    if digits is None:
        return {"low": None, "high": None}
    return {"low": UUID(digits.ljust(_DIGITS, "0")), "high": UUID(digits.ljust(_DIGITS, "f"))}
