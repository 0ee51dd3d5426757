"""Labelled answers and turns as the rows that the network learns: the question, the words, and what is true of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from inputs.answers import Answer
from inputs.said import KINDS, Told
from inputs.turns import Labelled
from training import answers, plain

from ultron_core.transcript.acts.reader import ACTS
from ultron_core.transcript.sense.reader import OUTPUTS, Passage, Question

__all__ = ["Row", "rows_of"]

#: a kind tells less than whether to keep at all, and the seven acts of a turn are many
_KIND, _ACT = 0.5, 0.4


@dataclass(frozen=True)
class Row:
    question: Question
    repository: str
    passage: Passage
    #: truth of each output of the question, and how much it counts: nothing where nobody said
    truth: tuple[bool, ...]
    weights: tuple[float, ...]
    #: from a file of its own: what is kept with the project is always learned
    leaves: bool = True


def rows_of(
    told_answers: Sequence[Answer], turns: Sequence[Told], gold: Sequence[Labelled], sessions: Path | None
) -> list[Row]:
    """Sentences of answers, and those of the labelled sessions; sentences of turns, whole turns; of the turns of
    benchmarks/gold only the acts are known."""
    return [
        *_of_answers(told_answers, sessions),
        *_of_sentences(turns),
        *map(_of_turn, turns),
        *map(_of_gold, gold),
    ]


def _of_answers(told: Sequence[Answer], sessions: Path | None) -> Iterator[Row]:
    table = answers.describe(told, sessions)
    for at, passage in enumerate(table.passages):
        weight, kept = float(table.weights[at]), bool(table.keep[at])
        kinds = [str(table.kind[at]) == kind for kind in OUTPUTS["answer"][1:]]
        weights = (weight, *(weight * _KIND * any(kinds) for _ in kinds))
        own = bool(table.answer[at] >= 0)
        yield Row("answer", str(table.repositories[at]), passage, (kept, *kinds), weights, own)


def _of_sentences(turns: Sequence[Told]) -> Iterator[Row]:
    table = plain.describe(turns)
    chosen = plain.examples(table, np.arange(len(turns)))
    known = dict(zip(chosen.rows.tolist(), zip(chosen.kind, chosen.weights, strict=True), strict=True))
    for at, passage in enumerate(table.passages):
        # the others of a kept turn are not learned, but read: the best sentence of a turn is asked for
        kind, weight = known.get(at, ("", 0.0))
        kinds = [str(kind) == one for one in KINDS]
        weights = (float(weight), *(float(weight) * _KIND * any(kinds) for _ in kinds))
        yield Row("sentence", turns[int(table.turn[at])].repository, passage, (any(kinds), *kinds), weights)


def _of_turn(told: Told) -> Row:
    answers_agent = bool(told.turn.before.strip())
    done = told.previous_done if answers_agent else ""
    said = {
        "opens": told.new_task if answers_agent else None,
        "done": done == "yes" if done else None,
        "failed": done == "no" if done else None,
        "keep": bool(told.kind),
    }
    acts = [act in told.labels for act in ACTS]
    weights = (*(float(value is not None) for value in said.values()), *(_ACT for _ in acts))
    truth = (*map(bool, said.values()), *acts)
    return Row("turn", told.repository, told.turn.passage, truth, weights)


def _of_gold(labelled: Labelled) -> Row:
    acts = [act in labelled.labels for act in ACTS]
    weights = (*[0.0] * 4, *(0.0 if labelled.for_rule else _ACT for _ in acts))
    truth = (*[False] * 4, *acts)
    turn = labelled.turn
    return Row("turn", labelled.repository, turn.passage, truth, weights, False)
