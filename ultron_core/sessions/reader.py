"""A session file as a stream of messages: lines -> records -> the format that claims them -> messages."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path

from ultron_core.errors import InputError, SessionFileError
from ultron_core.models import LineLedger, Message, Session, SessionInfo
from ultron_core.sessions.formats import FORMATS, ORIGINS
from ultron_core.sessions.lines.clip import clipped_lines
from ultron_core.sessions.lines.ledger import LedgerBuilder
from ultron_core.sessions.lines.records import RecordReader
from ultron_core.sessions.lines.source import Content, Source
from ultron_core.sessions.router import Router
from ultron_core.sessions.state import State
from ultron_core.sessions.threads import find_threads
from ultron_core.sessions.turns import Turns, tidied

__all__ = ["PARSER_VERSION", "SessionReader", "parse_session", "read_session"]

#: raised whenever the same bytes may give different messages
PARSER_VERSION = "8"
#: lines after which a file without any JSON is checked for being no text
_BINARY_AFTER = 2000


class SessionReader(Iterator[Message]):
    """Iterates over the messages of one session; `ledger` and `info` are complete when it is exhausted.

    A gz file may unpack to `max_bytes` (0: no limit) and to 200 times its size.
    """

    def __init__(self, path_or_bytes: Content, session_format: str = "auto", *, max_bytes: int = 0) -> None:
        if session_format != "auto" and session_format not in FORMATS:
            names = ", ".join(["auto", *FORMATS])
            raise InputError(f"session_format {session_format!r} is unknown; use one of {names}.")
        self._source = Source(path_or_bytes, max_bytes)
        self._only = None if session_format == "auto" else session_format
        self._builder = LedgerBuilder()
        #: lines that the pass for threads found to carry no message
        self._quiet: set[int] = set()
        # not a method of this reader: who has read a long log lets go of what it knew at once
        find = partial(_threads, self._source, self._only, self._quiet)
        self._state = State(find, ORIGINS)
        self._router = Router(self._only)
        self._records = RecordReader(self._lines(), self._builder, self._quiet)
        self._messages = self._run()

    def __iter__(self) -> Iterator[Message]:
        return self._messages

    def __next__(self) -> Message:
        return next(self._messages)

    def whole(self) -> Session:
        """The rest of the session at once."""
        messages = tuple(self._messages)
        return Session(messages, self.ledger, self.info)

    def close(self) -> None:
        """Read no further, and let go of what was known of the rows so far."""
        self._messages.close()

    @property
    def ledger(self) -> LineLedger:
        """The fate of the lines read so far."""
        return self._builder.build()

    @property
    def info(self) -> SessionInfo:
        """What the log has said about itself so far."""
        state = self._state
        return SessionInfo(
            format=self._router.format(state) or self._only or "unknown",
            tools=state.tools,
            started_at=state.first_time,
            ended_at=state.last_time,
            encoding=self._records.encoding or self._source.encoding,
            bytes=self._source.size,
            **state.info,
        )

    def _run(self) -> Generator[Message]:
        state, settle, turns, read = self._state, self._builder.settle, Turns(), self._router.read
        for row, start, end in self._records:
            state.start, state.end, state.merge_key = start, end, ""
            result = read(row, state)
            if isinstance(result, str):
                settle(start, end, "skipped", result)
            elif not result:
                settle(start, end, "metadata")
                if state.late_usage:
                    turns.note_usage("main", state.late_usage)
                    state.late_usage = None
            elif not (messages := tidied(result)):
                settle(start, end, "skipped", "empty")
            elif state.merge_key or turns.waiting:
                fates = [turns.add(message, state.merge_key) for message in messages]
                settle(start, end, "part" if all(fates) else "message")
                yield from turns.ready()
            else:
                settle(start, end, "message")
                yield from messages
        self._refuse_binary()
        yield from turns.ready(all_of_them=True)

    def _lines(self) -> Iterator[bytes]:
        lines = clipped_lines(self._source.lines(), self._builder.note_clip)
        return chain(islice(lines, _BINARY_AFTER), self._check_kind(), lines)

    def _check_kind(self) -> Iterator[bytes]:
        self._refuse_binary()
        yield from ()

    def _refuse_binary(self) -> None:
        if not self._records.saw_json and self._source.looks_binary:
            raise SessionFileError(
                f"{self._source.name} is a binary file without any JSON, not a session log."
            )


def _threads(source: Source, only: str | None, quiet: set[int]) -> Mapping[str, str]:
    """Threads by row id, from a separate pass over the whole file."""
    return find_threads(clipped_lines(source.lines(), lambda _: None), only, quiet)


def read_session(path_or_bytes: str | Path | bytes, session_format: str = "auto") -> SessionReader:
    """Stream the messages of a session file.

    `session_format` is `auto` or a name in FORMATS. Line formats are read with flat memory; see
    docs/formats.md for those that take two passes or are read whole. Raises SessionFileError when the file
    cannot be read at all (missing, not a regular file, binary, a damaged gz or one of over 200 times its size),
    InputError for an unknown format; bad lines are counted in `.ledger` instead.
    """
    return SessionReader(path_or_bytes, session_format)


def parse_session(path_or_bytes: str | Path | bytes, session_format: str = "auto") -> Session:
    """The whole session at once; arguments and errors as in read_session."""
    return SessionReader(path_or_bytes, session_format).whole()
