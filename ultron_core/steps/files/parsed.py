"""A log as its messages: held where it is small, read again each time they are asked for where it is long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from ultron_core.models import LineLedger, Message, SessionInfo
from ultron_core.segments import fingerprint_messages
from ultron_core.sessions import SessionReader
from ultron_core.steps.files.identity import storable
from ultron_core.steps.files.snapshot import Snapshot
from ultron_core.store.tables.packed import Digests

__all__ = ["Messages", "Parsed", "parse_snapshot"]

#: between two signs of progress
_MESSAGES = 5_000


class Messages(Iterable[Message]):
    """So many messages, in order, as often as they are asked for."""

    def __init__(self, read: Callable[[], Iterator[Message]], count: int) -> None:
        self._read, self._count = read, count

    def __iter__(self) -> Iterator[Message]:
        return self._read()

    def __len__(self) -> int:
        return self._count


@dataclass(frozen=True, slots=True)
class Parsed:
    """The messages of a log with the fingerprint of each, the fate of its lines, and what it says about itself."""

    messages: Messages | tuple[Message, ...]
    digests: Digests
    ledger: LineLedger
    info: SessionInfo
    #: words of messages that were erased are in the file, and not here
    hides: bool = False


def parse_snapshot(snapshot: Snapshot, max_bytes: int, tell: Callable[[int], None]) -> Parsed:
    """Read a log once; `tell` hears now and then how many messages there were. Raises SessionFileError."""
    reader = SessionReader(snapshot.content, max_bytes=max_bytes)
    held: list[Message] | None = [] if isinstance(snapshot.content, bytes) else None
    digests = Digests()
    for message in _with_plain_threads(reader):
        digests.append(fingerprint_messages([message]))
        if held is not None:
            held.append(message)
        if not len(digests) % _MESSAGES:
            tell(len(digests))

    def again() -> Iterator[Message]:
        # closed also by who stops half-way: what two readers know of a long log does not fit
        with closing(SessionReader(snapshot.content, max_bytes=max_bytes)) as reader:
            yield from _with_plain_threads(reader)

    messages = Messages(again, len(digests)) if held is None else tuple(held)
    return Parsed(messages, digests, reader.ledger, reader.info)


def _with_plain_threads(messages: Iterable[Message]) -> Iterator[Message]:
    """Threads are named by ids of the log (`agent:<id>`), and stored with tasks, outside the private log."""
    for message in messages:
        name = storable(message.thread)
        yield message if name == message.thread else replace(message, thread=name)
