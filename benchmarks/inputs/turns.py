"""The labelled human turns of benchmarks/gold.

Drawn at random (turns.jsonl), written by the project (turns_written.jsonl), and for the act `rule` alone
(turns_rules.jsonl): real turns that an earlier fit took for rules, and written rules with their look-alikes. To these
may come turns of a file of its own (inputs/said.py) that says what each turn does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from inputs.said import load_told

from ultron_core.embeddings.local import local_embedder
from ultron_core.transcript.acts.features import HumanTurn
from ultron_core.transcript.acts.reader import ACTS

__all__ = ["FILES", "GOLD", "WRITTEN", "Labelled", "load_people", "load_turns", "truth", "vectors_of"]

FOR_RULE = "turns_rules.jsonl"
FILES = ("turns.jsonl", "turns_written.jsonl", FOR_RULE)
GOLD = Path(__file__).resolve().parents[1] / "gold"
#: the "repository" of what the project wrote; trained on, never a test but for its held-out quarter
WRITTEN = "written"


@dataclass(frozen=True)
class Labelled:
    """One turn with its labels; everything of one repository leaves together."""

    turn: HumanTurn
    repository: str
    lang: str
    labels: tuple[str, ...]
    held_out: bool
    #: chosen for what it teaches of `rule`: the other acts are neither fitted nor measured on it
    for_rule: bool = False
    #: of a file of its own, in which each repository has few turns
    people: bool = False
    #: taken for its words, so that it says nothing of how often an act occurs
    sought: bool = False

    @property
    def written(self) -> bool:
        return self.repository == WRITTEN


def load_turns() -> list[Labelled]:
    """Drawn turns first, in the order of the files."""
    rows = []
    for name in FILES:
        for line in (GOLD / name).read_text("utf-8").splitlines():
            row = json.loads(line)
            turn = HumanTurn(row["text"], row["before"], row["interrupted"])
            held_out = bool(row.get("held_out"))
            labels = tuple(row["labels"])
            rows.append(
                Labelled(turn, row["repository"], row["lang"], labels, held_out, for_rule=name == FOR_RULE)
            )
    return rows


def load_people(path: Path) -> list[Labelled]:
    """The turns of a file in the form of inputs/said.py that say what they do."""
    return [
        Labelled(
            told.turn,
            told.repository,
            told.lang,
            told.labels,
            held_out=False,
            people=True,
            sought=told.drawn != "random",
        )
        for told in load_told(path)
        if told.labels
    ]


def truth(rows: Iterable[Labelled]) -> np.ndarray:
    """A row per turn, a column per act, true where it is a label."""
    return np.array([[act in row.labels for act in ACTS] for row in rows], dtype=bool)


def vectors_of(rows: Sequence[Labelled]) -> np.ndarray:
    return local_embedder().embed([row.turn.text for row in rows])
