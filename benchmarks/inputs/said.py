"""Turns of people with what a note-taker would keep of them, from a file of their own.

One JSON object a line: `id`, `repository` (and `likely_same_project`, which counts where it is given), `lang`, `text`
(what the person wrote), `before` (the end of the agent's last answer, with the names of its calls as `agent_act` writes
them), `after` (how its answer begins), `interrupted`, `drawn` (`random`, or `sought` for its words), and `keep`:
null, or `{"kind": "preference" | "correction" | "decision" | "fact", "memory": "..."}`. Some files also say what the
turn does (`labels`, as benchmarks/gold/turns.jsonl), whether it opens another task (`new_task`), whether it tells that
what the agent did before is right (`previous_done`: yes, no or unknown), the turn before it (`asked`), and the
`licence` of its repository (SPDX).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ultron_core.transcript.acts.features import HumanTurn

__all__ = ["KINDS", "Told", "load_told"]

KINDS = ("preference", "correction", "decision", "fact")


@dataclass(frozen=True)
class Told:
    """One turn; `kind` and `memory` are empty where nothing of it is worth a note."""

    id: str
    repository: str
    lang: str
    turn: HumanTurn
    after: str
    kind: str
    memory: str
    labels: tuple[str, ...]
    #: how the turn was drawn: at random, or sought for its words
    drawn: str
    #: whether the turn opens another task; None where nobody said
    new_task: bool | None = None
    #: whether the turn tells that what went before is right: yes, no, unknown; empty where nobody said
    previous_done: str = ""


def load_told(path: Path) -> list[Told]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [_told(number, row) for number, row in enumerate(rows)]


def _told(number: int, row: dict) -> Told:
    keep = row.get("keep") or {}
    return Told(
        id=row.get("id", f"{row['repository']}#{number}"),
        repository=row.get("likely_same_project") or row["repository"],
        lang=row["lang"],
        turn=HumanTurn(
            row["text"], row.get("before") or "", bool(row.get("interrupted")), row.get("asked") or ""
        ),
        after=row.get("after") or "",
        kind=keep.get("kind", ""),
        memory=keep.get("memory", ""),
        labels=tuple(row.get("labels") or ()),
        drawn=row.get("drawn", ""),
        new_task=row.get("new_task"),
        previous_done=row.get("previous_done") or "",
    )
