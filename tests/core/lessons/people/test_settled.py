"""What an agent settled with a reason in the answer that closes a turn."""

from tests.core.lessons.builders import talk
from ultron_core.lessons.people.settled import find_settled
from ultron_core.lessons.people.turns import read_turns

ASKED = ("user", "The review says that `AddStats` returns an error that nobody needs. Please look at it.")
SETTLED = (
    "assistant",
    "Removed the error return from `AddStats`, because the function could never fail. All tests pass.",
)


def settled(*turns, outcome="unknown", work=True):
    messages = talk(*turns)
    return find_settled(messages, read_turns(messages), outcome, "shop", work)


def test_a_change_with_its_reason_that_the_person_let_stand():
    (draft,) = settled(ASKED, SETTLED, ("user", "Thanks, now the docs."))
    assert draft.content == (
        "Decided in shop: Removed the error return from `AddStats`, because the function could never fail."
    )
    assert "nobody needs" in draft.context
    assert draft.tags == ("decision", "settled")


def test_what_was_objected_to_or_failed_is_not_settled():
    assert settled(ASKED, SETTLED, ("user", "No, that is wrong, put the error return back!")) == []
    assert settled(ASKED, SETTLED, outcome="failure") == []
    assert settled(ASKED, SETTLED, work=False) == []


def test_a_change_without_a_reason_is_a_step():
    assert (
        settled(ASKED, ("assistant", "Removed the error return from `AddStats` and updated the callers."))
        == []
    )


def test_a_reason_in_the_middle_of_a_description_settles_nothing():
    told = "The `Info` line only fires when a database was found in a folder and got switched, because the mode stays."
    assert settled(ASKED, ("assistant", told)) == []
