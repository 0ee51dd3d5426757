"""A session file as a stream of messages: lines -> records -> the format that claims them -> messages."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from ultron_core.errors import InputError, SessionFileError
from ultron_core.models import LineLedger, Message, Session, SessionInfo
from ultron_core.sessions.formats import FORMATS, Format
from ultron_core.sessions.ledger import LedgerBuilder
from ultron_core.sessions.records import RecordReader
from ultron_core.sessions.source import Source
from ultron_core.sessions.state import Read, State
from ultron_core.sessions.text import TooDeepError
from ultron_core.sessions.tree import Node, Tree
from ultron_core.sessions.turns import Turns, is_empty

__all__ = ["PARSER_VERSION", "SessionReader", "parse_session", "read_session"]

#: raised whenever the same bytes may give other messages
PARSER_VERSION = "1"
#: so many records are looked at to see whether rows name their parents
_PEEK = 400
_BINARY_AFTER = 2000
#: what a format may raise on a row of a shape that nobody foresaw; one row must not cost the file
_FORMAT_FAULTS = (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError)
#: row shapes remembered with the format that took the last one
_MOST_SHAPES = 4096
_TREES = {name: module for name, module in FORMATS.items() if hasattr(module, "node")}


class SessionReader(Iterator[Message]):
    """Iterates over the messages of one session; `ledger` and `info` are complete when it is exhausted."""

    def __init__(self, path_or_bytes: str | Path | bytes, session_format: str = "auto") -> None:
        if session_format != "auto" and session_format not in FORMATS:
            names = ", ".join(["auto", *FORMATS])
            raise InputError(f"session_format {session_format!r} is unknown; use one of {names}.")
        self._source = Source(path_or_bytes)
        self._only = None if session_format == "auto" else session_format
        self._builder = LedgerBuilder()
        self._state = State()
        self._messages = self._run()

    def __next__(self) -> Message:
        return next(self._messages)

    @property
    def ledger(self) -> LineLedger:
        """The fate of the lines read so far."""
        return self._builder.build()

    @property
    def info(self) -> SessionInfo:
        """What the log has said about itself so far."""
        state = self._state
        most = state.formats.most_common(1)
        return SessionInfo(
            format=most[0][0] if most else self._only or "unknown",
            tools=state.tools,
            started_at=state.first_time,
            ended_at=state.last_time,
            encoding=self._source.encoding,
            bytes=self._source.size,
            **state.info,
        )

    def _run(self) -> Iterator[Message]:
        state, ledger, turns = self._state, self._builder, Turns()
        state.threads, quiet = self._threads()
        records = RecordReader(self._lines(), ledger, quiet)
        self._records = records
        route = _Router(self._only)
        for row, start, end in records:
            state.start, state.end, state.merge_key = start, end, ""
            result = route.read(row, state)
            if isinstance(result, str):
                ledger.settle(start, end, "skipped", result)
                continue
            if not result:
                ledger.settle(start, end, "metadata")
                continue
            fates = [turns.add(message, state.merge_key) for message in result if not is_empty(message)]
            if not fates:
                ledger.settle(start, end, "skipped", "empty")
                continue
            ledger.settle(start, end, "part" if all(fates) else "message")
            yield from turns.ready()
        self._refuse_binary()
        yield from turns.ready(all_of_them=True)

    def _lines(self) -> Iterator[bytes]:
        for number, raw in enumerate(self._source.lines()):
            if number == _BINARY_AFTER:
                self._refuse_binary()
            yield raw

    def _refuse_binary(self) -> None:
        if self._source.looks_binary and not self._records.values:
            raise SessionFileError(f"{self._source.name} is a binary file without any JSON; no session log.")

    def _threads(self) -> tuple[dict[str, str], Container[int]]:
        """Threads by row id, and lines that need no second look.

        The first of two passes, only for logs whose rows name their parents.
        """
        trees = {k: v for k, v in _TREES.items() if self._only in (None, k)}
        if not trees:
            return {}, ()
        records = RecordReader(self._source.lines(), LedgerBuilder())
        tree, found, quiet = Tree(), False, set[int]()
        for position, (row, start, end) in enumerate(records):
            if position == _PEEK and not found:
                return {}, ()
            node = _node(row, trees)
            if node is not None:
                tree.add(node)
                found = True
                if node.quiet and start == end:
                    quiet.add(start)
        return tree.threads(), quiet


def _node(row: dict[str, Any], trees: dict[str, Any]) -> Node | None:
    try:
        module = next((module for module in trees.values() if module.claims(row)), None)
        return module.node(row) if module else None
    except _FORMAT_FAULTS:
        return None  # the second pass counts the row


class _Router:
    """Gives each row to the format that claims it; most rows belong to the format of the row before."""

    def __init__(self, only: str | None) -> None:
        self._formats = {only: FORMATS[only]} if only else dict(FORMATS)
        self._only = only
        self._recent: dict[Any, tuple[str, Format]] = {}

    def read(self, row: dict[str, Any], state: State) -> Read:
        try:
            kind, content = row.get("type"), row.get("content")
            shape = (kind if kind.__class__ is str else None, content.__class__, *row)
            found = self._recent.get(shape)
            # which blocks a list holds tells OpenAI from Anthropic: no two such rows need be alike
            if found is None or content.__class__ is list or not found[1].claims(row):
                found = self._search(row)
                if found is None:
                    return self._nobody(row)
                if len(self._recent) >= _MOST_SHAPES:
                    self._recent.clear()
                self._recent[shape] = found
            name, module = found
            result = module.read(row, state)
            if result.__class__ is list and result:
                state.formats[name] += 1
            return result
        except TooDeepError:
            return "too_deep"
        except _FORMAT_FAULTS:
            return "malformed_row"

    def _search(self, row: dict[str, Any]) -> tuple[str, Format] | None:
        return next((item for item in self._formats.items() if item[1].claims(row)), None)

    def _nobody(self, row: dict[str, Any]) -> str:
        if self._only:
            return "other_format"
        return "unknown_type" if isinstance(row.get("type"), str) else "no_role"


def read_session(path_or_bytes: str | Path | bytes, session_format: str = "auto") -> SessionReader:
    """Stream the messages of a session file.

    `session_format` is `auto` or a name in FORMATS. Line formats are read with flat memory; see
    docs/formats.md for those that take two passes or are read whole. Raises SessionFileError when the file
    cannot be read at all (missing, no file, binary), InputError for an unknown format; bad lines are
    counted in `.ledger` instead.
    """
    return SessionReader(path_or_bytes, session_format)


def parse_session(path_or_bytes: str | Path | bytes, session_format: str = "auto") -> Session:
    """The whole session at once; arguments and errors as in read_session."""
    reader = SessionReader(path_or_bytes, session_format)
    messages = tuple(reader)
    return Session(messages, reader.ledger, reader.info)
