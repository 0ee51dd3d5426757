"""What a turn is worth: what the network reads in it, and what it says of itself."""

import pytest

from ultron_core.lessons.drafts import find_drafts
from ultron_core.models import Message


def kept(text):
    messages = [
        Message("user", "Please fix the failing import.", origin="human", start_line=1, end_line=1),
        Message("assistant", "The package was missing.", origin="model", start_line=2, end_line=2),
        Message("user", text, origin="human", start_line=3, end_line=3),
        Message("assistant", "Understood.", origin="model", start_line=4, end_line=4),
    ]
    return [draft.probability for draft in find_drafts(messages, "shop") if draft.lesson == "turn"]


@pytest.mark.parametrize(
    "wish",
    [
        "Always run `make lint` before you commit.",
        "From now on always run `make lint` before a commit.",
        "Please remember: we deploy from the release branch only.",
        "以后都用中文回答。",
    ],
)
def test_a_wish_for_good_is_kept(wish):
    (probability,) = kept(wish)
    assert probability >= 0.7


@pytest.mark.parametrize(
    "said", ["Please fix the failing import as well.", "What do we do from now on?", "thanks, that works"]
)
def test_a_request_or_a_question_is_not(said):
    assert kept(said) == []
