"""What lies outside the tables of what is erased: logs, hooks' notes, lines of our own log files, datasets, adapters.

All of it goes before the rows by which it is found: files that stay would be read again, rows that stay can be erased
again. What the core does not know is asked of whoever is installed under the entry point `ultron.erased`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ultron_core.paths import is_below
from ultron_core.settings import Settings
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.upkeep.erase_walk import Found
from ultron_core.steps.upkeep.here import adapter_here, dataset_here, log_here, read_from
from ultron_core.store.database import Connection
from ultron_core.store.tables import erasure

__all__ = ["Outside", "ask_others", "find_outside", "remove", "remove_lines", "remove_made"]

#: programs that keep something of sessions: called as (settings, URL of the database, words, whether to change
#: anything), they return how many rows or lines of theirs hold one of the words, by place
GROUP = "ultron.erased"
Other = Callable[[Settings, str, Sequence[str], bool], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Outside:
    """Files that go, or are named."""

    #: in the drop folder of this home
    logs: tuple[Path, ...] = ()
    #: where logs were read from, elsewhere
    origins: tuple[Path, ...] = ()
    #: addresses in a bucket that they were read from
    addresses: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    datasets: tuple[Path, ...] = ()
    adapters: tuple[Path, ...] = ()
    #: partition keys, paths and names that stand in files and rows of others
    words: tuple[str, ...] = ()

    def made(self, settings: Settings) -> list[Path]:
        """Datasets and adapters below the folders where ours are written."""
        return [folder for folder in (*self.datasets, *self.adapters) if _is_ours(settings, folder)]


def find_outside(runtime: Runtime, conn: Connection, found: Found) -> Outside:
    """What belongs to these sessions outside the tables."""
    params = found.params(runtime)
    sha256s = [row["content_sha256"] for row in found.sessions]
    copies = erasure.fetch(conn, "copies", {**params, "sha256s": sha256s}) if sha256s else []
    datasets = erasure.fetch(conn, "datasets", params)
    adapters = erasure.fetch(conn, "adapters", params)
    here = [log_here(runtime.settings, row) for row in found.files]
    paths = [read_from(row) for row in found.files]
    elsewhere = [path for path, log in zip(paths, here, strict=True) if _is_elsewhere(path, log)]
    names = [f"{row['agent_id']}/{row['session_file']}" for row in found.files]
    return Outside(
        tuple(log for log in here if log is not None),
        tuple(Path(path) for path in elsewhere),
        tuple(path for path in paths if "://" in path),
        tuple(row["partition_key"] for row in copies),
        tuple(dataset_here(runtime.settings, Path(row["path"])) for row in datasets),
        tuple(adapter_here(runtime.settings, Path(row["path"])) for row in adapters),
        tuple(dict.fromkeys(word for word in (*found.keys, *paths, *names) if word)),
    )


def _is_elsewhere(path: str, log: Path | None) -> bool:
    return (
        bool(path) and "://" not in path and Path(path).is_file() and (log is None or not log.samefile(path))
    )


def remove(runtime: Runtime, outside: Outside, *, with_file: bool, with_datasets: bool) -> None:
    """Delete the logs in the drop folder, those elsewhere only when asked for, and what names them."""
    for log in (*outside.logs, *(outside.origins if with_file else ())):
        log.unlink(missing_ok=True)
    home = runtime.settings.store.home
    _remove_notes(home, outside.words)
    own = runtime.settings.store.log_file
    for path in {*home.glob("*.log"), *([own] if own else [])}:
        remove_lines(path, outside.words)
    ask_others(runtime, outside.words, change=True)
    if with_datasets:
        remove_made(runtime, outside)


def remove_made(runtime: Runtime, outside: Outside) -> None:
    """Delete datasets and adapters of ours."""
    for folder in outside.made(runtime.settings):
        shutil.rmtree(folder, ignore_errors=True)


def ask_others(runtime: Runtime, words: Sequence[str], *, change: bool) -> dict[str, int]:
    """How much whoever else keeps something of sessions has of these, and has it taken out where it is to `change`."""
    counts: dict[str, int] = {}
    for entry in entry_points(group=GROUP) if words else ():
        other: Other = entry.load()
        counts.update(other(runtime.settings, runtime.database.url, words, change))
    return counts


def _remove_notes(home: Path, words: Sequence[str]) -> None:
    """Logs that hooks could not hand in yet."""
    for note in (home / "spool").glob("*.*"):
        if _path_in(note) in words:
            note.unlink(missing_ok=True)


def _path_in(note: Path) -> Any:
    try:
        told = json.loads(note.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return told.get("path") if isinstance(told, dict) else None


def remove_lines(path: Path, words: Sequence[str]) -> None:
    """Lines of a log file of ours that name what is erased."""
    try:
        lines = path.read_text("utf-8", "surrogateescape").splitlines(keepends=True)
    except FileNotFoundError:
        return
    kept = [line for line in lines if not any(word in line for word in words)]
    if len(kept) < len(lines):
        path.write_text("".join(kept), "utf-8", "surrogateescape")


def _is_ours(settings: Settings, folder: Path) -> bool:
    """Does the folder lie below the one where datasets or adapters are written?"""
    homes = (settings.exports_dir, settings.adapters_dir)
    return folder.is_dir() and not folder.is_symlink() and is_below(folder, homes)
