"""Candidates -> rows and rejects, in the order that matters; every drop has a reason.

normalise -> length -> evaluation texts -> exact and near-duplicates -> caps -> redact -> second scan -> limit -> split

Candidates come in a stream and go to disk, with what is decided on; memory holds some hundred bytes of each. What is
dropped as a duplicate is never redacted, because finding names is the slowest step by far.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, tee
from typing import TypeVar

import numpy as np

from ultron_core.errors import ExportError
from ultron_core.sft.clean import Cleaned, Cleaner, Memory, Texts, Tools
from ultron_core.sft.config import BuildConfig, Caps
from ultron_core.sft.curate.dedup import BandKeys, band_keys, near_duplicates
from ultron_core.sft.curate.meaning import Vectors, same_meaning
from ultron_core.sft.curate.same_task import first_request
from ultron_core.sft.draft import Drafted, DraftMemory, draft_batch
from ultron_core.sft.facts import Fact, Ranked, ScannedRows, StoredRows
from ultron_core.sft.kinds.records import Outcome, Pair, outcome_of
from ultron_core.sft.paired import pair_up
from ultron_core.sft.records import Candidate, Reject, Row, Scanned, content_sha256
from ultron_core.sft.spill import Positions, Records, Spill
from ultron_core.sft.workers import Workers

__all__ = ["Built", "build_rows", "counts_by_reason"]

_Item = TypeVar("_Item")
Embed = Callable[[Sequence[str]], Vectors]
#: reasons whose detail quotes the log
_QUOTING = frozenset(
    {
        *("fragment", "nothing_to_learn", "arguments_no_object", "call_without_name", "number_not_portable"),
        *("invalid_tool_schema", "in_evaluation_set"),
    }
)
#: rows that are worked on together: names are found in batches, memory stays flat
_BATCH = 64
#: batches that are drafted before processes are started, which takes them a second
_BATCHES_HERE = 1


@dataclass(frozen=True, slots=True)
class Built:
    """Rows in file order and everything that was left out. `considered` = the segments in them + rejects."""

    rows: Sequence[Row | Pair | Outcome]
    rejects: Sequence[Reject]
    considered: int
    #: by content hash
    scanned: Mapping[str, Scanned] = field(default_factory=dict)


def build_rows(
    candidates: Iterable[Candidate | Drafted | Reject],
    config: BuildConfig,
    workers: Workers[Tools],
    progress: Callable[[int], None] | None = None,
    memory: Memory | None = None,
    drafts: DraftMemory | None = None,
    embed: Embed | None = None,
) -> Built:
    """Rows sorted by id; equal candidates and config give equal rows, whatever their order and the workers.

    A Reject among the candidates is one that the gate refused, or that `drafts` knows; it is counted like the others.
    A Drafted is one that `drafts` knows.
    """
    rejects: list[Reject] = []
    done = Spill()
    cleaner = Cleaner(workers, memory, partial(_read_again, config, workers, drafts))
    with Spill() as spill:
        facts = _unique(
            *_drafted(candidates, config, workers, spill, rejects, progress, drafts), config, spill, rejects
        )
        meanings = _meanings(facts, config, spill, workers, embed)
        facts = _capped(facts, meanings, config.caps, rejects)
        finished, scanned = _finished(facts, config, cleaner, spill, done, rejects)
    rejects = _clean_details(rejects, cleaner)
    sides: Positions = np.arange(len(finished))[:, None]
    made: Callable[..., Row | Pair | Outcome] = outcome_of if config.kind == "outcome" else _as_it_is
    shipped = len(finished)
    if config.kind == "preference":
        paired = pair_up(finished, rejects, config, done, workers.tools.count_tokens)
        sides, made, shipped, rejects = paired.sides, paired.row, len(paired.segments), [*paired.rejects]
    rejects.sort(key=lambda r: r.segment_id)
    return Built(StoredRows(done, finished, sides, config, made), rejects, shipped + len(rejects), scanned)


def _as_it_is(row: Row) -> Row:
    return row


def _drafted(
    candidates: Iterable[Candidate | Drafted | Reject],
    config: BuildConfig,
    workers: Workers[Tools],
    spill: Spill,
    rejects: list[Reject],
    progress: Callable[[int], None] | None,
    memory: DraftMemory | None,
) -> tuple[Records[Fact], BandKeys]:
    facts = Records(spill, Fact)
    keys: list[BandKeys] = [band_keys([], config.near_duplicate_jaccard)]

    def take(made: Sequence[Drafted | Reject]) -> None:
        drafts = [one for one in made if isinstance(one, Drafted)]
        rejects.extend(one for one in made if isinstance(one, Reject))
        for draft in drafts:
            facts.append(_fact(draft, spill))
        if drafts:
            # one array a batch: one a row takes twice the memory
            keys.append(np.array([draft.keys for draft in drafts]))
        if progress and made:
            progress(len(facts))

    new = (([one.source for one in batch], batch) for batch in _batches(_new(candidates, take)))
    for sources, made in workers.map(partial(draft_batch, config), new, here=_BATCHES_HERE):
        take(made)
        if memory:
            memory.remember([*zip(sources, made, strict=True)])
    return facts, np.concatenate(keys)


def _new(
    candidates: Iterable[Candidate | Drafted | Reject], take: Callable[[Sequence[Drafted | Reject]], None]
) -> Iterator[Candidate]:
    """Those that are still to be drafted; the others are taken as they are."""
    for candidate in candidates:
        if isinstance(candidate, Candidate):
            yield candidate
        else:
            take([candidate])


def _read_again(
    config: BuildConfig, workers: Workers[Tools], memory: DraftMemory | None, wanted: Sequence[Texts]
) -> list[Texts]:
    """The texts of remembered drafts that were not cleaned before, because others were kept in their place."""
    if memory is None:
        raise AssertionError("a draft without texts comes from a memory")
    found = [
        one for one in memory.reread([texts.segment_id for texts in wanted]) if isinstance(one, Candidate)
    ]
    drafts = [one for one in draft_batch(config, workers.tools, found) if isinstance(one, Drafted)]
    read = {draft.id: _texts(pickle.loads(draft.row)) for draft in drafts}
    for texts in wanted:
        if texts.segment_id not in read or read[texts.segment_id].content != texts.content:
            raise ExportError(f"Segment {texts.segment_id} changed while it was exported. Export again.")
    return [read[texts.segment_id] for texts in wanted]


def _batches(values: Iterable[_Item]) -> Iterator[list[_Item]]:
    stream = iter(values)
    while batch := list(islice(stream, _BATCH)):
        yield batch


def _fact(draft: Drafted, spill: Spill) -> Fact:
    return Fact(
        id=draft.id,
        score=draft.score,
        length=draft.length,
        content=draft.content,
        session=draft.session,
        task=draft.task,
        task_type=draft.task_type,
        succeeded=draft.succeeded,
        twin=draft.twin,
        row=spill.put_bytes(draft.row),
        shingles=spill.put_bytes(draft.shingles),
    )


def _unique(
    facts: Records[Fact], keys: BandKeys, config: BuildConfig, spill: Spill, rejects: list[Reject]
) -> Records[Fact]:
    """The best of those that are alike, best first."""
    ranked = Ranked.of(facts)
    facts, places = facts.only(ranked.order), np.arange(len(facts))
    for position in np.flatnonzero(ranked.first != places).tolist():
        kept = facts[int(ranked.first[position])]
        rejects.append(facts[position].reject("exact_duplicate", f"of {kept.id}"))
    alone = np.flatnonzero(ranked.first == places)
    facts, shingles = facts.only(alone), ranked.shingles[alone]
    found = near_duplicates(
        keys[ranked.order[alone]],
        lambda i: np.frombuffer(spill.get_bytes(tuple(shingles[i].tolist())), np.uint64),
        config.near_duplicate_jaccard,
    )
    for position, (other, similar) in enumerate(found):
        if other >= 0:
            detail = f"of {facts[other].id}, Jaccard {similar:.3f}"
            rejects.append(facts[position].reject("near_duplicate", detail))
    return facts.only(position for position, (other, _) in enumerate(found) if other < 0)


def _meanings(
    facts: Sequence[Fact], config: BuildConfig, spill: Spill, workers: Workers[Tools], embed: Embed | None
) -> list[str]:
    """A name of what each row asks for; empty names when meanings are not capped. Requests are redacted first: a model
    elsewhere may make the vectors."""
    if not config.caps.meaning or embed is None or not facts:
        return [""] * len(facts)
    asked = [first_request(spill.get(fact.row).messages) for fact in facts]
    vectors = embed([str(text) for text in workers.tools.redact(asked)])
    return [str(group) for group in same_meaning(vectors, config.same_meaning_cosine)]


def _capped(
    facts: Records[Fact], meanings: Sequence[str], caps: Caps, rejects: list[Reject]
) -> Records[Fact]:
    """At most so many of one session, task, task type and meaning, the best ones."""
    if caps == Caps():
        return facts
    counts: Counter[tuple[str, str]] = Counter()
    kept: list[int] = []
    for position, (fact, meaning) in enumerate(zip(facts, meanings, strict=True)):
        groups = [
            group
            for group in (
                ("session", fact.session, caps.session),
                ("task", fact.task, caps.task),
                ("task_type", fact.task_type, caps.task_type),
                ("meaning", meaning, caps.meaning),
            )
            if group[2]
        ]
        full = next((name for name, key, cap in groups if counts[name, key] >= cap), None)
        if full:
            rejects.append(fact.reject(f"over_cap_{full}"))
            continue
        counts.update((name, key) for name, key, _ in groups)
        kept.append(position)
    return facts.only(kept)


def _finished(
    facts: Records[Fact],
    config: BuildConfig,
    cleaner: Cleaner,
    spill: Spill,
    done: Spill,
    rejects: list[Reject],
) -> tuple[Records[Fact], ScannedRows]:
    """Redacted, scanned again and counted, best first, until the limit is reached; the rows go to `done`."""
    finished, scanned = Records(done, Fact), ScannedRows(done)
    ahead, now = tee(facts)
    waiting = ([_texts(spill.get(fact.row)) for fact in batch] for batch in _batches(ahead))
    cleaned = (one for batch in cleaner.run(waiting) for one in batch)
    for position, fact in enumerate(now):
        if len(finished) >= config.limit:
            rejects += [left.reject("over_limit", f"limit {config.limit}") for left in facts[position:]]
            break
        clean = next(cleaned)
        row = _redacted(spill.get(fact.row), clean)
        if clean.secret:
            rejects.append(fact.reject("secret_after_redaction"))
        elif clean.unsafe:
            rejects.append(fact.reject("unsafe"))
        elif row.num_tokens > config.max_tokens:
            rejects.append(fact.reject("too_long", f"{row.num_tokens} tokens, limit {config.max_tokens}"))
        elif kept := scanned.get(row.content_sha256):
            rejects.append(fact.reject("exact_duplicate", f"of {kept.id}, once redacted"))
        else:
            known = Scanned(row.id, row.topic, row.num_tokens, row.num_trained_tokens)
            scanned.add(row.content_sha256, known)
            finished.append(replace(fact, row=done.put(row)))
    return finished, scanned


def _texts(row: Row) -> Texts:
    return Texts(row.id, row.content_sha256, row.topic, row.messages, row.tools)


def _clean_details(rejects: Sequence[Reject], cleaner: Cleaner) -> list[Reject]:
    """Details that quote the log are redacted like the rows: they are published beside them."""
    quoting = [reject for reject in rejects if reject.reason in _QUOTING]
    details = ([Texts(one.segment_id, "", one.detail) for one in batch] for batch in _batches(quoting))
    clean = {
        one.segment_id: done.topic
        for one, done in zip(quoting, (one for batch in cleaner.run(details) for one in batch), strict=True)
    }
    return [replace(one, detail=clean.get(one.segment_id, one.detail)) for one in rejects]


def _redacted(row: Row, clean: Cleaned) -> Row:
    content = content_sha256(clean.messages, clean.tools)
    return replace(
        row,
        messages=clean.messages,
        tools=clean.tools,
        topic=clean.topic,
        content_sha256=content,
        dup_cluster=content[:16],
        num_tokens=clean.tokens,
        num_trained_tokens=clean.trained,
    )


def counts_by_reason(rejects: Sequence[Reject]) -> Mapping[str, int]:
    """How many were left out, by reason."""
    return dict(sorted(Counter(reject.reason for reject in rejects).items()))
