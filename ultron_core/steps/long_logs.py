"""A session whose messages would fill the memory, read thread by thread and piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from ultron_core.errors import LogChangedError
from ultron_core.models import Message
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import sessions as session_store

__all__ = ["LongLog"]

#: messages that are read at once where they are walked through
_PIECE = 2_000


class LongLog:
    """Where the messages of one session stand, and those that are asked for.

    It is read in several transactions. Whoever writes what came of it looks whether the session is still the same;
    reading raises LogChangedError where that is seen before.
    """

    def __init__(self, runtime: Runtime, session_id: UUID, work: str) -> None:
        """`work` is what progress calls the stage that reads it."""
        self._runtime, self._id, self._work = runtime, session_id, work
        with runtime.database.transaction() as conn:
            places = session_store.places_of(conn, runtime.account_id, session_id)
        #: of each thread, in the order in which they begin
        self.places: Mapping[str, Sequence[int]] = places
        self._total, self._read = sum(map(len, places.values())), 0

    def groups(self, most: int) -> Iterator[list[str]]:
        """The threads in order, as many at once as have `most` messages together; a longer one stands alone."""
        group: list[str] = []
        total = 0
        for thread, places in self.places.items():
            if group and total + len(places) > most:
                yield group
                group, total = [], 0
            group.append(thread)
            total += len(places)
        if group:
            yield group

    def read(self, thread: str, begin: int, end: int) -> list[Message]:
        """The messages of one thread from one position up to another."""
        return [message for _, message in self._numbered(thread, begin, end)]

    def walk(self, thread: str) -> Iterator[tuple[int, Message]]:
        """All messages of one thread, each with its place in the session."""
        for begin in range(0, len(self.places[thread]), _PIECE):
            yield from self._numbered(thread, begin, begin + _PIECE)

    def _numbered(self, thread: str, begin: int, end: int) -> list[tuple[int, Message]]:
        seqs = self.places[thread][begin:end]
        with self._runtime.database.transaction() as conn:
            found = session_store.messages_at(conn, self._runtime.account_id, self._id, seqs)
        if len(found) != len(seqs):
            raise LogChangedError(
                f"Session {self._id} was read again meanwhile: process what waits once more."
            )
        self._read += len(found)
        self._runtime.tell(f"{self._work}, messages of a long log", min(self._read, self._total), self._total)
        return found
