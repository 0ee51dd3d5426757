"""The fitted coefficients: they fit the features, and say how much each candidate is worth and what it is."""

import json
from importlib.resources import files

import numpy as np
import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.candidates.find import find_candidates
from ultron_core.lessons.drafts import SHELVES
from ultron_core.lessons.rank.features import feature_names
from ultron_core.lessons.rank.head import TYPES, Head, load_head, rank
from ultron_core.transcript.actions import read_actions


@pytest.fixture
def raw():
    return json.loads(files("ultron_core.lessons.rank").joinpath("model.json").read_text("utf-8"))


def test_the_file_that_ships_has_a_bound_for_every_shelf_and_for_some_sources():
    assert set(load_head().bounds) == {*SHELVES, "guide", "cure", "refusal", "turn"}
    assert all(0 < bound < 1 for bound in load_head().bounds.values())


@pytest.mark.parametrize("told", ["features", "types"])
def test_a_file_of_other_features_or_types_is_refused(raw, told):
    with pytest.raises(ValueError, match=r"run benchmarks/training/ranker\.py"):
        Head.from_json({**raw, told: raw[told][1:]})


def test_the_first_columns_are_the_worth_of_what_is_shown_and_claimed_and_the_others_are_types():
    columns = np.zeros((len(feature_names()), 2 + len(TYPES)))
    shift = np.array([0.0, 4.0, *(5.0 if name == "correction" else 0.0 for name in TYPES)])
    worth, types = Head(columns, shift, {}).judge(np.zeros((2, len(feature_names()))), [False, True])
    assert worth.tolist() == pytest.approx([0.5, 0.982], abs=0.001)
    assert types == ["correction", "correction"]


def test_every_candidate_is_ranked_in_the_order_of_the_log():
    messages = talk(
        ("user", "Run the tests again."),
        ("assistant", "All of them pass."),
        ("user", "Always run `make lint` before you commit."),
    )
    actions = read_actions(messages)
    candidates = find_candidates(messages, actions)
    ranked = rank(candidates, messages, actions)
    assert [one.candidate for one in ranked] == candidates
    assert ranked[0].probability < 0.1 < 0.9 < ranked[-1].probability
    assert ranked[-1].memory_type == "preference"
    assert rank([], messages, actions) == []
