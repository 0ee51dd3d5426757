"""A candidate as numbers: where it stands in its log, and what the network makes of its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.candidates.told import plain
from ultron_core.lessons.rank.places import STRUCTURE, Placed
from ultron_core.transcript.sense.nature import NATURES
from ultron_core.transcript.sense.reader import OUTPUTS, Question, Sense

__all__ = ["WIDTH", "feature_names", "features", "laid_down", "standing"]

Matrix = npt.NDArray[np.float64]

#: numbers of the network's vector
WIDTH: Final = 384
#: sources whose words are a person's: the network reads them as such
_PERSONS: Final = ("turn", "refusal", "choice")
#: probability of "keep" below which a rule is of the moment; by hand, as low as what readers call junk allows
_PASSES: Final = 0.35
#: a turn that says of itself that it holds for good is at least so likely to, where its words are likely to last;
#: of 40 wishes in tests/core/lessons/test_lasting.py this keeps 25, of 264 native turns none more
_DECLARED, _LASTS = 0.85, 0.4
#: what a person's turn does, by the network: the next one behind an agent's words, or the one that holds the passage
_REACTIONS: Final = ("opens", "done", "failed", "keep", "objection", "rule", "fact", "acceptance")
_TURN: Final = (*(f"turn_{name}" for name in _REACTIONS), "no_turn")
_QUESTIONS: Final[tuple[Question, ...]] = ("answer", "sentence")


def feature_names() -> list[str]:
    """What each column of `features` holds."""
    told = [
        f"{question}_{name}" for question in _QUESTIONS for name in (*OUTPUTS[question], *NATURES[question])
    ]
    return [*STRUCTURE, *_TURN, *told, *(f"v{number}" for number in range(WIDTH))]


def features(placed: Sequence[Placed], sense: Sense) -> Matrix:
    """A row per candidate, a column per name of `feature_names`."""
    if not placed:
        return np.zeros((0, len(feature_names())))
    persons = np.array([one.candidate.source in _PERSONS for one in placed])
    passages = [_passage(one.candidate) for one in placed]
    vectors = np.zeros((len(placed), WIDTH))
    blocks = []
    for question, rows in zip(_QUESTIONS, (np.flatnonzero(~persons), np.flatnonzero(persons)), strict=True):
        asked = [passages[row] for row in rows]
        blocks.append(np.zeros((len(placed), len((*OUTPUTS[question], *NATURES[question])))))
        blocks[-1][rows] = np.hstack([sense.odds(question, asked), sense.natures(question, asked)])
        vectors[rows] = sense.vectors(question, asked)
    structure = np.array([one.structure for one in placed])
    return np.hstack([structure, _reactions(placed, sense), *blocks, vectors])


def laid_down(rows: Matrix) -> Matrix:
    """How likely each row's turn or passage of an instruction file lays down a rule, by the network alone."""
    found: Matrix = _chances(rows, "turn_rule")
    return found


def standing(rows: Matrix, declared: Sequence[bool]) -> Matrix:
    """How likely each row's turn lays down a rule that holds for good.

    Readers found few turns worth keeping, too few to fit it anew; the network was fitted on thousands of turns. A rule
    holds for good unless the network is rather sure that it passes. What a turn has `declared` of itself to hold for
    good, e.g. `from now on`, does where the network does not take it for an order of the moment.
    """
    found = np.where(_chances(rows, "turn_keep") >= _PASSES, laid_down(rows), 0.0)
    lasts = np.array(declared) & (_chances(rows, "sentence_lasting") >= _LASTS)
    return np.maximum(found, np.where(lasts, _DECLARED, 0.0))


def _chances(rows: Matrix, name: str) -> Matrix:
    found: Matrix = 1.0 / (1.0 + np.exp(-rows[:, feature_names().index(name)]))
    return found


def _reactions(placed: Sequence[Placed], sense: Sense) -> Matrix:
    columns = [OUTPUTS["turn"].index(name) for name in _REACTIONS]
    rows = [row for row, one in enumerate(placed) if one.turn is not None]
    found = np.zeros((len(placed), len(_REACTIONS) + 1))
    found[:, -1] = 1.0
    if rows:
        asked = [turn for row in rows if (turn := placed[row].turn) is not None]
        found[rows, :-1] = sense.odds("turn", asked)[:, columns]
        found[rows, -1] = 0.0
    return found


def _passage(one: Candidate) -> tuple[str, str]:
    """The candidate's words behind what leads to them."""
    lead = one.head or (one.answers if one.source in (*_PERSONS, "cure") else "")
    said = f"{plain(one.text)} {plain(one.said)}" if one.said else plain(one.text)
    return plain(lead), said.strip()
