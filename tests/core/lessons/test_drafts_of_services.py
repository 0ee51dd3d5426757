"""A talk with a service or about general knowledge: what is said there holds for one matter alone."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.drafts import find_drafts

ASKED = "Could you please provide your user ID and the reservation ID for the flight you want to change?"


@pytest.mark.parametrize(
    "said",
    [
        "I'm omar_rossi_1241, but I don't remember the reservation ID.",
        "The trip type is one-way. The origin is EWR and the destination is ORD.",
        "I can't remember the reservation ID right now, but I need to cancel the flight from ATL to JFK on May 17.",
        "我有个亲戚来北京，想找一家评分是4.5分以上酒店，给我推荐一家就行，把地址和周边景点提供给我。",
    ],
)
def test_what_a_customer_tells_is_not_kept(said):
    call = ("get_reservation_details", {"reservation_id": "1"})
    assert not find_drafts(
        talk(("user", "I want to change my flight."), ("assistant", ASKED), ("user", said), (call, "found"))
    )


def test_what_an_agent_explains_there_is_not_kept():
    explained = (
        "Cultural relativism is the idea that a person's beliefs and behaviors should be understood in terms of their "
        "own culture, rather than judged according to the standards of another culture."
    )
    asked = "Can you explain the concept of cultural relativism?"
    assert not find_drafts(talk(("user", asked), ("assistant", explained)))


def test_a_rule_is_kept_there_too():
    drafts = find_drafts(talk(("user", "Always book aisle seats for me."), ("assistant", "I will.")))
    assert [draft.content for draft in drafts] == ["A person told the agent: Always book aisle seats for me."]
