"""Imported outcomes: a file that says how sessions ended, from a benchmark, a reviewer or a ticket system."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultron_core.errors import InputError
from ultron_core.sessions import check_names
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import outcomes

__all__ = ["ImportedOutcomes", "import_outcomes"]

#: sessions looked up and written together
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class ImportedOutcomes:
    """What an import did: outcomes written, and names that mean no session or several."""

    written: int
    successes: int
    unknown: tuple[str, ...]
    ambiguous: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    session: str
    reward: float
    task_id: str
    source: str


def import_outcomes(
    runtime: Runtime, path: Path, *, source: str = "", success_from: float = 1.0
) -> ImportedOutcomes:
    """Read .jsonl or .csv lines with `session`, `outcome` (0, 1, true, false or a reward) and, if known, `source` and
    `task`; from a reward of `success_from` on the run was a success, below it a failure.

    `session` is a session's id, its partition key, its file, or the end of its file's path. The last line on a session
    wins. Raises InputError for a line that cannot be read; then nothing is written.
    """
    said = list(_read(path, source))
    unknown: list[str] = []
    ambiguous: list[str] = []
    found: dict[tuple[str, str], dict[str, Any]] = {}
    with runtime.database.transaction() as conn:
        for begin in range(0, len(said), _BATCH):
            batch = said[begin : begin + _BATCH]
            named = outcomes.sessions_named(conn, runtime.account_id, [one.session for one in batch])
            for one in batch:
                matches = named.get(one.session, [])
                if len(matches) != 1:
                    (ambiguous if matches else unknown).append(one.session)
                    continue
                agent, file = matches[0]
                found[agent, file] = {
                    "agent_id": agent,
                    "session_file": file,
                    "reward": one.reward,
                    "success": one.reward >= success_from,
                    "task_id": one.task_id,
                    "source": one.source,
                }
    rows = list(found.values())
    runtime.database.run(lambda conn: outcomes.put(conn, runtime.account_id, rows, runtime.clock()))
    return ImportedOutcomes(len(rows), sum(row["success"] for row in rows), tuple(unknown), tuple(ambiguous))


def _read(path: Path, source: str) -> Iterator[_Said]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    for number, value in _values(path, text):
        session, reward = str(value.get("session") or "").strip(), _reward(value)
        if not session or reward is None:
            raise InputError(f"{path.name}, line {number}: needs `session` and `outcome` (0, 1 or a reward).")
        task = str(value.get("task") or value.get("task_id") or "")
        told_by = str(value.get("source") or source or path.stem)
        try:
            check_names(session=session, task=task, source=told_by)
        except InputError as error:
            raise InputError(f"{path.name}, line {number}: {error}") from error
        yield _Said(session, reward, task, told_by)


def _values(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix == ".csv":
        yield from enumerate(csv.DictReader(io.StringIO(text)), 2)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path.name}, line {number}: no JSON ({error}).") from error
        if not isinstance(value, Mapping):
            raise InputError(f"{path.name}, line {number}: no JSON object.")
        yield number, value


def _reward(value: Mapping[str, Any]) -> float | None:
    """`outcome` or `reward` as a number; true and false are 1 and 0."""
    given: Any = value.get("outcome", value.get("reward"))
    if isinstance(given, str):
        given = {"true": 1, "false": 0}.get(given.strip().lower(), given)
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
