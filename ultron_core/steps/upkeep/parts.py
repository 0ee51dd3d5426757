"""What is left of memories that lose a part, decided on anew: parts that were one only through it come apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from ultron_core.memories import Backing, Body, merge_tags
from ultron_core.steps.rows import memories as memory_rows
from ultron_core.steps.rows.body import MemoryRow, NewMemory, backing_in, embedded_text, offline_summary
from ultron_core.steps.rows.embedded import Embedded
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upload.compare import Near, compare, nearest_first
from ultron_core.steps.upload.judge import Judge
from ultron_core.steps.upload.plan import take_in
from ultron_core.store.database import Connection
from ultron_core.store.tables import erasure
from ultron_core.store.tables import memories as store
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["part_texts", "rebuild"]


@dataclass(slots=True)
class _Group:
    """Parts that are one memory: words, who stands behind them, tags."""

    id: UUID
    memory_type: str
    agent_id: str
    body: Body
    backing: Backing
    tags: tuple[str, ...]
    parts: list[UUID]
    pending: list[UUID] = field(default_factory=list)


def part_texts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What will be embedded at least: each part by itself."""
    return list(dict.fromkeys(embedded_text(row["memory_type"], _body(row)) for row in rows))


def rebuild(
    runtime: Runtime, embedded: Embedded, conn: Connection, rows: Sequence[Mapping[str, Any]]
) -> list[UUID]:
    """Write what these parts make, in the order in which they came: the first of each memory stays in it, and what does
    not fit there makes one of its own. Returns all memories that were written. The caller holds the locks."""
    judge = Judge(runtime)
    judge.may_ask = False
    groups: dict[UUID, list[_Group]] = {
        memory_id: _grouped(runtime, embedded, judge, list(own))
        for memory_id, own in groupby(rows, lambda row: row["memory_id"])
    }
    for record in store.by_ids(conn, runtime.account_id, list(groups)):
        first, *others = groups[record.id]
        memory_rows.reword(runtime, conn, embedded, record, first.body, first.tags, first.backing)
        memory_rows.write(runtime, conn, [_row(runtime, embedded, record, group) for group in others])
    every = [group for own in groups.values() for group in own]
    moved = [(part, group.id) for group in every for part in group.parts]
    place = {"parts": [part for part, _ in moved], "places": [memory for _, memory in moved]}
    firsts = [group.parts[0] for group in every]
    pending = [part for group in every for part in group.pending]
    erasure.run(conn, "move_parts", {**runtime.account, **place, "first": firsts, "pending": pending})
    erasure.run(conn, "take_over", {**runtime.account, "first": firsts})
    return [group.id for group in every]


def _grouped(
    runtime: Runtime, embedded: Embedded, judge: Judge, rows: Sequence[Mapping[str, Any]]
) -> list[_Group]:
    groups: list[_Group] = []
    for row in rows:
        body, backing = _body(row), backing_in(row)
        group = _home_of(runtime, embedded, judge, groups, row, body, backing)
        if group is None:
            new = uuid4() if groups else row["memory_id"]
            made = (row["agent_id"], body, backing, tuple(row["tags"]), [row["id"]])
            groups.append(_Group(new, row["memory_type"], *made))
            continue
        group.body, group.backing, waits = take_in(judge, group.body, group.backing, body, backing)
        group.tags = merge_tags(group.tags, row["tags"])
        group.parts.append(row["id"])
        group.pending += [row["id"]] if waits else []
    return groups


def _home_of(
    runtime: Runtime,
    embedded: Embedded,
    judge: Judge,
    groups: Sequence[_Group],
    row: Mapping[str, Any],
    body: Body,
    backing: Backing,
) -> _Group | None:
    """The group that a part belongs to by the rule of uploads."""
    by_id = {group.id: group for group in groups}
    same = next((group for group in groups if group.body == body), None)
    if same is not None or not groups:
        return same
    own = embedded.vector(embedded_text(row["memory_type"], body))
    near: list[Near] = []
    for group in groups:
        other = embedded.vector(embedded_text(group.memory_type, group.body))
        if own is None or other is None:
            return groups[0]  # nobody can tell: they were one before
        near.append((group.id, float(np.dot(own, other))))
    verdict = compare(
        body.text,
        nearest_first(near),
        lambda group_id: by_id[group_id].body.text,
        lambda group_id: by_id[group_id].backing.takes(backing),
        runtime.thresholds,
        judge,
    )
    return by_id[verdict.other] if verdict.merges and verdict.other is not None else None


def _row(runtime: Runtime, embedded: Embedded, kept: MemoryRecord, group: _Group) -> MemoryRow:
    """A memory of its own."""
    return MemoryRow(
        group.id,
        group.memory_type,
        group.body,
        group.tags,
        offline_summary(runtime, group.body),
        needs_model=runtime.llm is not None,
        backing=group.backing,
        vector=embedded.vector(embedded_text(group.memory_type, group.body)),
        new=NewMemory(group.agent_id, kept.confidence, kept.extractor),
        status=group.backing.shelf,
    )


def _body(row: Mapping[str, Any]) -> Body:
    return Body(row["content"], row["context"], row["resolution"])
