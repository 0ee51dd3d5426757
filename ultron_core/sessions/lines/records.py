"""Physical lines to JSON objects, each with its lines; unreadable lines are settled in the ledger.

The fast path is one `orjson.loads` a line. Only a line that fails is looked at closely: padding, bad bytes,
lone surrogates, several objects on one line, an object over several lines, a JSON array.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import orjson

from ultron_core.sessions.lines.clip import clip
from ultron_core.sessions.lines.encoding import LineDecoder
from ultron_core.sessions.lines.ledger import LedgerBuilder
from ultron_core.sessions.lines.scan import element_lines, scan
from ultron_core.sessions.lines.source import MAX_LINE_BYTES
from ultron_core.sessions.text import TooDeepError, clean_value

__all__ = ["ERASED_LINE", "Record", "RecordReader"]

#: (object, first line, last line)
Record = tuple[dict[str, Any], int, int]
#: one object over more bytes than this is given up as `too_long`
MAX_OBJECT_BYTES = 256 * 2**20
_LISTS = ("history", "messages", "conversation", "conversations")
#: stands where a line was erased
ERASED_LINE = b'{"erased":true}'
_PADDING = b" \t\r\n\x00\xef\xbb\xbf"


class RecordReader:
    """Iterates over records; `ledger` has the fate of every line without a record. The caller settles the rest.

    Lines in `quiet` are known to be metadata and are not decoded.
    """

    def __init__(self, lines: Iterable[bytes], ledger: LedgerBuilder, quiet: Collection[int] = ()) -> None:
        self._lines = lines
        self._quiet = quiet
        self._ledger = ledger
        self._open: list[bytes] = []
        self._open_line = self._open_bytes = self._depth = 0
        self._decoder = LineDecoder()
        #: the last line that was one clean record and nothing more
        self.clean_line = 0
        #: another JSON value was seen
        self._value = False

    @property
    def encoding(self) -> str | None:
        """The encoding of lines that were not UTF-8, if any were read."""
        return self._decoder.encoding

    @property
    def saw_json(self) -> bool:
        """Whether any line so far held a JSON value."""
        return self._value or self.clean_line > 0

    def __iter__(self) -> Iterator[Record]:
        loads, quiet, number = orjson.loads, self._quiet, 0
        for number, raw in enumerate(self._lines, 1):
            if self._open:
                yield from self._continue(self._in_utf8(raw, number), number)
                continue
            if quiet and number in quiet:
                self._ledger.settle(number, number, "metadata")
                continue
            try:
                value = loads(raw)
            except orjson.JSONDecodeError:
                yield from self._look(raw, number)
                continue
            if value.__class__ is dict and ("type" in value or "role" in value):
                self.clean_line = number
                yield value, number, number
            else:
                self._value = True
                yield from self._plain(value, raw, number)
        yield from self._give_up(self._open_line + len(self._open))

    def _plain(self, value: Any, raw: bytes, number: int) -> Iterator[Record]:
        if value == {"erased": True}:
            self._ledger.settle(number, number, "skipped", "erased")
        elif isinstance(value, dict):
            yield from self._unwrap(value, raw, number, number)
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            for item in value:
                if isinstance(item, dict):
                    yield item, number, number
        else:
            self._ledger.settle(number, number, "skipped", "not_an_object")
        return None

    def _look(self, given: bytes, number: int) -> Iterator[Record]:
        """A line that is not JSON by itself."""
        if len(given) > MAX_LINE_BYTES:
            return self._ledger.settle(number, number, "skipped", "too_long")
        read = self._decoder.read(given)
        if read is None:
            return self._ledger.settle(number, number, "skipped", "undecodable")
        if read.damaged:
            self._ledger.note_damage(number)
        raw = read.text
        line = raw.strip(_PADDING)
        if not line:
            return self._ledger.settle(number, number, "skipped", "nul_padding" if b"\0" in raw else "blank")
        if not line.strip(b"[], \t"):
            return self._ledger.settle(number, number, "metadata")
        # one element of an array that has a line for each
        value, problem = _loads(line.strip(b"[], \t") if line.startswith((b"{", b"[{")) else line)
        if not problem:
            self._value = True
            yield from self._plain(value, b"", number)
            return None
        found = scan(line)
        for start, end in found.spans:
            value, problem = _loads(line[start:end])
            if problem:
                self._ledger.settle(number, number, "skipped", problem)
                continue
            self._value = True
            yield from self._unwrap(value, line[start:end], number, number)
        if found.open_at >= 0 and not found.cut:
            self._open, self._open_line = [line[found.open_at :] + b"\n"], number
            self._open_bytes, self._depth = len(line), found.depth
        elif not found.spans or found.open_at >= 0:
            self._ledger.settle(number, number, "skipped", problem or "bad_json")
        return None

    def _in_utf8(self, raw: bytes, number: int) -> bytes:
        """A line of an open object; what no encoding makes sense of is shown as U+FFFD, and counted."""
        read = self._decoder.read(raw)
        if read is None or read.damaged:
            self._ledger.note_damage(number)
        return raw if read is None else read.text

    def _continue(self, raw: bytes, number: int) -> Iterator[Record]:
        """The next line of an object that is still open."""
        if self._starts_anew(raw) or self._open_bytes + len(raw) > MAX_OBJECT_BYTES:
            yield from self._give_up(number)
            yield from self._look(raw, number)
            return
        found = scan(raw, self._depth)
        if not found.spans:
            self._open.append(raw)
            self._open_bytes += len(raw)
            self._depth = found.depth
            if found.cut:
                yield from self._give_up(number + 1)
            return
        end = found.spans[0][1]
        text, first = clip(b"".join([*self._open, raw[:end]])), self._open_line
        value, problem = _loads(text)
        if problem:
            self._open.append(raw)
            yield from self._give_up(number + 1)
            return
        self._open = []
        self._value = True
        yield from self._unwrap(value, text, first, number)
        if raw[end:].strip(b"], \t\r\n\x00"):
            yield from self._look(raw[end:], number)

    def _starts_anew(self, raw: bytes) -> bool:
        """A line that begins a new object although one is open: the open one was cut off."""
        if not raw.startswith(b"{"):
            return False
        if raw.rstrip() == b"{":
            return len(self._open) > 1 and self._open[1][:1].isspace()
        tail = self._open[-1].rstrip()
        if tail.endswith(b"[") or (self._depth > 1 and tail.endswith((b"},", b"],"))):
            return False
        value, problem = _loads(raw)
        return not problem and bool(value)

    def _give_up(self, until: int) -> Iterator[Record]:
        """The open object never closes: each of its lines is taken alone."""
        lines, first = self._open, self._open_line
        self._open = []
        for number, raw in zip(range(first, until), lines, strict=False):
            value, problem = _loads(raw)
            if not problem and isinstance(value, dict) and value:
                self._value = True
                yield value, number, number
            else:
                self._ledger.settle(number, number, "skipped", "bad_json")

    def _unwrap(self, value: dict[str, Any], text: bytes, first: int, last: int) -> Iterator[Record]:
        """A record, or the records of the message list that it wraps, each with its own lines."""
        key = next((k for k in _LISTS if k in value), None)
        if key is None or "role" in value or not _objects(value[key]):
            yield value, first, last
            return
        rows = value[key]
        yield from ((head, first, first) for head in _heads(value))
        places = element_lines(text, key) if last > first else []
        if len(places) != len(rows):
            places = [(0, last - first)] * len(rows)
        for row, (start, end) in zip(rows, places, strict=True):
            if first + start > self._ledger.line + 1:
                self._ledger.settle(self._ledger.line + 1, first + start - 1, "metadata")
            yield row, first + start, first + end
        if self._ledger.line < last:
            self._ledger.settle(self._ledger.line + 1, last, "metadata")


def _heads(value: dict[str, Any]) -> list[dict[str, Any]]:
    """What the object around a list of messages says about them: its model and tools, Anthropic's system prompt."""
    about = {key: value[key] for key in ("model", "tools", "session_id", "cwd", "harness") if value.get(key)}
    heads: list[dict[str, Any]] = [{"_type": "metadata", **about}] if about else []
    if isinstance(value.get("system"), (str, list)):
        heads.append({"role": "system", "content": value["system"]})
    return heads


def _objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _loads(text: bytes) -> tuple[Any, str]:
    """The value, or the reason why there is none; tolerant of bad bytes, surrogates and control characters."""
    try:
        value = orjson.loads(text)
        return (clean_value(value) if b"\\u0000" in text else value), ""
    except orjson.JSONDecodeError:
        pass
    except TooDeepError:
        return None, "too_deep"
    try:
        decoded = text.decode("utf-8", "replace").replace("\x00", "")
        value = json.loads(decoded, strict=False, parse_constant=lambda _: None)
        return clean_value(value), ""
    except (RecursionError, TooDeepError):
        return None, "too_deep"
    except ValueError:
        return None, "bad_json"
