"""Many files dropped under a running `ultron dev`: what the queue asks for, how long a look takes, what Dagster costs.

    python benchmarks/load/drop.py [--data DIR] [--files 20000] [--path core|dagster|seen|told] [--idle 180]
                                  [--keep DIR] [--batch 500] [--most-cpu-ms 400]

Files of about 3 kB (pipeline_parts/files.py) wait in the drop folder when `ultron dev` begins; offline. With `--path
dagster` every stage is left to its sensors and runs; with `--path core` the daemon reads the files, then this process
does the other stages and one run of `reconcile_events` tells Dagster. With `--path told` there
are no files: keys and their events alone, for what Dagster itself costs at so many. With `--path seen` there are keys,
their events, and files of which the ledger says that they were read: for what looking at them costs. Lines, in order:

queue      runs that read files, the most that were queued at once, events a file, seconds of the ticks meanwhile
path       files a second until the last stage is told, CPU by process, how much of it is not the work itself
           (`--core-ms`: what benchmarks/pipeline.py says a file costs, in our process and in PostgreSQL together)
unchanged  seconds of the ticks when nothing changes, and rows written in schema `ultron` meanwhile
idle       CPU in per cent of one core, with all sensors and without them
storage    bytes a file and asset in Dagster's database; our tables and indexes, and the vectors, against the raw bytes

The exit code is 1 when more runs or events were made than docs/scale.md allows, or when a file costs more CPU,
Dagster and PostgreSQL included, than `--most-cpu-ms`. `--idle 0` leaves `unchanged` and `idle` out.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inputs.places import arguments, kept_or_temporary
from load.dev import Dev
from pipeline_parts.files import write_drop

from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.files.drop_folder import scan
from ultron_core.steps.files.snapshot import FileFacts
from ultron_core.steps.stages.process import process_pending
from ultron_core.steps.stages.table import FILES, MEMORIES, STAGES, WINDOWS
from ultron_core.store.tables import sessions as session_store
from ultron_pipelines.triggers.queue import MOST_QUEUED

_ASSETS = (FILES, *(stage.name for stage in STAGES))
#: these would find that the work was not done
_WORKERS = ("pending_work_sensor", "reconcile_sensor")
#: a file is told once; a batch in which a file failed may be told again
_MOST_EVENTS = 1.02
_HOURS = 3 * 3600.0


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--path", choices=("core", "dagster", "seen", "told"), default="core")
    parser.add_argument("--core-ms", type=float, default=0.0)
    parser.add_argument("--idle", type=float, default=180.0, help="seconds of each measurement without work")
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--most-cpu-ms", type=float, default=math.inf)
    parser.add_argument("--keep", type=Path, help="a folder that stays, for a look at the pages")
    args = parser.parse_args()
    with kept_or_temporary(args.keep, "ultron-drop-") as folder:
        return 0 if _drop(folder, args) else 1


def _drop(folder: Path, args: Namespace) -> bool:
    """Whether it kept within what is allowed."""
    raw = 0 if args.path == "told" else write_drop(folder / "sessions", args.data, args.files)
    settings = Settings(
        store=StoreSettings(home=folder / "home"),
        llm=LLMSettings(offline=True),
        sessions=SessionSettings(sessions_dir=folder / "sessions", quiet_minutes=0, run_files=args.batch),
    )
    with Ultron(settings) as ultron:
        if args.path == "seen":
            _note_as_read(ultron)
        return _watched(ultron, folder, args, raw)


def _note_as_read(ultron: Ultron) -> None:
    """In the ledger of the drop folder, where every file is new."""
    runtime = ultron.runtime
    with runtime.database.transaction() as conn:
        for seen in scan(runtime).changed:
            assert isinstance(seen.file.path, Path)
            values = {
                **runtime.account,
                **FileFacts.of(seen.file.path.stat())._asdict(),
                "agent_id": seen.file.agent_id,
                "session_file": seen.file.session_file,
                "partition_key": seen.key,
                "path": str(seen.file.path),
                "private_path": os.fsencode(seen.file.path),
                "sha256": "0" * 64,
                "state": "ingested",
                "attempts": 0,
                "next_try": None,
                "error": None,
                "now": runtime.clock(),
            }
            session_store.upsert_source_file(conn, values)


def _watched(ultron: Ultron, folder: Path, args: Namespace, raw: int) -> bool:
    with Dev.running(ultron, folder / "dev.log", ULTRON_RUN_FILES=str(args.batch)) as dev:
        if args.path != "dagster":
            dev.switch(False, but=("session_drop_sensor",))  # of files that were read it asks for nothing
        kept = args.path in ("seen", "told") or _queue(dev, args.files, args.batch)
        if args.path == "dagster":
            kept = _path(dev, args) <= args.most_cpu_ms and kept
        elif args.path == "core":
            _by_core(ultron, dev, args.files)
        else:
            keys = [f"made/{number // 1000:03}/{number:06}.jsonl" for number in range(args.files)]
            dev.tell_without_work(_ASSETS, keys)
        if args.idle:
            _unchanged(dev, args.idle, _WORKERS if args.path in ("seen", "told") else ())
            _idle(dev, args.idle)
        _storage(dev, args.files, raw)
    return kept


def _say(name: str, files: int, **figures: Any) -> None:
    print(json.dumps({"benchmark": "drop", "set": name, "n": files, **figures}), flush=True)


def _queue(dev: Dev, files: int, batch: int) -> bool:
    """Whether no more was requested, queued and told than is allowed."""
    most = 0

    def told() -> bool:
        nonlocal most
        by_status = dev.runs("ingest_sessions")
        most = max(most, by_status.get("QUEUED", 0) + by_status.get("NOT_STARTED", 0))
        return dev.told(FILES)[0] == files

    took = dev.wait(told, _HOURS, every=0.5)
    ticks = [tick for tick in dev.ticks("session_drop_sensor") if tick["runs"]]
    later = [tick["seconds"] for tick in dev.ticks("session_drop_sensor")[1:]]
    runs, allowed = sum(dev.runs("ingest_sessions").values()), math.floor(1.05 * math.ceil(files / batch))
    events = dev.told(FILES)[1] / files
    _say(
        "queue",
        files,
        seconds=round(took, 1),
        runs=runs,
        most_runs=allowed,
        queued=most,
        events_per_file=round(events, 4),
        first_tick=round(ticks[0]["seconds"], 2),
        later_ticks=len(later),
        later_tick_worst=round(max(later, default=0.0), 2),
        later_tick_median=round(_median(later), 2),
    )
    return runs <= allowed and events <= _MOST_EVENTS and most <= MOST_QUEUED


def _median(numbers: list[float]) -> float:
    return sorted(numbers)[len(numbers) // 2] if numbers else 0.0


def _path(dev: Dev, args: Namespace) -> float:
    """From the first tick on, everything until the last partition of the last stage is told; milliseconds of CPU a
    file."""
    begin = dev.ticks("session_drop_sensor")[0]["at"]
    dev.wait(lambda: all(dev.told(asset)[0] == args.files for asset in _ASSETS) and dev.is_idle(), _HOURS)
    ((first,),) = dev.rows("SELECT min(extract(epoch FROM created_at)) FROM ultron.memories", dagster=False)
    ((last,),) = dev.rows(
        "SELECT max(extract(epoch FROM timestamp)) FROM event_logs WHERE partition IS NOT NULL"
    )
    spent = dev.cpu()
    total = sum(spent.values()) * 1000 / args.files
    _say(
        "path",
        args.files,
        files_per_s=round(args.files / (float(last) - begin), 2),
        first_memories_s=round(float(first) - begin, 1),
        runs=sum(dev.runs().values()),
        events={asset: round(dev.told(asset)[1] / args.files, 3) for asset in _ASSETS},
        cpu_ms=round(total, 1),
        cpu_s={part: round(seconds, 1) for part, seconds in spent.items()},
        dagster_share=round(1 - args.core_ms / total, 3) if args.core_ms else None,
    )
    return total


def _by_core(ultron: Ultron, dev: Dev, files: int) -> None:
    begin = time.monotonic()
    process_pending(ultron.runtime)
    worked = time.monotonic()
    dev.launch("reconcile_events")
    dev.wait(
        lambda: dev.told(MEMORIES.name)[0] == dev.told(WINDOWS.name)[0] == files and dev.is_idle(), _HOURS
    )
    _say("core", files, seconds=round(worked - begin), told_after=round(time.monotonic() - worked))


def _unchanged(dev: Dev, seconds: float, off: Sequence[str]) -> None:
    def written() -> int:
        query = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables WHERE schemaname = 'ultron'"
        ((count,),) = dev.rows(query, dagster=False)
        return int(count)

    dev.switch(True, but=off)
    time.sleep(30)  # the first looks of the sensors, and what they ask for
    dev.wait(dev.is_idle, _HOURS)
    before, begin = written(), time.time()
    time.sleep(seconds)
    took = [tick["seconds"] for tick in dev.ticks("session_drop_sensor", begin)]
    figures = {"ticks": len(took), "tick_worst": round(max(took), 2), "tick_median": round(_median(took), 2)}
    _say("unchanged", len(dev.partitions()), **figures, rows_written=written() - before)


def _idle(dev: Dev, seconds: float) -> None:
    def percent() -> dict[str, float]:
        before, begin = dev.cpu(), time.monotonic()
        time.sleep(seconds)
        after, passed = dev.cpu(), time.monotonic() - begin
        return {part: round((after[part] - spent) / passed * 100, 1) for part, spent in before.items()}

    on = percent()
    dev.switch(False)
    time.sleep(20)
    off = percent()
    automation = round(sum(on.values()) - sum(off.values()), 1)
    _say("idle", len(dev.partitions()), sensors_percent=automation, on=on, off=off)


def _storage(dev: Dev, files: int, raw: int) -> None:
    sizes = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
    ((dagster,),) = dev.rows(f"{sizes} WHERE relkind = 'r' AND nspname = 'public'")
    ((own,),) = dev.rows(f"{sizes} WHERE relkind = 'r' AND nspname = 'ultron'", dagster=False)
    ((indexes,),) = dev.rows(
        "SELECT coalesce(sum(pg_relation_size(indexrelid)), 0) FROM pg_indexes i JOIN pg_stat_user_indexes s "
        "ON s.indexrelname = i.indexname WHERE i.schemaname = 'ultron' AND indexdef LIKE '%hnsw%'",
        dagster=False,
    )
    ((columns,),) = dev.rows(
        "SELECT coalesce((SELECT sum(pg_column_size(embedding)) FROM ultron.message_windows), 0)"
        " + coalesce((SELECT sum(pg_column_size(embedding) + pg_column_size(exact)) FROM ultron.memory_vectors), 0)",
        dagster=False,
    )
    vectors = int(indexes) + int(columns)
    _say(
        "storage",
        files,
        dagster_bytes_per_file_and_asset=round(int(dagster) / files / len(_ASSETS)),
        raw_bytes=raw,
        own_times_raw=round((int(own) - vectors) / raw, 2) if raw else None,
        vectors_times_raw=round(vectors / raw, 2) if raw else None,
    )


if __name__ == "__main__":
    sys.exit(main())
