"""What the fitted reading of turns adds to a boundary: something amid work, nothing in talk."""

from ultron_core.models import Message
from ultron_core.segments.offline.cut import heard
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
