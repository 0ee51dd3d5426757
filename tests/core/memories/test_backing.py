"""Who stands behind words that several gave, and what bears them out."""

import pytest

from ultron_core.memories.backing import Backing

CLAIM = Backing("agent", "claimed", probability=0.4)


@pytest.mark.parametrize(
    ("other", "both"),
    [
        (Backing("tool", "check", "failure"), Backing("agent", "check", "failure", 0.4)),
        (Backing("agent", "result", "x", 0.9), Backing("agent", "result", "x", 0.9)),
        (Backing("human", "person"), Backing("human", "person", "", 0.4)),
        (Backing("upload", "claimed"), CLAIM),
    ],
    ids=["a tool's check", "the agent's result", "a person", "a caller"],
)
def test_the_same_words_are_the_most_trusted_one_s_with_the_best_proof(other, both):
    assert CLAIM.better(other) == other.better(CLAIM) == both


def test_an_agent_s_bare_words_alone_are_a_claim():
    assert CLAIM.shelf == "claimed"
    for other in (Backing("agent", "repeated"), Backing("tool", "claimed"), Backing("upload", "claimed")):
        assert other.shelf == "active"


def test_near_words_are_not_hidden_behind_less_but_take_the_place_of_a_claim():
    check, result = Backing("agent", "check"), Backing("agent", "result")
    assert check.takes(result) and not result.takes(check)
    assert CLAIM.takes(check) and check.takes(CLAIM)
    assert not CLAIM.takes(Backing("human", "person")) and not CLAIM.takes(Backing("upload", "claimed"))
