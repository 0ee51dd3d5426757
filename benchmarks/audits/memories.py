"""What the offline path stores of the reserve, to be read by people, and what their verdicts say.

    python benchmarks/audits/memories.py draw [--data DIR] [--count 100] [--older 40] [--seed 20261122]
    python benchmarks/audits/memories.py draw --fresh | --native [--data DIR] [--count 60] [--seed 20261122]
    python benchmarks/audits/memories.py recall [--gold fresh_recall] [--data DIR]
    python benchmarks/audits/memories.py score

`draw` prints memories of the reserve's sessions (benchmarks/inputs/reserve.py), near-duplicates merged as the store
merges them: `count` drawn at random from the eight session sets that came last, `older` from the others, which are
reported apart. `--fresh` prints all memories of the sessions of benchmarks/gold/fresh_recall.jsonl and of no others,
`--native` those of people with coding agents outside the reserve: development, so a figure that flatters. `recall`
prints for each session of benchmarks/gold/recall.jsonl (or the list named by `--gold`) its items beside all memories
made from it. None is run on the reserve before the rules are final: what is read here is no reserve any more.

`score` reads the verdicts of two readers, benchmarks/gold/memory_verdicts.jsonl and memory_verdicts_second.jsonl
(`id`, `session`, `part`, `verdict` useful, fair or junk, `false_cure`, `why`), and recall_verdicts.jsonl (`session`,
`item`, `kind`, `stored`, `why`), then the later readings of one reader: fresh_verdicts.jsonl, native_verdicts.jsonl,
fresh_recall_verdicts.jsonl and recall_verdicts_again.jsonl, and people_verdicts.jsonl, read by the author of the
rules. One JSON object a line: shares by part and reader,
agreement of the two (plain and Cohen's kappa), recall by kind.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from extraction import Read, read, sessions, stored
from inputs.lockbox import forbid_lockbox
from inputs.places import arguments, session_sets
from inputs.reserve import sessions as sides

GOLD = Path(__file__).parents[1] / "gold"
#: the sets that joined the shared data last: rules were not tuned on them by hand before there was a reserve
NEWER = frozenset(
    {
        "fireact_hotpot",
        "human_aider",
        "human_claude_specstory",
        "human_copilot_destyler_zh",
        "intercode_bash",
        "intercode_sql",
        "mint_alfworld",
        "mint_code",
    }
)
#: sets in which a person works with a coding agent, by the beginnings of their names
NATIVE = ("human_", "claude_code_", "pi_")


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("what", choices=["draw", "recall", "score"])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--older", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--gold", choices=["recall", "fresh_recall"], default="recall")
    parser.add_argument("--fresh", action="store_true", help="all memories of the fresh sessions")
    parser.add_argument("--native", action="store_true", help="of people's sessions outside the reserve")
    args = parser.parse_args()
    if args.what == "score":
        score()
        return 0
    forbid_lockbox(args.data)
    if args.what == "recall":
        recall(args.data, args.gold)
        return 0
    if args.native:
        draw(list(read_native(args.data)), "native", args.count, args.seed)
        return 0
    everything = list(read_reserve(args.data, listed("fresh_recall") if args.fresh else None))
    if args.fresh:
        draw(everything, "fresh", None, args.seed)
        return 0
    for part, count in (("newer", args.count), ("older", args.older)):
        found = [item for item in everything if (item.source in NEWER) == (part == "newer")]
        draw(found, part, count, args.seed)
    return 0


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "memory_audit", **fields}, ensure_ascii=False), flush=True)


def read_reserve(data: Path, only: frozenset[tuple[str, str]] | None = None) -> Iterator[Read]:
    """The reserve's sessions with their drafts, or those of them named by (set, file's name)."""
    wanted = {(str(s["set"]), Path(str(s["file"])).name) for s in sides(data) if s["reserve"]}
    if only is not None:
        wanted &= only
    for found in session_sets(data):
        for name, messages in sessions(found):
            if messages and (found.name, name) in wanted:
                yield read(found.name, name, messages)


def read_native(data: Path) -> Iterator[Read]:
    """The sessions of people with coding agents that lie outside the reserve, with their drafts."""
    reserve = {(str(s["set"]), Path(str(s["file"])).name) for s in sides(data) if s["reserve"]}
    for found in session_sets(data):
        for name, messages in sessions(found) if found.name.startswith(NATIVE) else ():
            if messages and (found.name, name) not in reserve:
                yield read(found.name, name, messages)


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLD / f"{name}.jsonl").read_text("utf-8").splitlines()]


def listed(gold: str) -> frozenset[tuple[str, str]]:
    """Set and bare file name of each session of a recall list."""
    return frozenset((row["set"], Path(row["file"]).name) for row in rows_of(gold))


def draw(found: list[Read], part: str, count: int | None, seed: int) -> None:
    """Print `count` memories drawn at random, or all."""
    pairs = stored(found)
    types = Counter(draft.memory_type for _, draft in pairs)
    say(set="stored", part=part, sessions=len(found), n=len(pairs), types=dict(types))
    chosen = random.Random(seed).sample(range(len(pairs)), min(count or len(pairs), len(pairs)))
    for number in sorted(chosen):
        item, draft = pairs[number]
        say(
            set="audit",
            part=part,
            id=f"{part}-{number}",
            session=f"{item.source}/{item.name}",
            memory_type=draft.memory_type,
            content=draft.content,
            context=draft.context,
            resolution=draft.resolution,
            evidence=[[e.start_line, e.end_line, e.quote[:200]] for e in draft.evidence],
        )


def recall(data: Path, gold: str) -> None:
    made = {(item.source, item.name): item for item in read_reserve(data, listed(gold))}
    for row in rows_of(gold):
        item = made.get((row["set"], Path(row["file"]).name))
        say(
            set="recall",
            session=f"{row['set']}/{Path(row['file']).name}",
            segments=item.segments if item else 0,
            eligible=item.eligible if item else 0,
            yielding=item.yielding if item else 0,
            items=row["items"],
            memories=[
                {
                    "memory_type": draft.memory_type,
                    "content": draft.content,
                    "context": draft.context,
                    "resolution": draft.resolution,
                    "lines": [[e.start_line, e.end_line] for e in draft.evidence],
                }
                for draft in (item.kept if item else [])
            ],
        )


def score() -> None:
    first, second = verdicts("memory_verdicts"), verdicts("memory_verdicts_second")
    for reader, found in (("first", first), ("second", second)):
        for part in ("newer", "older"):
            shares(reader, part, [row for row in found.values() if row["part"] == part])
    both = sorted(first.keys() & second.keys())
    if both:
        pairs = [(first[i]["verdict"], second[i]["verdict"]) for i in both]
        same = sum(a == b for a, b in pairs) / len(pairs)
        kinds = {kind for pair in pairs for kind in pair}
        chance = (
            sum(sum(a == kind for a, _ in pairs) * sum(b == kind for _, b in pairs) for kind in kinds)
            / len(pairs) ** 2
        )
        kappa = round((same - chance) / (1 - chance), 3) if chance < 1 else None
        say(set="agreement", n=len(both), same=round(same, 3), kappa=kappa)
    recalled("recall", list(verdicts("recall_verdicts", key="item").values()))
    shares("third", "fresh", list(verdicts("fresh_verdicts").values()), name="fresh")
    recalled("fresh_recall", list(verdicts("fresh_recall_verdicts", key="item").values()))
    recalled("recall_again", list(verdicts("recall_verdicts_again", key="item").values()))
    shares("third", "native", list(verdicts("native_verdicts").values()), name="native_development")
    people = list(verdicts("people_verdicts").values())
    for drawn in ("first", "second"):
        shares("author", drawn, [row for row in people if row["draw"] == drawn], name="people_development")


def recalled(name: str, items: list[dict[str, object]]) -> None:
    """Shares of the items that are stored, by kind."""
    for kind in sorted({row["kind"] for row in items}):
        of_kind = [row for row in items if row["kind"] == kind]
        say(
            set=name,
            kind=kind,
            n=len(of_kind),
            stored=ratio(sum(bool(row["stored"]) for row in of_kind), len(of_kind)),
        )
    if items:
        say(
            set=name,
            kind="all",
            n=len(items),
            stored=ratio(sum(bool(row["stored"]) for row in items), len(items)),
        )


def verdicts(name: str, key: str = "id") -> dict[str, dict[str, object]]:
    path = GOLD / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    return {f"{row['session']} {row[key]}": row for row in rows}


def shares(reader: str, part: str, rows: list[dict[str, object]], name: str = "verdicts") -> None:
    if not rows:
        return
    counts = Counter(str(row["verdict"]) for row in rows)
    cures = [row for row in rows if row["false_cure"] is not None]
    say(
        set=name,
        reader=reader,
        part=part,
        n=len(rows),
        useful=ratio(counts["useful"], len(rows)),
        fair=ratio(counts["fair"], len(rows)),
        junk=ratio(counts["junk"], len(rows)),
        cures=len(cures),
        false_cures=ratio(sum(bool(row["false_cure"]) for row in cures), len(cures)),
    )


def ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


if __name__ == "__main__":
    sys.exit(main())
