"""What a turn says of the work before it, and whether it turns to another task."""

import json
from importlib.resources import files

import numpy as np
import pytest

from ultron_core.transcript.acts.features import HumanTurn
from ultron_core.transcript.acts.moves import (
    MOVES,
    MovesModel,
    describe_moves,
    load_moves,
    move_names,
    read_moves,
)
from ultron_core.transcript.acts.reader import load_model

DONE = "Fixed it: the list is sorted by date now. [calls: Edit, Bash]"
RAW = json.loads(files("ultron_core.transcript.acts").joinpath("moves.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("complaint", "acceptance"),
    [
        ("no, it still does not work, the same error appears", "perfect, that works"),
        ("还是不行，没有任何变化", "可以了，没问题"),
    ],
)
def test_complaints_and_acceptances_lie_apart(complaint, acceptance):
    bad, good = read_moves([HumanTurn(complaint, DONE), HumanTurn(acceptance, DONE)])
    assert bad.failed > load_moves().bounds["failed"] > good.failed
    assert good.done > bad.done


def test_a_complaint_opens_no_other_task():
    other, same = read_moves(
        [
            HumanTurn("Now let's write a README for the project, with a section on how to deploy", DONE),
            HumanTurn("it is still not sorted", DONE),
        ]
    )
    assert other.opens > same.opens


def test_a_turn_is_described_by_its_acts_and_its_words():
    turns = [HumanTurn("it is still not sorted", DONE), HumanTurn("thanks")]
    described = describe_moves(turns)
    assert described.shape == (2, len(move_names()))
    assert np.allclose(described, describe_moves(turns, load_model().probabilities(turns)))
    assert described[0, move_names().index("shared")] > 0 == described[1, move_names().index("shared")]


def test_coefficients_of_other_features_are_refused():
    assert MovesModel.from_json(RAW).dense.shape == (len(move_names()), len(MOVES))
    with pytest.raises(ValueError, match=r"training/moves\.py"):
        MovesModel.from_json({**RAW, "features": ["another"]})
