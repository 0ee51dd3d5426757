"""`make demo`: the example sessions through the whole graph, offline, and a summary of the results.

The examples are copied into the drop folder, and the jobs run that sensors and schedules would start.
Everything stays in the data folder, where `ultron dev` shows it. A second run finds nothing new.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ultron_core.cli.output import console
from ultron_core.client import Ultron
from ultron_core.errors import UltronError
from ultron_core.folders import find_home, make_folders, make_home
from ultron_core.settings import CONFIG_FILE, DEMO_MARK, Settings
from ultron_pipelines.host.launch import dagster_environment

__all__ = ["main"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "sessions"
SEARCHES = (
    "should the watch command collect statistics",
    "migration changes a column in SQLite",
    "SQLite 迁移时不支持修改列",
)
_CONFIG = f"""\
# {DEMO_MARK}. The examples are finished logs, so their last task counts as finished right away.
# Remove the line when logs are still being written (default: 30 minutes).
session_quiet_minutes = 0
"""


def main() -> None:
    """Run the demo; exit code 1 with one message when something needs fixing first."""
    started = time.monotonic()
    out = console()
    try:
        _run(out)
    except UltronError as error:
        console(stderr=True).print(f"demo: {error}", style="bold red")
        sys.exit(1)
    out.print(
        f"\nDone in {time.monotonic() - started:.0f} s. Next: `make dev`, `.venv/bin/ultron --home .ultron search ...`,"
        " or your own logs: `.venv/bin/ultron ingest --claude-code`."
    )


def _run(out: Console) -> None:
    home = Settings.load().store.home
    _write_config(home)
    settings = Settings.load()
    copied = _copy_examples(settings.sessions_dir)
    own = find_home({name: value for name, value in os.environ.items() if name != "ULTRON_HOME"})
    out.print(
        f"Demo store {home}, apart from your own ({own}); {copied} example sessions copied into its drop folder.",
        soft_wrap=True,
    )
    with dagster_environment(settings) as variables:
        os.environ.update(variables)
        os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
        changed = _materialize(out)
        with Ultron(Settings.load()) as ultron:
            if not changed:
                out.print("Nothing new: no file changed, no row was written.")
            _print_summary(out, ultron)
            _print_searches(out, ultron)


def _write_config(home: Path) -> None:
    make_home(home)
    if not (home / CONFIG_FILE).exists():
        (home / CONFIG_FILE).write_text(_CONFIG, "utf-8")


def _copy_examples(target: Path) -> int:
    copied = 0
    for source in sorted(EXAMPLES.rglob("*.jsonl")):
        place = target / source.relative_to(EXAMPLES)
        if not place.exists():
            make_folders(place.parent)
            shutil.copy2(source, place)
            copied += 1
    if not any(target.rglob("*.jsonl")):
        raise UltronError(
            f"{EXAMPLES} contains no example sessions: run the demo from a clone of the project."
        )
    return copied


def _materialize(out: Console) -> bool:
    """Run the jobs in the order of the data's path; False when no file was new or changed."""
    import dagster as dg  # takes a second and a half: imported after the first line is printed

    from ultron_pipelines.build import build_defs
    from ultron_pipelines.demo.runs import DemoRuns

    with dg.DagsterInstance.get() as instance:
        runs = DemoRuns(build_defs(Settings.load()), instance)
        keys = runs.new_keys()
        if not keys and runs.finished_before():
            return False
        for line in runs.all(keys):
            out.print(f"  {line}")
    return True


def _print_summary(out: Console, ultron: Ultron) -> None:
    stats = ultron.trajectory_service.get_trajectory_stats()
    memory = ultron.get_memory_stats()
    sessions, segments = stats["sessions"], stats["segments"]
    rows: list[tuple[str, Any]] = [
        ("sessions", sessions["total"]),
        ("  unreadable", sessions["failed"]),
        ("messages", sessions["messages"]),
        ("task segments", segments["total"]),
        ("  labelled", segments["labeled"]),
        ("  good enough to train on", segments["sft_eligible"]),
        ("memories", memory["total"]),
        *((f"  {kind}", count) for kind, count in sorted(memory["by_type"].items())),
        ("  only said by an agent", memory["by_status"]["claimed"]),
    ]
    _print_table(out, ("what", "count"), rows)


def _print_table(out: Console, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    made = Table(show_edge=False, pad_edge=False)
    for name in columns:
        made.add_column(name, overflow="fold")
    for row in rows:
        made.add_row(*[str(cell).replace("[", "\\[") for cell in row])
    out.print()
    out.print(made)


def _print_searches(out: Console, ultron: Ultron) -> None:
    from ultron_core.steps.overview import newest_dataset

    for query in SEARCHES:
        hits = ultron.search_memories(query, limit=3, record_hits=False, claimed=True)
        out.print(f"\nsearch: {query}", style="bold")
        for hit in hits:
            mark = "weak" if hit.weak else ""
            who = "The agent said: " if hit.record.status == "claimed" else ""
            line = f"  {hit.score:.2f} {mark:4} {hit.record.memory_type:10} {who}{hit.record.summary_l0}"
            out.print(line)
        if not hits:
            out.print("  nothing found")
    dataset = newest_dataset(ultron.runtime)
    if dataset:
        out.print(f"\nSFT dataset: {dataset['rows']} rows in {dataset['path']}", soft_wrap=True)
        rejects = ", ".join(f"{n} {reason}" for reason, n in dataset["manifest"]["rejects"].items())
        out.print(f"  left out (reasons in its rejects.parquet): {rejects}", soft_wrap=True)


if __name__ == "__main__":
    main()
