"""A memory as one line of an export, and a line as rows: what the tables hold decides, so a new column goes along.

{"content": ..., "context": ..., "resolution": ..., "tags": [...], "id": ..., ...every column of `memories`,
 "usage": {...}, "sources": [{..., "quote": ..., "log": {"session_file": ..., ...}}], "contributions": [...],
 "decisions": [...], "links": [...], "versions": [...], "verdicts": [...],
 "vector": {"model": ..., "float32": base64, little-endian}}
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

import numpy as np
import orjson

from ultron_core.errors import InputError
from ultron_core.memories import Body
from ultron_core.steps.rows.body import body_digest
from ultron_core.steps.runtime import Runtime
from ultron_core.store.queries import NamedQueries
from ultron_core.store.registry import CARRIED
from ultron_core.store.tables.uploads import Floats

__all__ = ["Line", "Shape", "line_of", "read_shape", "vector_of"]

_SQL = NamedQueries("memories/transfer")
_MEMORIES = "memories"
_WORDS = ("content", "context", "resolution", "tags")
#: columns that stand for the account, the memory itself, and a log of this store
_IMPLIED = frozenset({"account_id", "memory_id", "from_id", "session_id", "segment_id", "cited"})
#: what is read out of a log by people, in the place of its row
_LOG = "log"
#: ids of rows that are not part of an export
_FOREIGN = frozenset({"raw_upload_id"})
_VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Line:
    """One memory as it was exported; `parts` are its rows of other tables, by table."""

    id: UUID
    memory: Mapping[str, Any]
    parts: Mapping[str, Sequence[dict[str, Any]]]
    vector: Mapping[str, Any] | None

    @property
    def body(self) -> Body:
        return Body(self.memory["content"], self.memory["context"], self.memory["resolution"])


@dataclass(frozen=True, slots=True)
class _Columns:
    """What a row of one table may have, must have, and which of it are ids of rows in the export."""

    known: frozenset[str]
    needed: tuple[str, ...]
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """What lines of this version may hold, by table. `space` is the account when the ids of another account's memories
    have to be others here."""

    columns: Mapping[str, _Columns]
    space: str | None

    def read(self, text: bytes, *, check: bool) -> Line:
        """A line, its ids as they are here. With `check`, raises InputError without a place for what is no memory; a
        line that was checked before need not be again."""
        try:
            told = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise InputError("is not JSON") from error
        if not isinstance(told, dict):
            raise InputError("is not a memory")
        vector = told.pop(_VECTOR, None)
        parts = {table: _rows(name, told.pop(name, None)) for table, name in CARRIED.items()}
        if check:
            self._check(told, parts, vector)
        if self.space is not None:
            for table, rows in {_MEMORIES: [told], **parts}.items():
                self._move(table, rows, self.space)
        return Line(UUID(told["id"]), told, parts, vector)

    def _check(self, memory: dict[str, Any], parts: Mapping[str, list[dict[str, Any]]], vector: Any) -> None:
        if not isinstance(vector, dict | None):
            raise InputError("has a vector that cannot be read")
        for table, rows in {_MEMORIES: [memory], **parts}.items():
            for row in rows:
                _check_row(table, self.columns[table], row)
        _check_words(memory)

    def _move(self, table: str, rows: list[dict[str, Any]], space: str) -> None:
        names = self.columns[table].ids
        for row in rows:
            row |= {name: str(uuid5(UUID(row[name]), space)) for name in names if row.get(name)}


def _rows(name: str, given: Any) -> list[dict[str, Any]]:
    rows = [given] if isinstance(given, dict) else given or []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"has {name} that are no rows")
    return rows


def _check_row(table: str, columns: _Columns, row: Mapping[str, Any]) -> None:
    if not row.keys() <= columns.known:
        raise InputError(f"has a field that {table} does not have: {min(row.keys() - columns.known)}")
    for name in columns.needed:
        if row.get(name) is None:
            raise InputError(f"lacks {name} of {table}")
    try:
        for name in columns.ids:
            if row.get(name):
                UUID(row[name])
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"has an id in {table} that is none") from error
    if not isinstance(row.get(_LOG), dict | None):
        raise InputError(f"has a {_LOG} that cannot be read")


def _check_words(memory: Mapping[str, Any]) -> None:
    content, context, resolution, tags = (memory.get(name) for name in _WORDS)
    if not (isinstance(content, str) and isinstance(context, str) and isinstance(resolution, str)):
        raise InputError("has words that are no text")
    if not isinstance(tags, list):
        raise InputError("has tags that are no list")
    body = Body(content, context, resolution)
    if body_digest(str(memory["memory_type"]), body) != memory["body_sha256"]:
        raise InputError("has words that are not those of its body_sha256")


def read_shape(runtime: Runtime, account: str) -> Shape:
    """What lines of the export of an account may hold, by the tables of this store."""
    tables = [_MEMORIES, *CARRIED]
    rows = runtime.database.run(lambda conn: _SQL.fetch(conn, "columns", {"tables": tables}))
    told = [row for row in rows if row["column_name"] not in _IMPLIED]
    columns = {table: _columns([row for row in told if row["table_name"] == table]) for table in tables}
    return Shape(columns, None if account == runtime.account_id else runtime.account_id)


def _columns(rows: Sequence[Mapping[str, Any]]) -> _Columns:
    names = {row["column_name"] for row in rows}
    ids = {row["column_name"] for row in rows if row["is_id"]} - _FOREIGN
    needed = [row["column_name"] for row in rows if row["required"]]
    return _Columns(frozenset(names | {_LOG}), tuple(needed), tuple(sorted(ids)))


def line_of(row: Mapping[str, Any], model: str | None) -> bytes:
    """One exported memory with its end of line: words first, then what it is, then what belongs to it."""
    memory = dict(row["memory"])
    told = {name: memory.pop(name) for name in _WORDS} | memory
    told |= {name: row[name] or [] for name in CARRIED.values()}
    if row[_VECTOR] is not None:
        numbers = row[_VECTOR].to_numpy().astype("<f4").tobytes()
        told[_VECTOR] = {"model": model, "float32": base64.b64encode(numbers).decode("ascii")}
    return orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE)


def vector_of(runtime: Runtime, line: Line) -> Floats | None:
    """The vector of a line, if the embedder in use made it. Raises InputError for one that is none."""
    vector = line.vector
    if vector is None or vector.get("model") != runtime.embedder.model_id:
        return None
    try:
        numbers = np.frombuffer(base64.b64decode(vector["float32"], validate=True), dtype="<f4")
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise InputError("has a vector that cannot be read") from error
    if len(numbers) != runtime.embedder.dimension or not np.isfinite(numbers).all():
        raise InputError("has a vector that is none of its model")
    return numbers.astype(np.float32)
