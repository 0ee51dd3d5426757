"""What stands around a turn: going on, coming back, and how unusual it is in its session."""

import pytest

from ultron_core.embeddings.local import local_embedder
from ultron_core.models import Message
from ultron_core.segments.offline.around import AROUND, around_turns
from ultron_core.segments.offline.turns import turns_of
from ultron_core.segments.offline.vectors import embed_turns

PANDAS = ("How do I read a CSV file with pandas?", "How do I parse dates in the pandas CSV file?")
LASAGNA = ("Write a vegetarian lasagna recipe.", "Can the lasagna recipe use tofu?")


def around(*requests):
    messages = [m for r in requests for m in (Message("user", r), Message("assistant", f"About: {r}"))]
    turns = turns_of(messages)
    return around_turns(turns, embed_turns(turns, local_embedder().embed))


def test_no_turn_and_the_first_turn_have_nothing_before_them():
    assert around_turns([], []) == []
    assert around(PANDAS[0]) == [{}]


def test_a_new_task_is_followed_by_its_like_and_a_digression_by_what_was_before():
    new = around(*PANDAS, *LASAGNA)[2]
    aside = around(PANDAS[0], LASAGNA[0], PANDAS[1])[1]
    assert set(new) == set(AROUND)
    assert new["next_less_before"] > aside["next_less_before"]
    assert aside["bridged"] > new["bridged"] and aside["bridged_words"] > new["bridged_words"]


def test_a_turn_is_unusual_beside_the_earlier_ones_of_its_session():
    found = around(*PANDAS, *PANDAS, LASAGNA[0])
    assert found[-1]["near_unusual"] < 0 < found[2]["near_unusual"]


@pytest.mark.parametrize(
    ("request_", "follow_up"),
    [
        ("Please write a program that sorts a list.", "Yes, that works."),
        ("帮我写一段排序代码。", "它的评分是多少？"),
    ],
)
def test_first_requests_and_follow_ups_are_told_apart(request_, follow_up):
    _, first, second = around("Hello world of tests", request_, follow_up)
    assert first["request_less_follow_up"] > 0 > second["request_less_follow_up"]


def test_nothing_is_read_behind_the_two_next_turns():
    short, long = around(*PANDAS, *LASAGNA), around(*PANDAS, *LASAGNA, "Book a flight to Rome", *PANDAS)
    assert short[1] == pytest.approx(long[1])
