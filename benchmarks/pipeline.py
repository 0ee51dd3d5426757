"""What a file costs from the drop folder to its memories, in CPU and wall time.

    python benchmarks/pipeline.py [--data DIR] [--files 500] [--most-cpu-ms 85]

Files of about 3 kB are made of the sessions in DIR (pipeline_parts/files.py), read, segmented, labelled, extracted and
indexed for the search over logs, in one process without Dagster. One line a stage: `set`, `n`, `seconds`, `cpu_ms` and
`wall_ms` a file; the CPU is that of this process, `database_cpu_ms` that of its server. The models are loaded before
the clock starts: that is paid once a process. With --most-cpu-ms the exit code is 1 when a file costs more.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

import psutil
from inputs.places import arguments
from pipeline_parts.files import write_drop

from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.stages.process import process_pending

AGENT = "made"


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--most-cpu-ms", type=float, help="fail when a file costs more CPU than this")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ultron-bench-") as folder:
        spent = _measure(Path(folder), args.data, args.files)
    return 1 if args.most_cpu_ms is not None and spent > args.most_cpu_ms else 0


def _measure(folder: Path, data: Path, files: int) -> float:
    """Milliseconds of CPU a file, in all stages together."""
    size = write_drop(folder / "drop", data, files, AGENT)
    settings = Settings(
        store=StoreSettings(home=folder / "home"),
        llm=LLMSettings(offline=True),
        sessions=SessionSettings(sessions_dir=folder / "drop", quiet_minutes=0),
    )
    with Ultron(settings) as ultron:
        _load_models(ultron, folder)
        clock = _Clock(ultron)
        marks = [("", clock.now())]

        def reached(stage: str, _: int) -> None:
            marks[len(marks) - (stage == marks[-1][0]) :] = [(stage, clock.now())]

        ultron.ingest([folder / "drop" / AGENT], agent_id=AGENT)
        reached("session_files", files)
        report = process_pending(ultron.runtime, reached)
        for (_, before), (stage, after) in itertools.pairwise(marks):
            _say(stage, files, before, after, bytes_per_file=round(size / files))
        return _say("all", files, marks[0][1], marks[-1][1], memories=report.memories, merged=report.merged)


def _load_models(ultron: Ultron, folder: Path) -> None:
    """One session of each language through every stage."""
    for number, text in enumerate(("Please ask John Smith to fix app.py.", "请王小明修复这个错误，谢谢。")):
        path = folder / "first" / f"{number}.jsonl"
        path.parent.mkdir(exist_ok=True)
        turns = [{"role": role, "content": text} for role in ("user", "assistant") * 3]
        path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
        ultron.ingest([path], agent_id="first", process=True)


Spent = tuple[float, float, float]


def _say(stage: str, files: int, before: Spent, after: Spent, **more: float) -> float:
    wall, own, database = (b - a for a, b in zip(before, after, strict=True))
    figures = {
        "cpu_ms": round(own / files * 1000, 2),
        "database_cpu_ms": round(database / files * 1000, 2),
        "wall_ms": round(wall / files * 1000, 2),
        "files_per_s": round(files / wall, 1),
    }
    line = {"benchmark": "pipeline", "set": stage, "n": files, "seconds": round(wall, 2), **figures, **more}
    print(json.dumps(line), flush=True)
    return own / files * 1000


class _Clock:
    """Seconds of the clock, of CPU in this process, and of CPU in the server and all of its processes."""

    def __init__(self, ultron: Ultron) -> None:
        with ultron.runtime.database.direct() as conn:
            row = conn.execute("SELECT pg_backend_pid() AS pid").fetchone()
            assert row is not None
            self._server = psutil.Process(row["pid"]).parent()

    def now(self) -> Spent:
        assert self._server is not None
        own = self._server.cpu_times()
        database = own.user + own.system + own.children_user + own.children_system
        for child in self._server.children():
            times = child.cpu_times()
            database += times.user + times.system
        return time.perf_counter(), time.process_time(), database


if __name__ == "__main__":
    sys.exit(main())
