"""The lockbox: a data folder of that name is read at most six times by each benchmark, and every run is recorded.

    with guarded("labels", args.data):
        ...

On any other folder `guarded` does nothing. On the lockbox it refuses a seventh run, appends each row to the ledger
(benchmarks/results/lockbox.jsonl) with run id, date and commit as it is printed, and lets nothing out but figures
and the names of sets: no text, no file name, no message of an exception.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO
from uuid import uuid4

from inputs.places import ROOT

LEDGER = ROOT / "benchmarks" / "results" / "lockbox.jsonl"
#: the project's rule (CONTRIBUTING.md, "The lockbox"): what is looked at more often gets tuned by
MOST_RUNS = 6
#: fields whose text the benchmarks' own code makes up: what was measured and how, never what was read
_NAMES = frozenset(
    {
        *("benchmark", "set", "method", "lane", "category", "subset", "op", "entity", "fit", "label"),
        *("model", "skipped", "error"),
    }
)
_LONGEST_NAME = 60
_WORD = re.compile(r"[a-z][a-z0-9_]{0,39}")


def is_lockbox(data: Path) -> bool:
    return data.resolve().name == "lockbox"


def forbid_lockbox(data: Path) -> None:
    """For what fits or lists: training scripts and the split never read the lockbox."""
    if is_lockbox(data):
        raise SystemExit("The lockbox is for benchmarks only; nothing is fitted on it or listed from it.")


@contextlib.contextmanager
def guarded(benchmark: str, data: Path) -> Iterator[None]:
    """One run of a benchmark on `data`."""
    if not is_lockbox(data):
        yield
        return
    runs = runs_so_far(benchmark)
    if runs >= MOST_RUNS:
        raise SystemExit(
            f"{benchmark} has read the lockbox {runs} times, which is all it may; nothing was read"
        )
    with (
        _Run(benchmark, sys.stdout) as run,
        contextlib.redirect_stdout(run),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        yield


def runs_so_far(benchmark: str) -> int:
    """How many runs of this benchmark the ledger holds."""
    if not LEDGER.exists():
        return 0
    rows = map(json.loads, LEDGER.read_text("utf-8").splitlines())
    return len({row["run"] for row in rows if row["benchmark"] == benchmark})


class _Run(io.TextIOBase):
    """Takes the place of stdout: a row of figures goes to the real one and to the ledger, anything else nowhere."""

    def __init__(self, benchmark: str, out: TextIO) -> None:
        self._out = out
        self._part = ""
        self._stamp = {
            "benchmark": benchmark,
            "run": uuid4().hex[:12],
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "commit": commit(),
        }

    def __enter__(self) -> _Run:
        # before anything is read: a run that is killed has been a run all the same
        self._record({"set": "started"})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            # the name of the class alone: message and traceback may quote the data
            self._row({"set": "stopped", "error": kind.__name__})
            raise SystemExit(1) from None

    def write(self, text: str) -> int:
        *lines, self._part = (self._part + text).split("\n")
        for line in lines:
            with contextlib.suppress(json.JSONDecodeError):
                row = json.loads(line)
                if isinstance(row, dict):
                    self._row(row)
        return len(text)

    def _row(self, row: Mapping[str, Any]) -> None:
        shown = figures_only(row)
        print(json.dumps({**shown, "benchmark": self._stamp["benchmark"]}), file=self._out, flush=True)
        self._record(shown)

    def _record(self, row: Mapping[str, Any]) -> None:
        with LEDGER.open("a", encoding="utf-8") as ledger:
            ledger.write(json.dumps({**self._stamp, **row, "benchmark": self._stamp["benchmark"]}) + "\n")


def figures_only(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a row that are figures, or names that a benchmark itself gives."""
    return {key: value for key, value in row.items() if _is_name(key, value) or _is_figure(value)}


def _is_name(key: str, value: object) -> bool:
    return key in _NAMES and isinstance(value, str) and len(value) <= _LONGEST_NAME


def _is_figure(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_WORD.fullmatch(str(key)) and _is_figure(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(_is_figure(inner) for inner in value)
    return value is None or isinstance(value, bool | int | float)


def commit() -> str:
    """The commit that is checked out, with `+` behind it when files have been changed since."""
    try:
        head = _git("rev-parse", "HEAD")
        return head[:12] + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
