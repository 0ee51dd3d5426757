"""What was erased is not read again: keyed hashes of files, contents, messages and memories, and nothing else."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection, Iterable, Sequence

from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import erasure

__all__ = ["Marks", "Name", "find_marks", "log_names", "make_marks"]

#: what is hashed: its kind first
Name = tuple[str, ...]


def log_names(agent_id: str, session_file: str, log_id: str | None, sha256: str) -> list[Name]:
    """What a log is known by: its agent and file, the id that it gives itself, its bytes."""
    own: list[Name] = [("file", agent_id, session_file), ("content", sha256)]
    return [*own, ("log", agent_id, log_id)] if log_id else own


class Marks:
    """The hashes of one account, in the caller's transaction."""

    def __init__(self, runtime: Runtime, conn: Connection, key: bytes) -> None:
        self._account, self._conn, self._key = runtime.account, conn, key

    def of(self, name: Name) -> bytes:
        """The hash of a name."""
        return hmac.digest(self._key, "\0".join(name).encode("utf-8", "surrogateescape"), "sha256")

    def known(self, names: Collection[Name]) -> set[Name]:
        """Those of the names that were erased."""
        by_digest = {self.of(name): name for name in names}
        found = erasure.fetch(self._conn, "erased", {**self._account, "digests": list(by_digest)})
        return {by_digest[bytes(row["digest"])] for row in found}

    def remember(self, names: Iterable[Name]) -> None:
        """These are erased from now on."""
        self._write("remember", names)

    def lift(self, names: Iterable[Name]) -> None:
        """These may be read again."""
        self._write("lift", names)

    def _write(self, query: str, names: Iterable[Name]) -> None:
        digests = sorted({self.of(name) for name in names})
        if digests:
            erasure.run(self._conn, query, {**self._account, "digests": digests})

    def messages(self, logs: Sequence[Name], digests: Iterable[str]) -> set[int]:
        """Places of the messages of a log that were erased; `logs` is what it is known by."""
        own = [name[1:] for name in self.known([("messages", *log) for log in logs])]
        if not own:
            return set()
        digests = list(digests)
        asked = {digest: [("message", digest, *log) for log in own] for digest in set(digests)}
        known = self.known([name for names in asked.values() for name in names])
        return {at for at, digest in enumerate(digests) if known.intersection(asked[digest])}


def find_marks(runtime: Runtime, conn: Connection) -> Marks | None:
    """None where nothing was ever erased."""
    row = erasure.fetch_one(conn, "key", runtime.account)
    return Marks(runtime, conn, bytes(row["key"])) if row else None


def make_marks(runtime: Runtime, conn: Connection) -> Marks:
    """With a key that is made the first time."""
    erasure.run(conn, "make_key", {**runtime.account, "key": secrets.token_bytes(32)})
    found = find_marks(runtime, conn)
    assert found is not None
    return found
