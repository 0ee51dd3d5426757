"""The native sessions with gold: which they are, and what readers wrote about them (gold/native/README.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

__all__ = ["Half", "rows", "sessions", "verdicts"]

Half = Literal["development", "reserve"]
_GOLD = Path(__file__).resolve().parents[1] / "gold" / "native"


def sessions(half: Half | None = None) -> list[dict[str, Any]]:
    """Repository, commit, path and hash of each session, of one half or of both."""
    return [row for row in _read("sessions") if half in (None, row["half"])]


def rows(half: Half) -> list[dict[str, Any]]:
    """What readers wrote about the sessions of one half; see gold/native/guide.md."""
    return _read(half)


def verdicts() -> list[dict[str, Any]]:
    """What readers said of candidates of the development half, each named by its session and the hash of its text."""
    return _read("verdicts")


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_GOLD / f"{name}.jsonl").read_text("utf-8").splitlines()]
