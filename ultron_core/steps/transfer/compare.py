"""What an exported memory is here: new, known, or a conflict. Asked under the locks, in three queries a chunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ultron_core.steps.runtime import Runtime
from ultron_core.steps.transfer.lines import Line
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries

__all__ = ["Conflict", "compare"]

_SQL = NamedQueries("memories/transfer")
#: what the store notes of its own work on a memory
_NOTES = frozenset({"updated_at", "needs_model", "model_tried", "vector_refused", "vector_refusals"})


@dataclass(frozen=True, slots=True)
class Conflict:
    """A memory that was left alone. reason: `differs` (its `fields` are others here), `same_words` or `merged` (`other`
    has its words, or what was contributed to it), `another_account` (which has this id)."""

    id: UUID
    content: str
    reason: str
    other: UUID
    fields: tuple[str, ...] = ()


def compare(
    runtime: Runtime, conn: Connection, lines: Sequence[Line], exported: set[UUID]
) -> tuple[list[Line], list[Line], list[Conflict]]:
    """The new ones, the known ones, and the conflicts; two exported memories of the same words are no conflict."""
    here = {row["id"]: row for row in _SQL.fetch(conn, "present", _ids(runtime, lines))}
    words, parts = _words(runtime, conn, lines, exported), _parts(runtime, conn, lines)
    new, known, conflicts = [], [], []
    for line in lines:
        conflict = _conflict(line, here.get(line.id), words, parts)
        if conflict is not None:
            conflicts.append(conflict)
        elif line.id in here:
            known.append(line)
        else:
            new.append(line)
    return new, known, conflicts


def _conflict(
    line: Line,
    here: Mapping[str, Any] | None,
    words: Mapping[tuple[str, str], UUID],
    parts: Mapping[UUID, UUID],
) -> Conflict | None:
    content = line.memory["content"]
    if here is not None:
        fields = tuple(_other(line.memory, here["memory"])) if here["own"] else ()
        if here["own"] and not fields:
            return None
        return Conflict(line.id, content, "differs" if here["own"] else "another_account", line.id, fields)
    other = words.get((line.memory["memory_type"], line.memory["body_sha256"]))
    if other is not None:
        return Conflict(line.id, content, "same_words", other)
    other = next((parts[part] for part in _contributions(line) if part in parts), None)
    return None if other is None else Conflict(line.id, content, "merged", other)


def _other(told: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    return (name for name in sorted(told.keys() - _NOTES) if told[name] != here[name])


def _ids(runtime: Runtime, lines: Sequence[Line]) -> dict[str, Any]:
    return {**runtime.account, "ids": [line.id for line in lines]}


def _words(
    runtime: Runtime, conn: Connection, lines: Sequence[Line], exported: set[UUID]
) -> dict[tuple[str, str], UUID]:
    asked = {
        "types": sorted({line.memory["memory_type"] for line in lines}),
        "digests": sorted({line.memory["body_sha256"] for line in lines}),
    }
    rows = _SQL.fetch(conn, "same_bodies", {**runtime.account, **asked})
    return {(row["memory_type"], row["body_sha256"]): row["id"] for row in rows if row["id"] not in exported}


def _parts(runtime: Runtime, conn: Connection, lines: Sequence[Line]) -> dict[UUID, UUID]:
    ids = [part for line in lines for part in _contributions(line)]
    rows = _SQL.fetch(conn, "present_parts", {"ids": ids})
    return {row["id"]: row["memory_id"] for row in rows}


def _contributions(line: Line) -> list[UUID]:
    return [UUID(row["id"]) for row in line.parts["memory_contributions"]]
