"""What very long logs cost: seconds, CPU and memory of every stage, each in a process of its own.

    python benchmarks/load/long.py [--lines 10000 40000] [--thread 100000] [--stages ...] [--keep DIR]

For each number of lines one log of short lines (pipeline_parts/long_logs.py), half of them in threads of sub-agents,
and for each number of `--thread` a log of one thread of so many messages, go through every stage in a home of its own,
offline. One line a stage: `set`, `n` (lines), `seconds`, `cpu_s` of its process, `database_cpu_s` of the server,
`peak_mb` of its process and `database_mb`, the most that one process of the server held by itself; then `all`, with
the most of each. From the second number on `times` says how many times the CPU of the first one that is: linear is
the quotient of the lines, and the exit code is 1 when it is more than `--most-times` that or when a process took more
than `--most-mb`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inputs.places import kept_or_temporary
from pipeline_parts.long_logs import write_long_log

from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.clusters.reshape import reshape_clusters
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.steps.stages.process import STEPS, process_pending
from ultron_core.steps.stages.waiting.loop import run_batch

_MB = 2**20
_AGENT = "made"
#: seconds between two looks at the memory of the server's processes
_LOOK = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, nargs="*", default=[10_000, 40_000])
    parser.add_argument("--thread", type=int, nargs="*", default=[], help="messages of a log of one thread")
    parser.add_argument("--stages", nargs="+", choices=list(STAGES), default=list(STAGES))
    parser.add_argument("--most-times", type=float, default=1.0, help="of the quotient of the lines")
    parser.add_argument("--most-mb", type=float, default=1024.0)
    parser.add_argument(
        "--keep", type=Path, help="a folder that stays; what is there already is not done again"
    )
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        _run_one(args.one, args.keep)
        return 0
    sets = [*((lines, False) for lines in args.lines), *((messages, True) for messages in args.thread)]
    kept, base = True, 0.0
    for lines, one_thread in sets:
        name = f"{lines}-thread" if one_thread else str(lines)
        with kept_or_temporary(args.keep and args.keep / name, "ultron-long-") as folder:
            spent, peak = _measure(folder, lines, args.stages, one_thread=one_thread)
        base = base or spent
        times, most = spent / base, max(1.0, args.most_times * lines / sets[0][0])
        _say("all", lines, one_thread, cpu_s=round(spent, 1), peak_mb=round(peak), times=round(times, 2))
        kept = kept and peak <= args.most_mb and times <= most
    return 0 if kept else 1


def _measure(folder: Path, lines: int, stages: list[str], *, one_thread: bool) -> tuple[float, float]:
    """Seconds of CPU in all stages, the server's included, and the most megabytes of one of our processes."""
    drop = folder / "drop" / _AGENT
    if not drop.exists():
        write_long_log(drop / "long.jsonl", lines, one_thread=one_thread)
    spent, peak = 0.0, 0.0
    with Ultron(_settings(folder)) as ultron:
        server = _Server(ultron)
        for stage in stages:
            begun, before = time.monotonic(), server.cpu()
            with server.watched() as watched:
                told = subprocess.run(
                    [sys.executable, __file__, "--one", stage, "--keep", str(folder)],
                    check=True,
                    stdout=subprocess.PIPE,
                )
            figures = json.loads(told.stdout.splitlines()[-1])
            database = server.cpu() - before
            spent, peak = spent + figures["cpu_s"] + database, max(peak, figures["peak_mb"])
            more = {"database_cpu_s": round(database, 1), "database_mb": round(watched.most / _MB)}
            _say(stage, lines, one_thread, seconds=round(time.monotonic() - begun, 1), **figures, **more)
    return spent, peak


def _say(name: str, lines: int, one_thread: bool, **figures: Any) -> None:
    row = {"benchmark": "long", "set": name, "n": lines, "threads": "one" if one_thread else "many"}
    print(json.dumps({**row, **figures}), flush=True)


def _settings(folder: Path) -> Settings:
    return Settings(
        store=StoreSettings(home=folder / "home"),
        llm=LLMSettings(offline=True),
        sessions=SessionSettings(sessions_dir=folder / "drop", quiet_minutes=0),
    )


def _run_one(stage: str, folder: Path) -> None:
    """One stage in this process; its figures as the last line of the output."""
    with Ultron(_settings(folder)) as ultron:
        counts = STAGES[stage](ultron, folder)
    used = resource.getrusage(resource.RUSAGE_SELF)
    figures = {"cpu_s": round(used.ru_utime + used.ru_stime, 1), "peak_mb": round(used.ru_maxrss / 1024)}
    print(json.dumps({**figures, **counts}))


def _ingest(ultron: Ultron, folder: Path) -> dict[str, int]:
    results = ultron.ingest([folder / "drop" / _AGENT], _AGENT)["results"]
    return {"messages": sum(result["messages"] for result in results)}


def _stage(name: str) -> Callable[[Ultron, Path], dict[str, int]]:
    def work(ultron: Ultron, _: Path) -> dict[str, int]:
        step = next(step for step in STEPS if step.stage.name == name)
        rows = 0
        while results := run_batch(ultron.runtime, step):
            rows += len(results)
            failed = [result.error for result in results if result.status not in ("done", "refused")]
            if failed:
                raise SystemExit(f"{name}: {failed[0]}")
        return {"rows": rows}

    return work


def _process(ultron: Ultron, _: Path) -> dict[str, int]:
    report = process_pending(ultron.runtime)
    return {"left": report.pending + report.failed}


def _tiers(ultron: Ultron, _: Path) -> dict[str, int]:
    return {"memories": ultron.run_tier_rebalance().total}


def _clusters(ultron: Ultron, _: Path) -> dict[str, int]:
    ultron.clusters.run_initial_clustering()
    return {"reshaped": sum(reshape_clusters(ultron.runtime))}


def _sft(ultron: Ultron, folder: Path) -> dict[str, int]:
    request = ExportRequest(out_dir=folder / "exports", evidence="any")
    return {"rows": export_dataset(ultron.runtime, request).rows}


def _search(ultron: Ultron, _: Path) -> dict[str, int]:
    questions = ("coupon reader KeyError", "how are the invoice tests run", "refund 测试")
    found = [len(ultron.search_sessions(question)) for question in questions for _ in range(10)]
    found += [len(ultron.search_memories(question)) for question in questions for _ in range(10)]
    return {"found": sum(found)}


STAGES: dict[str, Callable[[Ultron, Path], dict[str, int]]] = {
    "ingest": _ingest,
    **{step.stage.name: _stage(step.stage.name) for step in STEPS},
    "process": _process,
    "tiers": _tiers,
    "clusters": _clusters,
    "sft": _sft,
    "search": _search,
}


class _Server:
    """The embedded server with all of its processes."""

    def __init__(self, ultron: Ultron) -> None:
        with ultron.runtime.database.direct() as conn:
            row = conn.execute("SELECT pg_backend_pid() AS pid").fetchone()
            assert row is not None
            parent = psutil.Process(row["pid"]).parent()
        assert parent is not None
        self._server = parent

    def cpu(self) -> float:
        """Seconds so far, of processes that have ended, too."""
        own = self._server.cpu_times()
        total = own.user + own.system + own.children_user + own.children_system
        for child in self._server.children():
            times = child.cpu_times()
            total += times.user + times.system
        return total

    def watched(self) -> _Watched:
        return _Watched(self._server)


class _Watched:
    """The most memory that one process of a server held beside what all share, while the block runs."""

    def __init__(self, server: psutil.Process) -> None:
        self._parent, self._over = server, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.most = 0

    def _watch(self) -> None:
        while not self._over.wait(_LOOK):
            for child in self._parent.children():
                with contextlib.suppress(psutil.Error):
                    held = child.memory_info()
                    self.most = max(self.most, held.rss - held.shared)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


if __name__ == "__main__":
    sys.exit(main())
