"""Decide for a batch, in order, what each upload becomes: known, part of an existing memory, or a new memory.

Nothing is read or written here. A batch gives what one upload after another would, but for one thing: a body
that changes in the batch is embedded once, at its end, so later uploads of the same batch meet its old vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID, uuid4

from ultron_core.embeddings.protocol import Thresholds
from ultron_core.errors import ConflictError
from ultron_core.memories import Backing, Body, cure_of_merge, merge_tags
from ultron_core.steps.rows.body import backing_of, body_of
from ultron_core.steps.rows.origins import LinkRow
from ultron_core.steps.upload.among import Among
from ultron_core.steps.upload.compare import MOST_COMPARED, Near, Verdict, compare, link, nearest_first
from ultron_core.steps.upload.judge import Judge
from ultron_core.steps.upload.records import Prepared
from ultron_core.steps.upload.snapshot import Snapshot
from ultron_core.store.tables.memories import MemoryRecord
from ultron_core.store.tables.uploads import Floats, Neighbours
from ultron_core.store.tables.verdicts import JUNK

__all__ = ["Decision", "Plan", "Row", "make_plan", "take_in"]


@dataclass(slots=True)
class Row:
    """A memory as the batch leaves it: stored before (`record`) or new (`made_by`)."""

    id: UUID
    memory_type: str
    body: Body
    tags: tuple[str, ...]
    backing: Backing
    record: MemoryRecord | None = None
    made_by: Prepared | None = None
    hits: int = 0
    reactivate: bool = False
    #: of the body as it is at the end; None when the embedder failed or, for a stored body, when unchanged
    vector: Floats | None = None
    #: the nearest memories of any type, where they were looked for
    around: tuple[UUID, ...] | None = None

    @property
    def first_body(self) -> Body:
        """What it was before later uploads of the batch were merged into it."""
        if self.made_by is not None:
            return self.made_by.body
        assert self.record is not None
        return body_of(self.record)

    @property
    def changed(self) -> bool:
        return self.body != self.first_body

    def takes(self, item: Prepared) -> bool:
        """Whether an upload may become part of it: the same words, or such as the same people stand behind."""
        return self.body == item.body or self.backing.takes(item.upload.backing)


@dataclass(frozen=True, slots=True)
class Decision:
    """One upload: `action` insert, merge or known. `other` is the memory that decided it, with its cosine."""

    item: Prepared
    memory_id: UUID
    action: str
    reason: str
    other: UUID | None = None
    score: float | None = None
    body_before: Body | None = None
    pending: bool = False
    link: LinkRow | None = None
    decided_by: str = "rules"


@dataclass(slots=True)
class Plan:
    """Decisions in the order of the uploads, and every memory they touch."""

    decisions: list[Decision] = field(default_factory=list)
    rows: dict[UUID, Row] = field(default_factory=dict)

    @property
    def new(self) -> list[Row]:
        return [row for row in self.rows.values() if row.made_by is not None]

    @property
    def stored(self) -> list[Row]:
        return [row for row in self.rows.values() if row.record is not None]

    @property
    def looked_at(self) -> set[UUID]:
        """Memories whose present state the plan rests on."""
        return self.rows.keys() | {d.other for d in self.decisions if d.other is not None}


def make_plan(
    prepared: Sequence[Prepared],
    snapshot: Snapshot,
    limits: Thresholds,
    judge: Judge,
    *,
    compare: bool = True,
) -> Plan:
    """Raises ConflictError when an idempotency key was used for another memory. With `compare` False only equal
    words make two uploads one: near ones become separate memories."""
    return _Planner(prepared, snapshot, limits, judge, compare).plan()


def take_in(
    judge: Judge, body: Body, backing: Backing, added: Body, given: Backing
) -> tuple[Body, Backing, bool]:
    """A memory's words and who stands behind them once other words became a part of it, and whether a model has yet to
    word that."""
    if added == body:
        return body, backing.better(given), False
    if given.rank < backing.rank:
        return added, given, False
    if given.rank > backing.rank:
        # words that are proven less would hide behind those that stand
        return body, backing, False
    merged, pending = judge.merged(body, added)
    cure = cure_of_merge(merged, ((body, backing.cure), (added, given.cure)))
    return merged, replace(backing, cure=cure), pending


class _Planner:
    def __init__(
        self,
        prepared: Sequence[Prepared],
        snapshot: Snapshot,
        limits: Thresholds,
        judge: Judge,
        compare: bool,
    ) -> None:
        self._prepared, self._snapshot, self._limits, self._judge = prepared, snapshot, limits, judge
        self._compares = compare
        self._plan = Plan()
        words = snapshot.words
        self._keys: dict[str, tuple[str, UUID]] = dict(words.keys)
        self._given: dict[tuple[UUID, Body], UUID] = {k: v.memory_id for k, v in words.given.items()}
        self._digests: dict[str, UUID] = {k: v.memory_id for k, v in words.digests.items()}
        self._among = Among([item.vector for item in prepared] if compare else [])

    def plan(self) -> Plan:
        for position, item in enumerate(self._prepared):
            decision = self._known(item) or self._merge_or_insert(position, item)
            self._plan.decisions.append(decision)
            self._remember(item, decision)
        return self._plan

    def _known(self, item: Prepared) -> Decision | None:
        key = item.key
        if key and key in self._keys:
            request_hash, memory_id = self._keys[key]
            if request_hash != item.request_hash:
                raise ConflictError(
                    "This idempotency_key was used for another memory: use a new key for new words."
                )
            return Decision(item, memory_id, "known", "idempotency_key", memory_id)
        for giver in item.givers:
            found = self._given.get((giver, item.body))
            if found is not None:
                self._row(found)
                return Decision(item, found, "known", "same_source", found)
        return None

    def _merge_or_insert(self, position: int, item: Prepared) -> Decision:
        junk = self._snapshot.words.junk.get(item.words)
        if junk is not None:
            return self._stays_junk(item, self._row(junk))
        same = self._digests.get(item.digest)
        # words that it was given once may have been edited since
        if same is not None and self._peek(same).takes(item):
            return self._merge(item, self._row(same), "same_words", 1.0)
        if not self._compares:
            return self._insert(position, item, "not_compared")
        if item.vector is None:
            return self._insert(position, item, "no_vector")
        near = self._near(position, item)
        if not near:
            first = not self._snapshot.marks.get(item.memory_type)
            return self._insert(position, item, "first_of_its_type" if first else "nothing_near")
        return self._compare(position, item, near)

    def _compare(self, position: int, item: Prepared, near: Sequence[Near]) -> Decision:
        def takes(memory_id: UUID) -> bool:
            return self._peek(memory_id).takes(item)

        verdict = compare(item.body.text, near, self._text, takes, self._limits, self._judge)
        if verdict.merges and verdict.other is not None:
            row, score = self._row(verdict.other), verdict.score
            return self._merge(item, row, verdict.reason, score, decided_by=verdict.decided_by)
        return self._insert(position, item, verdict.reason, verdict)

    def _near(self, position: int, item: Prepared) -> list[Near]:
        """Stored and new memories of the type, best first."""
        near = list(self._neighbours(position).same)
        for earlier, cosine in self._among.nearest(position, item.memory_type, MOST_COMPARED):
            near.append((self._plan.decisions[earlier].memory_id, cosine))
        return nearest_first(near)

    def _neighbours(self, position: int) -> Neighbours:
        return self._snapshot.near.get(position) or Neighbours()

    def _text(self, memory_id: UUID) -> str:
        return self._peek(memory_id).body.text

    def _row(self, memory_id: UUID) -> Row:
        """The memory, touched by this batch; an archived one comes back, unless its owner judged it junk."""
        row = self._plan.rows.setdefault(memory_id, self._peek(memory_id))
        if row.record is not None:
            row.reactivate = row.record.status == "archived" and row.record.archive_reason != JUNK
        return row

    def _peek(self, memory_id: UUID) -> Row:
        """The same, only looked at."""
        if memory_id in self._plan.rows:
            return self._plan.rows[memory_id]
        record = self._snapshot.records[memory_id]
        return Row(
            memory_id,
            record.memory_type,
            body_of(record),
            tuple(record.tags),
            backing_of(record),
            record=record,
        )

    def _insert(
        self,
        position: int,
        item: Prepared,
        reason: str,
        verdict: Verdict | None = None,
    ) -> Decision:
        memory_id = uuid4()
        tags = tuple(merge_tags((), item.tags))
        row = Row(
            memory_id,
            item.memory_type,
            item.body,
            tags,
            item.upload.backing,
            made_by=item,
            hits=1,
            vector=item.vector,
            around=self._neighbours(position).around,
        )
        self._plan.rows[memory_id] = row
        if item.vector is not None and self._compares:
            self._among.add(position, item.memory_type)
        if verdict is None or verdict.other is None:
            return Decision(item, memory_id, "insert", reason, score=verdict.score if verdict else None)
        older, newer = (verdict.other, self._text(verdict.other)), (memory_id, item.body.text)
        linked = link(verdict, older, newer)
        return Decision(item, memory_id, "insert", reason, verdict.other, verdict.score, link=linked)

    def _merge(
        self, item: Prepared, row: Row, reason: str, score: float | None, decided_by: str = "rules"
    ) -> Decision:
        before = row.body
        row.body, row.backing, pending = take_in(
            self._judge, before, row.backing, item.body, item.upload.backing
        )
        row.tags = tuple(merge_tags(row.tags, item.tags))
        row.hits += 1
        return Decision(item, row.id, "merge", reason, row.id, score, before, pending, decided_by=decided_by)

    def _stays_junk(self, item: Prepared, row: Row) -> Decision:
        """Words that were judged junk are noted where they were judged, and change nothing there."""
        row.hits += 1
        return Decision(item, row.id, "merge", JUNK, row.id, 1.0, row.body)

    def _remember(self, item: Prepared, decision: Decision) -> None:
        """Later uploads of the batch see this one as if it were stored."""
        if decision.action == "known":
            return
        if item.key:
            self._keys[item.key] = (item.request_hash, decision.memory_id)
        for giver in item.givers:
            self._given.setdefault((giver, item.body), decision.memory_id)
        self._digests.setdefault(item.digest, decision.memory_id)
