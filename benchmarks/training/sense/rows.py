"""Labelled answers and turns as the rows that the network learns: the question, the words, and what is true of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inputs.answers import Answer, terms
from inputs.said import KINDS, Told
from inputs.turns import Labelled

from ultron_core.lessons.candidates.passages import passages_of
from ultron_core.lessons.candidates.told import plain
from ultron_core.lessons.candidates.typed import own_sentences
from ultron_core.models import Message
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


def rows_of(answers: Sequence[Answer], turns: Sequence[Told], gold: Sequence[Labelled]) -> list[Row]:
    """Passages of answers, sentences of turns, whole turns; of the turns of benchmarks/gold only the acts are known."""
    return [
        *(row for answer in answers for row in _of_answer(answer)),
        *(row for turn in turns for row in _of_sentences(turn)),
        *map(_of_turn, turns),
        *map(_of_gold, gold),
    ]


def _of_answer(answer: Answer) -> Iterator[Row]:
    """Each passage as the ranker reads it, behind its head; it is to keep when it holds a sentence that is."""
    for passage in passages_of(answer.text):
        kind = next(
            (item.kind for item in answer.keep if any(part in passage.text for part in item.sentences)), ""
        )
        kinds = [kind == one for one in OUTPUTS["answer"][1:]]
        weights = (1.0, *(_KIND * any(kinds) for _ in kinds))
        words = (plain(passage.head), plain(passage.text))
        yield Row("answer", answer.repository, words, (bool(kind), *kinds), weights)


def _of_sentences(told: Told) -> Iterator[Row]:
    """Of a kept turn the sentence nearest to its note is learned, of any other all, which share their weight; the
    others of a kept turn are read, but teach nothing."""
    sentences = own_sentences(Message("user", told.turn.text, origin="human"))
    note = terms([told.memory])
    nearest = max(sentences, key=lambda one: len(note & terms([one])), default="")
    for sentence in sentences:
        kinds = [told.kind == one and sentence == nearest for one in KINDS]
        weight = len(sentences) ** -0.5 if not told.kind else float(sentence == nearest)
        weights = (weight, *(weight * _KIND * any(kinds) for _ in kinds))
        words = (plain(told.turn.before), plain(sentence))
        yield Row("sentence", told.repository, words, (any(kinds), *kinds), weights)


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
