"""Sessions with a known end, read once: their messages, their features and what they are labelled with."""

from __future__ import annotations

import gzip
import json
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultron_core.labels.features import features_of
from ultron_core.labels.signals import observe
from ultron_core.labels.verdict import decide_outcome
from ultron_core.models import Message, MessageLike, Outcome, as_messages
from ultron_core.sessions import parse_session
from ultron_core.transcript.dialogue import read_dialogue


@dataclass(frozen=True)
class Run:
    """One session with a known end, and the numbers that the success models read of it."""

    task: str
    success: int
    bytes: int
    #: the run whose other wire format this is, or empty
    same_as: str
    messages: tuple[Message, ...]
    outcome: Outcome
    kind: str
    features: Mapping[str, float]


@dataclass(frozen=True)
class Pair:
    """One context with a better and a worse answer, each a whole list of messages."""

    chosen: tuple[Message, ...]
    rejected: tuple[Message, ...]


def outcome_names(data: Path) -> list[str]:
    """Every set of `data` whose labels say how the runs ended."""
    return [
        name
        for path in sorted((data / "sessions").glob("*.labels.jsonl"))
        if (data / "sessions" / f"{(name := path.name.removesuffix('.labels.jsonl'))}.tar.gz").exists()
        and any("success" in row for row in _json_lines(path))
    ]


def load_sessions(data: Path, name: str) -> Iterator[tuple[dict[str, Any], tuple[Message, ...]]]:
    """(label row, normalised messages) of each session of a set; nothing when the set is absent."""
    archive, labels = data / "sessions" / f"{name}.tar.gz", data / "sessions" / f"{name}.labels.jsonl"
    if not archive.exists() or not labels.exists():
        return
    with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
        by_name = {p.name: p for p in Path(folder).rglob("*") if p.is_file()}
        for row in _json_lines(labels):
            path = by_name.get(Path(row["file"]).name)
            if path is not None:
                yield row, parse_session(path).messages


def load_runs(data: Path, name: str) -> list[Run]:
    """Sessions of one set that have a `success` mark."""
    return [_run(row, messages) for row, messages in load_sessions(data, name) if "success" in row]


def _run(row: Mapping[str, Any], messages: tuple[Message, ...]) -> Run:
    signals = observe(read_dialogue(messages))
    outcome = decide_outcome(signals).outcome
    kind, features = features_of(signals, outcome)
    task = str(row.get("task") or row["file"])
    same_as = str(row.get("same_as") or "")
    return Run(task, int(row["success"]), int(row["bytes"]), same_as, messages, outcome, kind, features)


def independent(sets: Mapping[str, Sequence[Run]]) -> dict[str, Sequence[Run]]:
    """The sets that count in a mean: both ends occur, and they are not another set's runs in another format."""
    return {
        name: runs
        for name, runs in sets.items()
        if 0 < sum(run.success for run in runs) < len(runs) and not all(run.same_as for run in runs)
    }


def load_pairs(data: Path, name: str) -> list[Pair]:
    """Preference pairs as two sessions each."""

    def talk(row: Mapping[str, Any], answer: str) -> tuple[Message, ...]:
        messages: list[MessageLike] = [*row["context"], {"role": "assistant", "content": answer}]
        return tuple(as_messages(messages))

    return [Pair(talk(r, r["chosen"]), talk(r, r["rejected"])) for r in _rated_rows(data, name)]


def load_rated(data: Path, name: str) -> list[tuple[tuple[Message, ...], int]]:
    """Chats with 1 (good) or 0 (bad)."""
    return [(tuple(as_messages(r["messages"])), int(r["label"])) for r in _rated_rows(data, name)]


def _rated_rows(data: Path, name: str) -> list[dict[str, Any]]:
    path = data / "quality" / f"{name}.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
