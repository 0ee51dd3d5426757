"""A day of the queue at any number of files, simulated on measured costs.

    python benchmarks/load/fleet.py [--files 1000000] [--cores 4] [--batch 500] [--peak 3] [--tick 15] ...

Files arrive over a day, at noon `--peak` times as often as at midnight. The drop sensor's own rule cuts the batches
(`ultron_pipelines/triggers/queue.py`); each stage is asked for at the next tick after the one before it is done, runs
wait in one queue, and a run takes a core for its start and then for what its files cost. PostgreSQL is on a machine of
its own and never the bottleneck here: its CPU is added up and reported.

Simulated, not measured: what a run, a stage and a file cost is measured (docs/scale.md), how they queue is computed.
One line: `runs`, `files_done` within the day and the two hours after it, seconds from arrival to memories
(`p50`, `p95`, `worst`), `busy` (share of the cores), `start_share` (of the CPU, for starting runs), `postgres_cores`
(mean), `longest_queue` (runs).
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import math
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ultron_core.steps.files.drop_folder import SeenFile
from ultron_core.steps.files.identity import IngestFile
from ultron_pipelines.triggers.queue import ActiveRun, next_batches

DAY = 86_400
#: after the day nothing arrives, and what waits is worked off
AFTER = 7_200
#: docs/scale.md: CPU of our process and of PostgreSQL, ms a file
COSTS = {
    "session_files": (6.1, 16.0),
    "segments": (23.8, 1.3),
    "quality_labels": (26.6, 2.7),
    "extracted_memories": (10.1, 4.1),
    "message_windows": (37.4, 9.5),
}
NEXT = {
    "session_files": ("segments", "message_windows"),
    "segments": ("quality_labels",),
    "quality_labels": ("extracted_memories",),
}


@dataclass(frozen=True, slots=True)
class Fleet:
    """What is simulated."""

    files: int
    cores: int
    batch: int = 500
    peak: float = 3.0
    start_seconds: float = 5.0
    #: how often sensors look; a change is seen at the next tick
    tick: int = 15
    seed: int = 1


@dataclass(slots=True)
class Run:
    stage: str
    keys: tuple[str, ...]


@dataclass
class State:
    """The queue, the cores, and what has been added up."""

    waiting: dict[str, SeenFile] = field(default_factory=dict)
    queue: deque[Run] = field(default_factory=deque)
    #: (end, number, run): what is at work
    working: list[tuple[float, int, Run]] = field(default_factory=list)
    #: partitions whose stage is to be asked for at the next tick
    ready: dict[str, list[str]] = field(default_factory=dict)
    arrived: dict[str, float] = field(default_factory=dict)
    latencies: list[float] = field(default_factory=list)
    runs: int = 0
    cpu: float = 0.0
    starting: float = 0.0
    postgres: float = 0.0
    longest: int = 0
    seen: int = 0


def arrivals(fleet: Fleet) -> Iterator[float]:
    """Times of day, more of them at noon than at midnight."""
    draw = random.Random(fleet.seed)
    low, high = 2 / (fleet.peak + 1), 2 * fleet.peak / (fleet.peak + 1)
    for number in range(fleet.files):
        while True:
            at = (number + draw.random()) / fleet.files * DAY if fleet.peak == 1 else draw.random() * DAY
            rate = low + (high - low) * (1 - math.cos(2 * math.pi * at / DAY)) / 2
            if draw.random() * high <= rate:
                yield at
                break


def simulate(fleet: Fleet) -> dict[str, float]:
    """The line that is printed."""
    state, numbers = State(), itertools.count()
    coming = deque(sorted(arrivals(fleet)))
    for tick in range(fleet.tick, DAY + AFTER + fleet.tick, fleet.tick):
        _work(state, fleet, tick, numbers)
        while coming and coming[0] <= tick:
            _arrive(state, coming.popleft())
        _ask(state, fleet)
        _work(state, fleet, tick, numbers)
        state.longest = max(state.longest, len(state.queue))
        if not coming and not state.working and not state.queue and not state.waiting and not state.ready:
            break
    done = sorted(state.latencies)
    return {
        "files": fleet.files,
        "cores": fleet.cores,
        "batch": fleet.batch,
        "tick": fleet.tick,
        "runs": state.runs,
        "files_done": len(done),
        "p50": round(done[len(done) // 2]) if done else 0,
        "p95": round(done[int(len(done) * 0.95)]) if done else 0,
        "worst": round(done[-1]) if done else 0,
        "busy": round(state.cpu / (fleet.cores * DAY), 3),
        "start_share": round(state.starting / state.cpu, 3) if state.cpu else 0,
        "postgres_cores": round(state.postgres / DAY, 2),
        "longest_queue": state.longest,
    }


def _arrive(state: State, at: float) -> None:
    key = f"f{state.seen:08}"
    state.seen += 1
    state.arrived[key] = at
    state.waiting[key] = SeenFile(key, IngestFile(Path(key), "agent", key), 2900, int(at * 1e9))


def _ask(state: State, fleet: Fleet) -> None:
    """One tick of the sensors: the next batches of files, and each stage for what is ready for it."""
    ingests = [(run, True) for run in state.queue if run.stage == "session_files"]
    ingests += [(run, False) for _, _, run in state.working if run.stage == "session_files"]
    active = [ActiveRun(frozenset(run.keys), queued) for run, queued in ingests]
    # the oldest are enough: more than these are never cut in one tick
    first = list(itertools.islice(state.waiting.values(), 4 * fleet.batch))
    for files in next_batches(first, active, fleet.batch):
        state.queue.append(Run("session_files", tuple(file.key for file in files)))
        for file in files:
            del state.waiting[file.key]
    for stage, keys in state.ready.items():
        for begin in range(0, len(keys), fleet.batch):
            state.queue.append(Run(stage, tuple(keys[begin : begin + fleet.batch])))
    state.ready = {}


def _work(state: State, fleet: Fleet, now: float, numbers: Iterator[int]) -> None:
    """End what is done by now; a free core takes the next run of the queue at once."""
    while state.working and state.working[0][0] <= now:
        end, _, run = heapq.heappop(state.working)
        _finish(state, run, end)
        _start(state, fleet, end, numbers)
    _start(state, fleet, now, numbers)


def _start(state: State, fleet: Fleet, now: float, numbers: Iterator[int]) -> None:
    while state.queue and len(state.working) < fleet.cores:
        run = state.queue.popleft()
        own, database = (cost * len(run.keys) / 1000 for cost in COSTS[run.stage])
        state.runs += 1
        state.cpu += fleet.start_seconds + own
        state.starting += fleet.start_seconds
        state.postgres += database
        # a step waits for the database while it writes
        heapq.heappush(state.working, (now + fleet.start_seconds + own + database, next(numbers), run))


def _finish(state: State, run: Run, end: float) -> None:
    for stage in NEXT.get(run.stage, ()):
        state.ready.setdefault(stage, []).extend(run.keys)
    if run.stage == "extracted_memories":
        state.latencies += [end - state.arrived.pop(key) for key in run.keys]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--cores", type=int, default=4)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--peak", type=float, default=3.0)
    parser.add_argument("--start-seconds", type=float, default=5.0)
    parser.add_argument("--tick", type=int, default=15)
    given = parser.parse_args()
    fleet = Fleet(given.files, given.cores, given.batch, given.peak, given.start_seconds, given.tick)
    print(json.dumps(simulate(fleet)))


if __name__ == "__main__":
    main()
