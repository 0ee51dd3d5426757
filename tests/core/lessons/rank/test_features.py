"""A candidate as numbers: a column per name, and what the network alone makes of a turn."""

import numpy as np
import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.candidates.find import find_candidates
from ultron_core.lessons.rank.features import feature_names, features, standing
from ultron_core.lessons.rank.places import STRUCTURE, place
from ultron_core.transcript.actions import read_actions
from ultron_core.transcript.sense.reader import load_sense

WORK = talk(
    ("user", "Please repair the tests of the parser."),
    (bash("pytest tests"), "ModuleNotFoundError: No module named 'yaml'\nexit code 1"),
    (bash("pip install pyyaml"), "Successfully installed pyyaml-6.0"),
    (bash("pytest tests"), "2 passed in 0.1s"),
    ("assistant", "The tests pass. PyYAML was missing from the environment."),
    ("user", "Always run `make lint` before you commit."),
)


@pytest.fixture(scope="module")
def numbers():
    """(source, its numbers by name) of each candidate of WORK."""
    actions = read_actions(WORK)
    placed = place(find_candidates(WORK, actions), WORK, actions)
    rows = features(placed, load_sense())
    return [
        (one.candidate.source, dict(zip(feature_names(), row, strict=True)))
        for one, row in zip(placed, rows, strict=True)
    ]


def test_every_column_has_a_name_of_its_own():
    assert len(set(feature_names())) == len(feature_names())
    assert features([], load_sense()).shape == (0, len(feature_names()))


def test_a_row_knows_its_source_and_where_it_stands(numbers):
    for source, row in numbers:
        assert [name for name in STRUCTURE if name.startswith("source_") and row[name]] == [
            f"source_{source}"
        ]
    of = dict(numbers)
    assert of["cure"]["changes"] == pytest.approx(np.log1p(1))
    assert of["closing"]["last_turn"] == 0.0
    assert of["turn"]["last_turn"] == 1.0
    assert of["turn"]["names"] == pytest.approx(np.log1p(1))


def test_an_agents_last_words_are_read_with_the_turn_behind_them(numbers):
    of = dict(numbers)
    assert of["closing"]["no_turn"] == of["turn"]["no_turn"] == 0.0
    assert of["cure"]["no_turn"] == 1.0


def test_persons_and_agents_are_asked_about_apart(numbers):
    of = dict(numbers)
    assert of["turn"]["answer_keep"] == 0.0 != of["turn"]["sentence_keep"]
    assert of["closing"]["sentence_keep"] == 0.0 != of["closing"]["answer_keep"]


@pytest.mark.parametrize(
    ("keep", "rule", "lasting", "declared", "least", "most"),
    [
        (4, 4, -4, False, 0.9, 1.0),  # a rule that is to be kept
        (0, 4, -4, False, 0.9, 1.0),  # a rule, which holds for good by itself
        (-2, 4, -4, False, 0.0, 0.1),  # a rule that passes
        (4, -4, 4, False, 0.0, 0.1),  # a fact that is to be kept
        (-4, -4, 0, True, 0.8, 0.9),  # says of itself that it holds for good
        (-4, -4, -4, True, 0.0, 0.1),  # says so of a matter of the moment
    ],
)
def test_what_holds_for_good_by_the_network_alone(keep, rule, lasting, declared, least, most):
    row = np.zeros((1, len(feature_names())))
    for name, odds in (("turn_keep", keep), ("turn_rule", rule), ("sentence_lasting", lasting)):
        row[0, feature_names().index(name)] = odds
    assert least <= standing(row, [declared])[0] <= most
