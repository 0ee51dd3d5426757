"""How many memories the offline extractor drafts and keeps, and where they point.

    python benchmarks/extraction.py [--data DIR] [--seed S]

The whole offline path of the pipeline: segments, labels, the gate on memory_score, drafts of each segment, the
gate on drafts. One line per set: sessions (`n`), `segments` and how many of them are `eligible`, `drafts`, `kept`
(passed the gate), `per_session` (kept), `dropped` by reason, `types`. who_and_when_failures adds `error_sessions`
(share of runs with an error memory), `near_mistake` (share of ALL runs with an error memory whose evidence is
within 2 steps of the labelled mistake), `near_mistake_own` (the same of the runs that have an error memory) and
`near_chance` (what the same number of lines placed at random in each run would reach), and the same again with the
known outcome as label (`label: gold`). `solved_yield`: of up to 50 sessions drawn at random from those in which a
tool failed and the same tool worked later, the share with an error memory that has a resolution.
benchmarks/audits/memories.py draws memories for reading.
"""

from __future__ import annotations

import json
import math
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inputs.lockbox import guarded
from inputs.places import SessionSet, arguments, session_sets
from inputs.reserve import sessions as labelled

from ultron_core.embeddings.local import local_embedder
from ultron_core.labels import is_memory_eligible, label_segment
from ultron_core.memories import diverges, embedding_text, extract_memories, gate_draft
from ultron_core.models import MemoryDraft, Message, QualityLabel, QualitySummary
from ultron_core.segments import segment_messages
from ultron_core.sessions import parse_session

NEAR = 2
_FAILED = re.compile(
    r"Traceback \(most|^exitcode: [1-9]|^Error\b|Some Tests Failed|did not conform|^# Fix any errors below|"
    r"^fatal: |command not found|exit code [1-9]|error TS\d+|<tool_use_error>",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Read:
    """One session with its drafts; `eligible` of its `segments` were searched for memories."""

    source: str
    name: str
    messages: list[Message]
    segments: int
    eligible: int
    drafts: list[MemoryDraft]
    reasons: list[str | None]
    #: segments that were searched and gave a memory that is kept
    yielding: int = 0

    @property
    def kept(self) -> list[MemoryDraft]:
        return [d for d, reason in zip(self.drafts, self.reasons, strict=True) if reason is None]


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--development", action="store_true", help="leave out the sessions of the reserve")
    args = parser.parse_args()
    with guarded("extraction", args.data):
        left_out = reserved(args.data) if args.development else frozenset()
        everything = [item for found in session_sets(args.data) for item in measure(found, left_out)]
        if everything:
            solved_yield(everything, args.seed)
        else:
            say(set="sessions", skipped="not in the data folder")
    return 0


def say(**fields) -> None:
    print(json.dumps({"benchmark": "extraction", **fields}, ensure_ascii=False), flush=True)


def reserved(data: Path) -> frozenset[tuple[str, str]]:
    """Set and file name of each session of the reserve."""
    return frozenset(
        (str(row["set"]), Path(str(row["file"])).name) for row in labelled(data) if row["reserve"]
    )


def sessions(
    found: SessionSet, left_out: frozenset[tuple[str, str]] = frozenset()
) -> Iterator[tuple[str, list[Message]]]:
    for name, body in found.files():
        if name.endswith(".jsonl") and (found.name, Path(name).name) not in left_out:
            yield Path(name).name, list(parse_session(body).messages)


def read(source: str, name: str, messages: list[Message], known: QualityLabel | None = None) -> Read:
    """The drafts of a session as the pipeline finds them; `known` replaces the labels of its segments."""
    drafts: list[MemoryDraft] = []
    reasons: list[str | None] = []
    segments = segment_messages(messages)
    eligible = yielding = 0
    for segment in segments:
        part = [m for m in messages[segment.start : segment.end] if m.thread == segment.thread]
        label = known or label_segment(part)
        if not is_memory_eligible(label).ok:
            continue
        eligible += 1
        found = extract_memories(part, label=label)
        drops = [gate_draft(draft, part) for draft in found]
        yielding += any(drop is None for drop in drops)
        drafts += found
        reasons += [drop.reason if drop else None for drop in drops]
    return Read(source, name, messages, len(segments), eligible, drafts, reasons, yielding)


def measure(sources: SessionSet, left_out: frozenset[tuple[str, str]] = frozenset()) -> list[Read]:
    source = sources.name
    begin = time.perf_counter()
    found = [read(source, name, ms) for name, ms in sessions(sources, left_out) if ms]
    seconds = time.perf_counter() - begin
    report(source, found, seconds, **where(sources, found))
    if source == "who_and_when_failures":
        failed = QualityLabel(QualitySummary(0.2, 0.8, 0.1, "failure"), {}, "gold")
        again = [read(source, item.name, item.messages, failed) for item in found]
        report(source, again, time.perf_counter() - begin - seconds, label="gold", **where(sources, again))
    return found


def report(source: str, found: list[Read], seconds: float, **more) -> None:
    drafts = sum(len(item.drafts) for item in found)
    kept = [draft for item in found for draft in item.kept]
    say(
        set=source,
        n=len(found),
        seconds=round(seconds, 2),
        segments=sum(item.segments for item in found),
        eligible=sum(item.eligible for item in found),
        drafts=drafts,
        kept=len(kept),
        per_session=round(len(kept) / max(len(found), 1), 3),
        dropped=dict(Counter(r for item in found for r in item.reasons if r)),
        types=dict(Counter(draft.memory_type for draft in kept)),
        **more,
    )


def where(sources: SessionSet, found: list[Read]) -> dict[str, float]:
    """Shares of runs whose error memories point near the labelled mistake; empty for sets without the label."""
    path = sources.path.with_name(f"{sources.name}.labels.jsonl")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    steps = {Path(row["file"]).name: int(row["mistake_step"]) for row in rows if "mistake_step" in row}
    runs = [item for item in found if item.name in steps]
    if not runs:
        return {}
    near = errors = 0
    chance = 0.0
    for item in runs:
        first = min(message.start_line for message in item.messages)
        last = max(message.end_line for message in item.messages) - first
        own = [draft for draft in item.kept if draft.memory_type == "error"]
        errors += bool(own)
        lines = {e.start_line - first for draft in own for e in draft.evidence}
        near += any(abs(line - steps[item.name]) <= NEAR for line in lines)
        window = sum(abs(line - steps[item.name]) <= NEAR for line in range(last + 1))
        chance += 1 - math.comb(last + 1 - window, len(lines)) / math.comb(last + 1, len(lines))
    return {
        "error_sessions": round(errors / len(runs), 3),
        "near_mistake": round(near / len(runs), 3),
        "near_mistake_own": round(near / max(errors, 1), 3),
        "near_chance": round(chance / len(runs), 3),
    }


def solved_yield(everything: list[Read], seed: int) -> None:
    """Decided without the extractor: a failing tool result, and a later clean one of the same tool or command line."""
    pool = [item for item in everything if solved(item.messages)]
    drawn = random.Random(seed).sample(pool, min(50, len(pool)))
    hits = [any(d.memory_type == "error" and d.resolution for d in item.kept) for item in drawn]
    missed = [f"{item.source}/{item.name}" for item, hit in zip(drawn, hits, strict=True) if not hit]
    say(
        set="solved_errors",
        n=len(drawn),
        pool=len(pool),
        solved_yield=round(sum(hits) / max(len(hits), 1), 3),
        missed=missed,
    )


def solved(messages: list[Message]) -> bool:
    calls = {call.id: call.name for message in messages for call in message.tool_calls if call.id}
    failing: set[str] = set()
    for message in messages:
        if message.role == "user" and message.origin == "human" and len(message.content) > 200:
            failing.clear()
        if message.role != "tool":
            continue
        tool = calls.get(message.tool_call_id or "", message.name or "")
        if message.is_error or _FAILED.search(message.content[:20_000]):
            failing.add(tool)
        elif (
            tool in failing
            and not message.content.startswith(("Aider v", "There is no code"))
            and "tokens," not in message.content[:40]
        ):
            return True
    return False


def stored(everything: list[Read]) -> list[tuple[Read, MemoryDraft]]:
    """What a store would hold: near-duplicates of one type merged, unless they diverge."""
    embedder = local_embedder()
    pairs = [(item, draft) for item in everything for draft in item.kept]
    texts = [embedding_text(d.memory_type, d.content, d.context, d.resolution) for _, d in pairs]
    vectors = embedder.embed(texts)
    kept: list[int] = []
    for i, (_, draft) in enumerate(pairs):
        same = [j for j in kept if pairs[j][1].memory_type == draft.memory_type]
        merged = any(
            float(vectors[i] @ vectors[j]) > embedder.thresholds.merge and not diverges(texts[i], texts[j])
            for j in same
        )
        if not merged:
            kept.append(i)
    return [pairs[i] for i in kept]


if __name__ == "__main__":
    sys.exit(main())
