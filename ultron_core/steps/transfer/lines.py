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
from typing import Any, TypeAlias
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

__all__ = ["Columns", "Line", "Shape", "line_of", "read_shape", "vector_of"]

_SQL = NamedQueries("memories/transfer")
MEMORIES = "memories"
_WORDS = ("content", "context", "resolution", "tags")
#: columns that stand for the account, the memory itself, and a log of this store
_IMPLIED = frozenset({"account_id", "memory_id", "from_id", "session_id", "segment_id", "cited"})
#: what is read out of a log by people, in the place of its row
_LOG = "log"
#: ids of rows that are not part of an export
_FOREIGN = frozenset({"raw_upload_id", "session_id", "segment_id"})
_VECTOR = "vector"
Columns: TypeAlias = Mapping[str, Mapping[str, bool]]


@dataclass(frozen=True, slots=True)
class Line:
    """One memory as it was exported; `parts` are its rows of other tables by table."""

    id: UUID
    memory: Mapping[str, Any]
    parts: Mapping[str, Sequence[dict[str, Any]]]
    vector: Mapping[str, Any] | None

    @property
    def body(self) -> Body:
        return Body(self.memory["content"], self.memory["context"], self.memory["resolution"])


@dataclass(frozen=True, slots=True)
class Shape:
    """What lines of this version may hold, by table: columns with whether each has to be given; and which are ids.
    `space` is the account when the ids of another account's memories have to be others here."""

    required: Columns
    ids: Mapping[str, frozenset[str]]
    space: str | None

    def read(self, text: bytes) -> Line:
        """A line, its ids as they are here. Raises InputError without a place for what is no memory."""
        try:
            told = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise InputError("is not JSON") from error
        if not isinstance(told, dict):
            raise InputError("is not a memory")
        vector = told.pop(_VECTOR, None)
        if not isinstance(vector, dict | None):
            raise InputError("has a vector that cannot be read")
        parts = {table: self._rows(table, told.pop(name, None)) for table, name in CARRIED.items()}
        memory = self._row(MEMORIES, told)
        _check_words(memory)
        return Line(UUID(memory["id"]), memory, parts, vector)

    def _rows(self, table: str, given: Any) -> list[dict[str, Any]]:
        rows = [given] if isinstance(given, dict) else given or []
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InputError(f"has {CARRIED[table]} that are no rows")
        return [self._row(table, row) for row in rows]

    def _row(self, table: str, row: dict[str, Any]) -> dict[str, Any]:
        required = self.required[table]
        if unknown := sorted(row.keys() - required.keys() - {_LOG}):
            raise InputError(f"has a field that {table} does not have: {unknown[0]}")
        if missing := sorted(name for name, needed in required.items() if needed and row.get(name) is None):
            raise InputError(f"lacks {missing[0]} of {table}")
        try:
            ids = {name: str(self.here(UUID(row[name]))) for name in self.ids[table] if row.get(name)}
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"has an id in {table} that is none") from error
        if not isinstance(row.get(_LOG), dict | None):
            raise InputError(f"has a {_LOG} that cannot be read")
        return {**row, **ids}

    def here(self, there: UUID) -> UUID:
        """The id of an exported row in this account."""
        return there if self.space is None else uuid5(there, self.space)


def _check_words(memory: Mapping[str, Any]) -> None:
    tags = memory["tags"]
    texts = [memory.get(name) for name in _WORDS[:3]]
    if not all(isinstance(text, str) for text in texts) or not isinstance(tags, list):
        raise InputError("has words that are no text")
    body = Body(*(str(text) for text in texts))
    if body_digest(str(memory["memory_type"]), body) != memory["body_sha256"]:
        raise InputError("has words that are not those of its body_sha256")


def read_shape(runtime: Runtime, account: str) -> Shape:
    """What lines of the export of an account may hold, by the tables of this store."""
    tables = {"tables": [MEMORIES, *CARRIED]}
    rows = runtime.database.run(lambda conn: _SQL.fetch(conn, "columns", tables))
    required: dict[str, dict[str, bool]] = {table: {} for table in tables["tables"]}
    ids: dict[str, set[str]] = {table: set() for table in tables["tables"]}
    for row in rows:
        table, name = row["table_name"], row["column_name"]
        if name not in _IMPLIED:
            required[table][name] = row["required"]
            if row["is_id"] and name not in _FOREIGN:
                ids[table].add(name)
    space = None if account == runtime.account_id else runtime.account_id
    return Shape(required, {table: frozenset(names) for table, names in ids.items()}, space)


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
