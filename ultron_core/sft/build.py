"""Candidates -> rows and rejects, in the order that matters; every drop has a reason.

normalise -> length -> evaluation texts -> exact and near-duplicates -> caps -> redact -> second scan -> limit -> split

Candidates come in a stream and go to disk; memory holds a few hundred bytes of each. What is dropped as a duplicate
is never redacted, because finding names is the slowest step by far.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, overload

import numpy as np

from ultron_core.sft.config import BuildConfig, Caps
from ultron_core.sft.curate.decontaminate import EvalIndex
from ultron_core.sft.curate.dedup import band_keys, near_duplicates
from ultron_core.sft.curate.same_task import join_groups
from ultron_core.sft.draft import CountTokens, Draft, draft_row, measured
from ultron_core.sft.records import Candidate, Reject, Row, canonical_json, content_sha256
from ultron_core.sft.spill import Place, Spill

__all__ = ["Built", "Tools", "build_rows", "counts_by_reason"]

_SPLIT_SEED = "ultron-sft-split-1"
#: reasons whose detail quotes the log
_QUOTING = frozenset(
    {
        *("fragment", "nothing_to_learn", "arguments_no_object", "call_without_name", "number_not_portable"),
        *("invalid_tool_schema", "in_evaluation_set"),
    }
)
#: rows that are worked on together: names are found in batches, memory stays flat
_BATCH = 256


@dataclass(frozen=True, slots=True)
class Tools:
    """What the build is handed. `redact` replaces secrets and personal data in JSON values, each its own document;
    `has_secret` is the independent second look: a row in which it still finds something is rejected."""

    redact: Callable[[Sequence[Any]], Sequence[Any]]
    has_secret: Callable[[str], bool]
    count_tokens: CountTokens
    eval_index: EvalIndex | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """Rows in file order and everything that was left out. `considered` = rows + rejects."""

    rows: Sequence[Row]
    rejects: Sequence[Reject]
    considered: int


@dataclass(frozen=True, slots=True)
class _Fact:
    """What is decided on, for one row that lies on disk."""

    id: str
    score: float
    tokens: int
    content: str
    session: str
    task: str
    task_type: str
    row: Place
    shingles: Place

    @property
    def rank(self) -> tuple[float, int, str, str]:
        """Best score, then longest, then smallest content hash: the order in which duplicates lose."""
        return -self.score, -self.tokens, self.content, self.id

    def reject(self, reason: str, detail: str = "") -> Reject:
        return Reject(self.id, reason, detail[:200], self.score, self.task_type)


def build_rows(
    candidates: Iterable[Candidate | Reject],
    config: BuildConfig,
    tools: Tools,
    progress: Callable[[int], None] | None = None,
) -> Built:
    """Rows sorted by id; equal candidates and config give equal rows, whatever their order.

    A Reject among the candidates is one that the gate refused; it is counted like the others.
    """
    rejects: list[Reject] = []
    done = Spill()
    with Spill() as spill:
        facts, keys = _drafted(candidates, config, tools, spill, rejects, progress)
        order = sorted(range(len(facts)), key=lambda i: facts[i].rank)
        facts, keys = [facts[i] for i in order], keys[order]
        facts = _unique(facts, keys, config, spill, rejects)
        facts = _capped(facts, config.caps, rejects)
        finished = _finished(facts, config, tools, spill, done, rejects)
    rejects = _clean_details(rejects, tools)
    rejects.sort(key=lambda r: r.segment_id)
    return Built(_StoredRows(done, finished, config), rejects, len(finished) + len(rejects))


class _StoredRows(Sequence[Row]):
    """The finished rows in file order, read from disk one by one."""

    def __init__(self, spill: Spill, finished: Sequence[_Fact], config: BuildConfig) -> None:
        self._spill = spill
        self._facts = sorted(finished, key=lambda fact: fact.id)
        self._groups = join_groups([(fact.session, fact.task) for fact in self._facts])
        self._config = config

    def __len__(self) -> int:
        return len(self._facts)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        group = self._groups[index]
        row: Row = self._spill.get(self._facts[index].row)
        return replace(row, group_key=group, split=_side(group, self._config))


def _drafted(
    candidates: Iterable[Candidate | Reject],
    config: BuildConfig,
    tools: Tools,
    spill: Spill,
    rejects: list[Reject],
    progress: Callable[[int], None] | None,
) -> tuple[list[_Fact], Any]:
    facts: list[_Fact] = []
    keys = []
    seen = 0
    for batch in _batches(candidates):
        drafts: list[Draft] = []
        for candidate in batch:
            done = (
                candidate
                if isinstance(candidate, Reject)
                else draft_row(candidate, config, tools.count_tokens, tools.eval_index)
            )
            (drafts if isinstance(done, Draft) else rejects).append(done)  # type: ignore[arg-type]
        keys.append(band_keys([draft.shingles for draft in drafts], config.near_duplicate_jaccard))
        facts += [_fact(draft, spill) for draft in drafts]
        seen += len(batch)
        if progress:
            progress(seen)
    empty = band_keys([], config.near_duplicate_jaccard)
    return facts, np.concatenate([empty, *keys])


def _batches(values: Iterable[Any]) -> Iterator[list[Any]]:
    stream = iter(values)
    while batch := list(islice(stream, _BATCH)):
        yield batch


def _fact(draft: Draft, spill: Spill) -> _Fact:
    row = draft.row
    return _Fact(
        id=row.id,
        score=row.quality_score,
        tokens=row.num_tokens,
        content=row.content_sha256,
        session=row.session_key,
        task=row.task_key,
        task_type=row.task_type,
        row=spill.put(row),
        shingles=spill.put_shingles(draft.shingles),
    )


def _unique(
    facts: Sequence[_Fact], keys: Any, config: BuildConfig, spill: Spill, rejects: list[Reject]
) -> list[_Fact]:
    first: dict[str, int] = {}
    for position, fact in enumerate(facts):
        kept = first.setdefault(fact.content, position)
        if kept != position:
            rejects.append(fact.reject("exact_duplicate", f"of {facts[kept].id}"))
    alone = list(first.values())
    facts, keys = [facts[i] for i in alone], keys[alone]
    found = near_duplicates(
        keys, lambda i: spill.get_shingles(facts[i].shingles), config.near_duplicate_jaccard
    )
    kept_facts = []
    for fact, (other, similar) in zip(facts, found, strict=True):
        if other < 0:
            kept_facts.append(fact)
        else:
            rejects.append(fact.reject("near_duplicate", f"of {facts[other].id}, Jaccard {similar:.3f}"))
    return kept_facts


def _capped(facts: Sequence[_Fact], caps: Caps, rejects: list[Reject]) -> list[_Fact]:
    """At most so many of one session, task and task type, the best ones."""
    counts: Counter[tuple[str, str]] = Counter()
    kept = []
    for fact in facts:
        groups = (
            ("session", fact.session, caps.session),
            ("task", fact.task, caps.task),
            ("task_type", fact.task_type, caps.task_type),
        )
        full = next((name for name, key, cap in groups if cap and counts[name, key] >= cap), None)
        if full:
            rejects.append(fact.reject(f"over_cap_{full}"))
            continue
        counts.update((name, key) for name, key, _ in groups)
        kept.append(fact)
    return kept


def _finished(
    facts: Sequence[_Fact],
    config: BuildConfig,
    tools: Tools,
    spill: Spill,
    done: Spill,
    rejects: list[Reject],
) -> list[_Fact]:
    """Redacted, scanned again and counted, best first, until the limit is reached; the rows go to `done`."""
    finished: list[_Fact] = []
    taken: dict[str, str] = {}
    waiting = iter(facts)
    while batch := list(islice(waiting, min(_BATCH, config.limit - len(finished)))):
        drafts: list[Row] = [spill.get(fact.row) for fact in batch]
        values = [{"messages": list(r.messages), "tools": list(r.tools), "topic": r.topic} for r in drafts]
        for fact, draft, clean in zip(batch, drafts, tools.redact(values), strict=True):
            row = _redacted(draft, clean, tools)
            if tools.has_secret(canonical_json(clean)):
                rejects.append(fact.reject("secret_after_redaction"))
            elif row.num_tokens > config.max_tokens:
                rejects.append(fact.reject("too_long", f"{row.num_tokens} tokens, limit {config.max_tokens}"))
            elif (kept := taken.setdefault(row.content_sha256, row.id)) != row.id:
                rejects.append(fact.reject("exact_duplicate", f"of {kept}, once redacted"))
            else:
                finished.append(replace(fact, row=done.put(row)))
    rejects += [fact.reject("over_limit", f"limit {config.limit}") for fact in waiting]
    return finished


def _clean_details(rejects: Sequence[Reject], tools: Tools) -> list[Reject]:
    """Details that quote the log are redacted like the rows: they are published beside them."""
    quoting = [position for position, reject in enumerate(rejects) if reject.reason in _QUOTING]
    done = list(rejects)
    for position, detail in zip(quoting, tools.redact([rejects[i].detail for i in quoting]), strict=True):
        done[position] = replace(rejects[position], detail=detail)
    return done


def _redacted(row: Row, clean: Mapping[str, Any], tools: Tools) -> Row:
    messages, declared = tuple(clean["messages"]), tuple(clean["tools"])
    content = content_sha256(messages, declared)
    row = replace(
        row,
        messages=messages,
        tools=declared,
        topic=clean["topic"],
        content_sha256=content,
        dup_cluster=content[:16],
    )
    return measured(row, tools.count_tokens)


def _side(group_key: str, config: BuildConfig) -> str:
    """By hash of the group alone; rows of one session and rows of one task are in one group."""
    digest = hashlib.sha256(f"{_SPLIT_SEED}/{group_key}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return "validation" if share < config.validation_share else "train"


def counts_by_reason(rejects: Sequence[Reject]) -> Mapping[str, int]:
    """How many were left out, by reason."""
    return dict(sorted(Counter(reject.reason for reject in rejects).items()))
