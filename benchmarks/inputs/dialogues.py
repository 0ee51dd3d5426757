"""Dialogues with known boundaries, read for the segmentation benchmark and the training of the segmenter."""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ultron_core.models import Message, as_messages
from ultron_core.sessions import parse_session

STITCHED = ("stitched_en_mixed", "stitched_en_same", "stitched_zh")
TURNS = ("crosswoz_switch_zh", "sgd_switch", "tiage")
#: one session, one task: what the benchmark they come from gave the agent to do
SINGLE = (
    "tau_airline_openai",
    "tau_airline_anthropic",
    "aider_swebench_lite",
    "reflexion_hotpot_react",
    "who_and_when_failures",
    "glaive_toolcall_en",
    "glaive_toolcall_zh",
    "swe_agent_traj",
    "fireact_hotpot",
    "mint_code",
    "mint_alfworld",
    "intercode_sql",
    "intercode_bash",
)
HUGE = "huge_session"


@dataclass(frozen=True)
class Dialogue:
    """Messages, gold boundaries, and which source and task each message is from (empty if unknown)."""

    name: str
    group: str
    messages: tuple[Message, ...]
    boundaries: tuple[int, ...]
    pieces: tuple[tuple[int, int, str, str], ...] = ()

    def piece_at(self, position: int) -> tuple[str, str]:
        for start, end, pool, task in self.pieces:
            if start <= position < end:
                return pool, task
        return "", ""


def sets_in(data: Path) -> list[str]:
    """Every set of a folder that has boundaries, or one task a session: known names first, then others by name.

    A session set counts when its labels tell the success of a run: a run is what one task was given to.
    """
    stitched = [p.name.removesuffix(".tar.gz") for p in (data / "segmentation").glob("*.tar.gz")]
    turns = [p.name.removesuffix(".jsonl.gz") for p in (data / "segmentation").glob("*.jsonl.gz")]
    runs = [p.name.removesuffix(".tar.gz") for p in (data / "sessions").glob("*.tar.gz")]
    single = [name for name in runs if name in SINGLE or _has_success(data / "sessions", name)]
    known = [*STITCHED, *TURNS, *SINGLE]
    found = sorted(
        {*stitched, *turns, *single}, key=lambda n: (known.index(n) if n in known else len(known), n)
    )
    return [*found, *([HUGE] if archive_of(data, HUGE).exists() else [])]


def _has_success(folder: Path, name: str) -> bool:
    labels = folder / f"{name}.labels.jsonl"
    rows = labels.read_text("utf-8").splitlines() if labels.exists() else []
    return bool(rows) and "success" in json.loads(rows[0])


def load(data: Path, name: str) -> list[Dialogue]:
    """All dialogues of one set; an empty list when it is absent."""
    path = archive_of(data, name)
    if name == HUGE:
        return list(_huge(data / "malformed", name))
    if path.name.endswith(".jsonl.gz"):
        return list(_turn_set(path, name))
    return list(_archive(path.parent, name))


def archive_of(data: Path, name: str) -> Path:
    """The file that contains one set."""
    if name == HUGE:
        return data / "malformed" / f"{name}.jsonl.gz"
    for path in (data / "segmentation" / f"{name}{end}" for end in (".jsonl.gz", ".tar.gz")):
        if path.exists():
            return path
    return data / "sessions" / f"{name}.tar.gz"


def _turn_set(path: Path, name: str) -> Iterator[Dialogue]:
    if not path.exists():
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            messages = tuple(as_messages(row["utterances"]))
            piece = (0, len(messages), name, str(row["id"]))
            yield Dialogue(str(row["id"]), name, messages, tuple(row["boundaries"]), (piece,))


def _huge(folder: Path, name: str) -> Iterator[Dialogue]:
    path = folder / "huge_session.jsonl.gz"
    if path.exists():
        label = json.loads((folder / "huge_session.labels.jsonl").read_text("utf-8").splitlines()[0])
        yield Dialogue(name, name, read(gzip.decompress(path.read_bytes())), tuple(label["boundaries"]))


def _archive(folder: Path, name: str) -> Iterator[Dialogue]:
    archive = folder / f"{name}.tar.gz"
    if not archive.exists():
        return
    labels = {}
    for line in (folder / f"{name}.labels.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        labels[row["file"].rsplit("/", 1)[-1]] = row
    with tarfile.open(archive) as tar:
        for member in sorted(tar.getmembers(), key=lambda m: m.name):
            label = labels.get(member.name.rsplit("/", 1)[-1])
            opened = tar.extractfile(member) if label else None
            if not opened or not label or not member.name.endswith(".jsonl"):
                continue
            messages = read(opened.read())
            segments = label.get("segments") or [{"start": 0, "end": len(messages)}]
            pieces = tuple(
                (s["start"], s["end"], s.get("pool", name), str(s.get("task") or label.get("task") or ""))
                for s in segments
            )
            yield Dialogue(member.name, name, messages, tuple(label.get("boundaries") or ()), pieces)


def read(raw: bytes) -> tuple[Message, ...]:
    """The messages of one session file."""
    return parse_session(raw).messages
