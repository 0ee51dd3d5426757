"""Native sessions of people whose task boundaries were marked by reading (benchmarks/gold/boundaries.jsonl)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from inputs.dialogues import Dialogue
from inputs.places import ROOT, session_sets
from inputs.reserve import sessions

from ultron_core.sessions import parse_session

__all__ = ["REPOSITORY", "development", "fit_sessions", "marked_sessions"]

GOLD = ROOT / "benchmarks" / "gold" / "boundaries.jsonl"
#: set -> repository: what leaves a fit together
REPOSITORY = {
    "human_claude_specstory": "specstory",
    "human_copilot_destyler_zh": "destyler",
    "human_aider": "aider_docs",
    "claude_code_spotter": "spotter",
    "claude_code_viewer": "viewer",
    "claude_code_misc": "claude_code_log",
    "pi_coding_agent": "pi",
}


def marked_sessions(data: Path) -> list[Dialogue]:
    """The marked sessions that `data` has, main thread only, each segment a piece; `group` is the set."""
    wanted = {(row["set"], row["file"]): row for row in map(json.loads, GOLD.read_text("utf-8").splitlines())}
    return [
        _dialogue(found.name, name, raw, wanted[found.name, name]["boundaries"])
        for found in session_sets(data)
        if found.name in REPOSITORY
        for name, raw in found.files()
        if (found.name, name) in wanted
    ]


def development(data: Path) -> frozenset[str]:
    """Names of the sessions outside the reserve: the ones that may be fitted on."""
    return frozenset(str(row["file"]) for row in sessions(data) if not row["reserve"])


def _dialogue(group: str, name: str, raw: bytes, boundaries: list[int]) -> Dialogue:
    messages = tuple(m for m in parse_session(raw).messages if m.thread == "main")
    edges = [0, *boundaries, len(messages)]
    pieces = tuple(
        (start, end, group, f"{name}#{number}") for number, (start, end) in enumerate(pairwise(edges))
    )
    return Dialogue(name, group, messages, tuple(boundaries), pieces)


def fit_sessions(data: Path) -> Iterator[Dialogue]:
    """The marked sessions outside the reserve."""
    allowed = development(data)
    return (dialogue for dialogue in marked_sessions(data) if dialogue.name in allowed)
