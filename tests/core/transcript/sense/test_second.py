"""The network is asked where the cheap reader finds something likely, and both are weighed."""

import numpy as np
import pytest

from ultron_core.transcript.acts.moves import load_moves
from ultron_core.transcript.acts.reader import load_model as load_acts_model
from ultron_core.transcript.sense import second
from ultron_core.transcript.sense.second import SecondLook

RAW = {"second": {"look": 0.2, "own": [1.0, 0.5], "sense": [2.0, 0.0], "shift": [0.0, 0.0]}}


class Told:
    def __init__(self):
        self.asked = []

    def odds(self, question, passages):
        self.asked += passages
        return np.tile([0.5, 9.0, 9.0, 9.0, -1.0], (len(passages), 1))


@pytest.fixture
def told(monkeypatch):
    found = Told()
    monkeypatch.setattr(second, "load_sense", lambda: found)
    return found


def test_only_what_is_likely_enough_is_read_again(told):
    look = SecondLook.from_json(RAW, "answer", ("keep", "pattern"))
    found = look.again(np.array([[0.1, 0.4], [0.5, 0.8]]), lambda row: ("before", f"row {row}"))
    assert told.asked == [("before", "row 1")]
    assert found[0].tolist() == [0.1, 0.4]
    assert found[1] == pytest.approx([1 / (1 + np.exp(-1.0)), 1 / (1 + np.exp(-0.5 * np.log(4)))])


def test_nothing_likely_asks_nothing(told):
    look = SecondLook.from_json(RAW, "answer", ("keep", "pattern"))
    own = np.array([[0.1, 0.4]])
    assert look.again(own, lambda row: ("", "")) is own
    assert told.asked == []


def test_a_file_for_other_answers_is_refused():
    with pytest.raises(ValueError, match="the network says"):
        SecondLook.from_json(RAW, "answer", ("keep", "weather"))


def test_a_reader_whose_file_has_none_does_without():
    assert SecondLook.from_json({}, "answer", ("keep", "weather")) is None


def test_every_reader_that_ships_takes_a_second_look():
    """A refit without it would do without the network and say nothing."""
    assert load_acts_model().second is not None
    assert load_moves().second is not None
