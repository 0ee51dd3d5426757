"""What the fitted reading of turns adds to a boundary: something amid work, nothing in talk."""

from ultron_core.lessons.weights import NamedWeights
from ultron_core.models import Message
from ultron_core.segments.offline.cut import Fits, _opens, heard
from ultron_core.segments.offline.features import FEATURES
from ultron_core.segments.offline.openings import opening_names
from ultron_core.segments.offline.turns import turns_of


def turn(text):
    messages = [
        Message("user", "Sort the list in list.py by date.", origin="human"),
        Message("assistant", "Done: `list.py` sorts by date now.", origin="model"),
        Message("user", text, origin="human"),
    ]
    return turns_of(messages)[-1]


OTHER = turn("Now let's write a README for the exporter, with a section on how to deploy it")
SAME = turn("it is still not sorted")


def test_a_turn_to_another_matter_speaks_for_a_boundary_more_than_a_complaint():
    assert heard(OTHER, {"works": 1.0}) > heard(SAME, {"works": 1.0})


def test_in_talk_it_has_no_say():
    assert heard(OTHER, {"works": 0.0}) == 0.0


def test_a_turn_knows_what_the_agent_said_before_it():
    assert OTHER.act == "Done: `list.py` sorts by date now."


def opens(*, coding, weight):
    """Whether OTHER opens a task where the fit of talk weighs `weight`, and the other one is against it."""

    class Talk:
        def margin(self, row):
            return [weight]

    names = opening_names()
    against = NamedWeights(0.0, -1.0, (0.0,) * len(names))
    described = dict.fromkeys(FEATURES, 0.0) | {"works": 1.0}
    return _opens(OTHER, described, Fits(Talk(), against), coding=coding)


def test_outside_work_on_files_the_reading_has_no_say():
    assert heard(OTHER, {"works": 1.0}) > 0
    assert not opens(coding=False, weight=-0.01)


def test_what_one_fit_would_hardly_cut_stays_whole_where_that_of_people_at_work_speaks_against_it():
    added = heard(OTHER, {"works": 1.0})
    assert not opens(coding=True, weight=0.4 - added)
    assert opens(coding=True, weight=0.6 - added)
