"""The native sessions with gold: which they are, and what readers wrote about them (gold/native/README.md)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ultron_core.models import Message
from ultron_core.sessions import parse_session
from ultron_core.transcript.people import is_request

__all__ = ["Half", "Read", "Row", "read_all", "rows", "sessions", "verdicts"]

Half = Literal["development", "reserve"]
Row = dict[str, Any]
_GOLD = Path(__file__).resolve().parents[1] / "gold" / "native"


def sessions(half: Half | None = None) -> list[dict[str, Any]]:
    """Repository, commit, path and hash of each session, of one half or of both."""
    return [row for row in _read("sessions") if half in (None, row["half"])]


def rows(half: Half) -> list[dict[str, Any]]:
    """What readers wrote about the sessions of one half; see gold/native/guide.md."""
    return _read(half)


def verdicts() -> list[Row]:
    """What readers said of candidates of the development half, each named by its session and the hash of its text."""
    return _read("verdicts")


@dataclass(frozen=True)
class Read:
    """One session: its gold rows by kind, and the messages of its main thread."""

    id: str
    gold: Mapping[str, Sequence[Row]]
    messages: tuple[Message, ...]

    def opened_at(self, row: Row, name: str = "line") -> int | None:
        """Position of the message that a gold row names. Some logs write a person's message twice, on lines that
        follow each other, so the line right behind counts too."""
        line = row.get("phys", row["line"]) if name == "line" else row[name]
        return next(
            (
                i
                for i, m in enumerate(self.messages)
                if is_request(m) and m.start_line <= line <= m.end_line + 1
            ),
            None,
        )


def read_all(logs: Path, half: Half) -> list[Read]:
    """The sessions of one half whose logs are in the folder."""
    gold: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows(half):
        gold[row["session"]][row["row"]].append(row)
    found = []
    for session in sessions(half):
        files = sorted((logs / session["id"]).glob("*"))
        if files:
            own = tuple(m for m in parse_session(files[0]).messages if m.thread == "main")
            found.append(Read(session["id"], gold[session["id"]], own))
    return found


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_GOLD / f"{name}.jsonl").read_text("utf-8").splitlines()]
