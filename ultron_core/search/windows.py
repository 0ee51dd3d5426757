"""Messages -> overlapping windows, the documents of `search_sessions`.

A thread is a row of units: a piece of what a human or a model wrote with what was done next, or more of what was
done. A window is four units, the next one begins two units further. Pieces are short because an averaging
embedder says nothing about long text, and because BM25 would drown one line in a long paste.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ultron_core.models import Message
from ultron_core.search.actions import action_lines

__all__ = ["LAYOUT", "Unit", "Window", "make_units", "make_windows", "windows_of"]

#: how windows are cut and what they hold; windows of an older layout are rebuilt
LAYOUT = 3
#: chosen on LoCoMo's development questions (docs/benchmarks.md, search over the log)
UNITS, STRIDE = 4, 2
#: characters of a unit
_PIECE = 1200
#: what one message may fill: of a pasted file of 1 MB the first 38,400 characters are found
_MOST_PIECES = 32
#: place of a line about what was done
_NOT_SAID = -1
#: characters of a name that are shown
_SPEAKER = 80


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of messages `start_seq`..`end_seq`; of a long saying the piece from character `start_char`."""

    start_seq: int
    end_seq: int
    start_char: int
    start_line: int
    end_line: int
    sent_at: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class Window:
    """Units `place` x 2 to `place` x 2 + 3 of a thread; both ends are inclusive."""

    thread: str
    place: int
    units: tuple[Unit, ...]

    @property
    def text(self) -> str:
        return "\n".join(unit.text for unit in self.units)

    @property
    def sent_at(self) -> datetime | None:
        return next((unit.sent_at for unit in self.units if unit.sent_at), None)

    @property
    def digest(self) -> str:
        """Equal for equal words at equal places of the log."""
        first, last = self.units[0], self.units[-1]
        where = f"{first.start_seq}:{first.start_char}:{last.end_seq}:{last.start_char}:{first.start_line}"
        return hashlib.sha256(f"{LAYOUT}:{where}:{self.sent_at}:{self.text}".encode()).hexdigest()[:32]


def make_windows(messages: Sequence[Message]) -> list[Window]:
    """All windows of a session, thread by thread; a thread's rest makes a shorter last one.

    The position of a message in `messages` is its `seq`.
    """
    threads: dict[str, list[tuple[int, Message]]] = {}
    for seq, message in enumerate(messages):
        threads.setdefault(message.thread, []).append((seq, message))
    return [window for thread, own in threads.items() for window in windows_of(thread, own)]


def windows_of(thread: str, numbered: Iterable[tuple[int, Message]]) -> Iterator[Window]:
    """The windows of one thread in order, of messages that may come in a stream, each with its seq."""
    place = 0
    held: list[Unit] = []
    for unit in _units(numbered):
        held.append(unit)
        if len(held) == UNITS:
            yield Window(thread, place, tuple(held))
            place, held = place + 1, held[STRIDE:]
    if len(held) > (UNITS - STRIDE if place else 0):
        yield Window(thread, place, tuple(held))


def make_units(numbered: Sequence[tuple[int, Message]]) -> list[Unit]:
    """The units of messages of one thread, each given with its seq.

    Starting again at the first message of a unit gives that unit and all that follow.
    """
    return list(_units(numbered))


def _units(numbered: Iterable[tuple[int, Message]]) -> Iterator[Unit]:
    held: list[_Line] = []
    for seq, message in numbered:
        said = message.origin in {"human", "model"} and bool(message.content.strip())
        lines = [*(_said(seq, message) if said else ()), *_done(seq, message)]
        for line in lines:
            if held and (line.start_char >= 0 or _full(held, line)):
                yield _unit(held)
                held = []
            held.append(line)
    if held:
        yield _unit(held)


@dataclass(frozen=True, slots=True)
class _Line:
    seq: int
    message: Message
    start_char: int
    text: str


def _said(seq: int, message: Message) -> Iterator[_Line]:
    speaker = (message.name or message.role)[:_SPEAKER]
    begin = 0
    for _ in range(_MOST_PIECES):
        end = _cut(message.content, begin)
        yield _Line(seq, message, begin, f"{speaker}: {message.content[begin:end].strip()}")
        begin = end
        if not message.content[begin:].strip():
            return


def _done(seq: int, message: Message) -> Iterator[_Line]:
    for text in action_lines(message):
        yield _Line(seq, message, _NOT_SAID, text)


def _cut(text: str, begin: int) -> int:
    """Where the piece from `begin` ends: after the last line or word that fits."""
    end = begin + _PIECE
    if end >= len(text):
        return len(text)
    for mark in ("\n", " "):
        at = text.rfind(mark, begin + _PIECE // 2, end)
        if at > 0:
            return at + 1
    return end


def _full(held: Sequence[_Line], line: _Line) -> bool:
    """All tool lines of a message stay in one unit, so that a unit begins with a message or a piece."""
    size = sum(len(other.text) for other in held)
    return size + len(line.text) > _PIECE and line.seq != held[-1].seq


def _unit(held: Sequence[_Line]) -> Unit:
    messages = [line.message for line in held]
    return Unit(
        start_seq=held[0].seq,
        end_seq=held[-1].seq,
        start_char=held[0].start_char,
        start_line=min(m.start_line for m in messages),
        end_line=max(m.end_line for m in messages),
        sent_at=next((m.timestamp for m in messages if m.timestamp), None),
        text="\n".join(line.text for line in held),
    )
