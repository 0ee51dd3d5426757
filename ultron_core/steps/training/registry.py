"""The registry of runs and adapters: who looks at it, and what a killed run left is put right before the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ultron_core.errors import UnknownNameError
from ultron_core.folders import is_taken
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.training import runs
from ultron_core.training.folder import take_up

__all__ = ["LOCK", "Run", "list_runs", "register", "show_run", "take_up_killed"]

#: in the folder of adapters, held while one is trained
LOCK = ".training.lock"


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it is listed; only a finished one has an adapter."""

    name: str
    #: running, finished, stopped, or killed until the next run puts that right
    status: str
    promoted: bool
    tainted_at: datetime | None
    rows: int
    parent: str | None
    base: str
    base_hash: str
    dataset: str
    dataset_hash: str
    settings: Mapping[str, Any]
    seed: int
    device: str
    path: Path
    #: what stands in the manifest of losses, calls and the verdict; empty for a run without an adapter
    report: Mapping[str, Any]
    error: str | None
    started_at: datetime
    ended_at: datetime | None


def list_runs(runtime: Runtime, name: str | None = None) -> list[Run]:
    """All runs, newest first; adapters whose rows were erased since are marked."""

    def work(conn: Any) -> list[dict[str, Any]]:
        runs.taint(conn, runtime.account_id, runtime.clock())
        return runs.listing(conn, runtime.account_id, name)

    alive = is_taken(runtime.settings.adapters_dir / LOCK)
    found = []
    for row in runtime.database.run(work):
        status = "killed" if row["status"] == "running" and not alive else row["status"]
        known = {field: row[field] for field in Run.__dataclass_fields__}
        found.append(Run(**{**known, "status": status, "path": Path(row["path"])}))
    return found


def show_run(runtime: Runtime, name: str) -> Run:
    """One run. Raises UnknownNameError."""
    found = list_runs(runtime, name)
    if not found:
        raise UnknownNameError("run", name, [run.name for run in list_runs(runtime)])
    return found[0]


def take_up_killed(runtime: Runtime) -> None:
    """Runs that were killed: one whose files are whole is finished, of the others nothing stays but their row. The
    caller holds the lock."""
    with runtime.database.transaction() as conn:
        left = runs.unended(conn, runtime.account_id)
    for row in left:
        target = Path(row["path"])
        if target.parent != runtime.settings.adapters_dir.resolve():
            continue  # of another machine
        manifest = take_up(target)
        if manifest is not None:
            register(runtime, row["id"], manifest)
        else:
            _stop(runtime, row["id"], "killed")


def register(runtime: Runtime, run_id: Any, manifest: Mapping[str, Any]) -> None:
    """The run of a published folder is finished."""
    report = {
        name: manifest[name] for name in ("before", "after", "of_seeds", "verdict", "counts", "seconds")
    }
    runtime.database.run(
        lambda conn: runs.finish(
            conn,
            runtime.account_id,
            run_id,
            runtime.clock(),
            report=report,
            promoted=manifest["verdict"]["promoted"],
            rows=manifest["rows"],
        )
    )


def _stop(runtime: Runtime, run_id: Any, error: str) -> None:
    runtime.database.run(lambda conn: runs.stop(conn, runtime.account_id, run_id, runtime.clock(), error))
