"""How well `search_sessions` finds the sessions that answer a question.

    python benchmarks/retrieval.py [--data DIR] [--longmemeval DIR] [--limit N]

LoCoMo (retrieval/locomo.jsonl.gz of DIR): each conversation is written as session files of one agent, ingested,
and every question is asked of that agent the day after its last session. One line a lane (vector, lexical, fused)
and category: `frac1`, `frac5`, `frac10` = mean share of a question's evidence sessions among the first k (1 for a
question without any), `hit1` = share of questions whose first session is evidence, `mrr` of the first evidence
session; `seconds` = asking. All lanes rank what the product's own query finds, with other weights. `fused` has the
shipped weights, `fused_held_out` those chosen on the other conversations. locomo_own and locomo_foreign: share of
questions whose first hit is `spoken`, `weak` or absent (`none`) in their own conversation and in another one.

Agent sessions (archives and folders in DIR/sessions): items that only one session contains, searched across all of
them; that session is the evidence, the category is the kind of item.

LongMemEval (longmemeval_s.json, longmemeval_m.json, also *_cleaned.json, in the folder given, in DIR or in
DIR/retrieval): one agent a question, the clock at its date; `any1`, `any5`, `any10` and `all1`, `all5`, `all10` for
`subset` all, no_abstention (without `_abs` questions) and official (of those, the ones with an answer in a turn of
the user). `--limit` takes the first N questions.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from inputs.lockbox import guarded
from inputs.places import arguments, session_sets
from inputs.retrieval import (
    Haystack,
    Question,
    draw_items,
    find_longmemeval,
    read_agent_sessions,
    read_locomo,
    read_longmemeval,
)

from ultron_core.client import Ultron
from ultron_core.search import LaneWeights, rank_sessions
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.search.sessions import Matches, match_windows

KS = (1, 5, 10)
#: sessions asked for, so that a rank beyond 10 counts in `mrr`
DEPTH = 50
#: sessions drawn from each archive of agent sessions
PER_SOURCE = 12
SHIPPED = LaneWeights()
LANES = {"vector": LaneWeights(1, 0, 0), "lexical": LaneWeights(0, 0.7, 0.3), "fused": SHIPPED}
GRID = [LaneWeights(v / 20, (20 - v - a) / 20, a / 20) for v, a in itertools.product(range(13), range(9))]


@dataclass
class Asked:
    """A question with the names in the order of each lane."""

    question: Question
    agent: str
    matches: Matches
    names: dict
    ranked: dict[str, list[str]] = field(default_factory=dict)


def prepare(ultron: Ultron) -> None:
    """Cut what was ingested, and make the windows that the search over the log reads."""
    service = ultron.trajectory_service
    while service.segment_pending_sessions() or service.index_pending_sessions():
        pass


class World:
    """A database of its own with a clock that the benchmark sets."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        self.folder = folder
        self.now = datetime.now(UTC)
        settings = settings or Settings(
            store=StoreSettings(home=folder / "home"),
            sessions=SessionSettings(quiet_minutes=0),
            llm=LLMSettings(offline=True),
        )
        self.ultron = Ultron(settings, clock=lambda: self.now)

    def ingest(self, haystack: Haystack) -> None:
        folder = self.folder / haystack.agent
        folder.mkdir()
        for name, lines in haystack.sessions.items():
            text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
            (folder / f"{name}.jsonl").write_text(text + "\n", "utf-8")
        given = self.ultron.ingest([folder], haystack.agent)
        assert given["successful"] == len(haystack.sessions), given
        prepare(self.ultron)

    def names(self) -> dict:
        """Session id -> name of its file."""
        with self.ultron.runtime.database.transaction() as conn:
            rows = conn.execute("SELECT id, session_file FROM sessions").fetchall()
        return {row["id"]: Path(row["session_file"]).stem for row in rows}

    def ask(self, haystack: Haystack) -> Iterator[tuple[Question, list[str], float]]:
        """The names that `search_sessions` returns, and the seconds it took."""
        self.now = haystack.asked_at
        for question in haystack.questions:
            begin = time.perf_counter()
            hits = self.ultron.search_sessions(question.text, DEPTH, agent_id=haystack.agent)
            yield question, [Path(hit.session_file).stem for hit in hits], time.perf_counter() - begin


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--longmemeval", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=20261121)
    args = parser.parse_args()
    with guarded("retrieval", args.data):
        measure_all(args.data, args.longmemeval, args.limit, args.seed)
    return 0


def measure_all(data: Path, longmemeval: Path | None, limit: int | None, seed: int) -> None:
    locomo = data / "retrieval" / "locomo.jsonl.gz"
    if locomo.exists():
        with tempfile.TemporaryDirectory(prefix="ultron-retrieval-") as folder:
            measure_locomo(World(Path(folder)), list(read_locomo(locomo)))
    else:
        say(set="locomo", skipped="not in the data folder")
    if session_sets(data):
        with tempfile.TemporaryDirectory(prefix="ultron-retrieval-") as folder:
            measure_agents(World(Path(folder)), data, seed)
    else:
        say(set="agent_sessions", skipped="not in the data folder")
    folders = [f for f in (longmemeval, data, data / "retrieval") if f is not None]
    for size in ("s", "m"):
        path = find_longmemeval(folders, size)
        if path is None:
            say(set=f"longmemeval_{size}", skipped="not in the data folder")
            continue
        with tempfile.TemporaryDirectory(prefix="ultron-retrieval-") as folder:
            measure_longmemeval(World(Path(folder)), f"longmemeval_{size}", path, limit)


def say(**fields) -> None:
    print(json.dumps({"benchmark": "retrieval", **fields}, ensure_ascii=False), flush=True)


# --- LoCoMo -----------------------------------------------------------------------------------------------


def measure_locomo(world: World, haystacks: Sequence[Haystack]) -> None:
    with world.ultron:
        begin = time.perf_counter()
        for haystack in haystacks:
            world.ingest(haystack)
        sessions = sum(len(h.sessions) for h in haystacks)
        say(set="locomo", lane="ingest", n=sessions, seconds=round(time.perf_counter() - begin, 2))
        names = world.names()
        asked, seconds = [], 0.0
        for haystack in haystacks:
            for question, ranked, took in world.ask(haystack):
                matches = match_windows(world.ultron.runtime, question.text, DEPTH, agent_id=haystack.agent)
                asked.append(Asked(question, haystack.agent, matches, names, {"fused": ranked}))
                seconds += took
        spoken(world, haystacks)
    report_lanes("locomo", asked, seconds)
    held_out(asked)


def spoken(world: World, haystacks: Sequence[Haystack]) -> None:
    """How often the first hit is not weak, for questions asked of their own conversation and of the next one."""
    for name, shift in (("locomo_own", 0), ("locomo_foreign", 1)):
        first = []
        for n, haystack in enumerate(haystacks):
            world.now = haystack.asked_at
            agent = haystacks[(n + shift) % len(haystacks)].agent
            for question in haystack.questions:
                hits = world.ultron.search_sessions(question.text, 1, agent_id=agent)
                first.append("none" if not hits else "weak" if hits[0].weak else "spoken")
        shares = {kind: round(first.count(kind) / len(first), 4) for kind in ("spoken", "weak", "none")}
        say(set=name, lane="fused", n=len(first), **shares)


def report_lanes(name: str, asked: Sequence[Asked], seconds: float) -> None:
    for lane, weights in LANES.items():
        for one in asked:
            one.ranked.setdefault(lane, rank(one, weights))
        report(name, lane, asked, seconds if lane == "fused" else None, weights)


def rank(asked: Asked, weights: LaneWeights) -> list[str]:
    found = rank_sessions(asked.matches.windows, asked.matches.idf, weights)
    return [asked.names[hit.session] for hit in found[:DEPTH]]


def held_out(asked: Sequence[Asked]) -> None:
    """Each conversation ranked with the weights that have the best sum of marks on the others."""
    marks = {w: np.array([score(rank(one, w), one.question.gold) for one in asked]) for w in GRID}
    agents = np.array([one.agent for one in asked])
    for agent in dict.fromkeys(agents):
        best = max(GRID, key=lambda w: float(marks[w][agents != agent].mean(axis=0).sum()))
        for one in asked:
            if one.agent == agent:
                one.ranked["fused_held_out"] = rank(one, best)
        say(set="locomo", lane="weights", held_out=str(agent), **as_dict(best))
    report("locomo", "fused_held_out", asked, None, None)


def report(
    name: str, lane: str, asked: Sequence[Asked], seconds: float | None, weights: LaneWeights | None
) -> None:
    groups: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        groups["all"].append(one)
        groups[one.question.group].append(one)
    for group in sorted(groups):
        marks = np.array([score(one.ranked[lane], one.question.gold) for one in groups[group]]).mean(axis=0)
        named = zip(("frac1", "frac5", "frac10", "hit1", "mrr"), marks, strict=True)
        more = {"seconds": round(seconds, 2)} if seconds is not None and group == "all" else {}
        if weights is not None and group == "all":
            more |= as_dict(weights)
        say(
            set=name,
            lane=lane,
            category=group,
            n=len(groups[group]),
            **{key: round(float(mark), 4) for key, mark in named},
            **more,
        )


def as_dict(weights: LaneWeights) -> dict[str, list[float]]:
    return {"weights": [weights.vector, weights.words, weights.around]}


def score(ranked: Sequence[str], gold: frozenset[str]) -> list[float]:
    if not gold:
        return [1.0] * 5
    shares = [len(gold & set(ranked[:k])) / len(gold) for k in KS]
    first = next((place for place, name in enumerate(ranked, 1) if name in gold), None)
    return [*shares, float(first == 1), 1 / first if first else 0.0]


# --- agent sessions ---------------------------------------------------------------------------------------


def measure_agents(world: World, data: Path, seed: int) -> None:
    """Items that only one session contains, searched across all of them."""
    sessions = read_agent_sessions(data, PER_SOURCE, seed)
    with world.ultron:
        begin = time.perf_counter()
        drop = world.folder / "agents"
        drop.mkdir()
        for session in sessions:
            (drop / f"{session.name}.jsonl").write_bytes(session.body)
        world.ultron.ingest([drop], "agents")
        prepare(world.ultron)
        say(
            set="agent_sessions",
            lane="ingest",
            n=len(sessions),
            seconds=round(time.perf_counter() - begin, 2),
        )
        names = world.names()
        asked, seconds = [], 0.0
        for question in draw_items(sessions, seed):
            begin = time.perf_counter()
            hits = world.ultron.search_sessions(question.text, DEPTH, all_agents=True)
            seconds += time.perf_counter() - begin
            matches = match_windows(world.ultron.runtime, question.text, DEPTH)
            ranked = {"fused": [names[hit.session_id] for hit in hits]}
            asked.append(Asked(question, "agents", matches, names, ranked))
    report_lanes("agent_sessions", asked, seconds)


# --- LongMemEval ------------------------------------------------------------------------------------------


def measure_longmemeval(world: World, name: str, path: Path, limit: int | None) -> None:
    marks: dict[tuple[str, str], list[list[float]]] = defaultdict(list)
    seconds = ingest = 0.0
    with world.ultron:
        for haystack in itertools.islice(read_longmemeval(path), limit):
            begin = time.perf_counter()
            world.ingest(haystack)
            ingest += time.perf_counter() - begin
            for question, ranked, took in world.ask(haystack):
                seconds += took
                for subset in question.subsets:
                    for group in ("all", question.group):
                        marks[subset, group].append(recalls(ranked, question.gold))
    for (subset, group), rows in sorted(marks.items()):
        means = np.array(rows).mean(axis=0)
        names = [f"{kind}{k}" for kind in ("any", "all") for k in KS]
        found = {key: round(float(mean), 4) for key, mean in zip(names, means, strict=True)}
        times = {"seconds": round(seconds, 2), "ingest_seconds": round(ingest, 2)}
        more = times if (subset, group) == ("all", "all") else {}
        say(set=name, lane="fused", subset=subset, category=group, n=len(rows), **found, **more)


def recalls(ranked: Sequence[str], gold: frozenset[str]) -> list[float]:
    found = [gold & set(ranked[:k]) for k in KS]
    return [float(bool(hit)) for hit in found] + [float(hit == gold) for hit in found]


if __name__ == "__main__":
    sys.exit(main())
