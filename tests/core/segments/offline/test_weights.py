"""The shipped combiners: what they were fitted on, that they are bounded, and that old files are refused."""

import json
from importlib.resources import files

import numpy as np
import pytest

from ultron_core.segments.offline.features import FEATURES
from ultron_core.segments.offline.weights import SHAPE, Combiner, Combiners, load_combiners


def raw():
    return json.loads(files("ultron_core.segments.offline").joinpath("weights.json").read_text("utf-8"))


def test_every_set_names_an_allowed_licence_and_its_hash():
    sets = raw()["provenance"]["sets"]
    assert sets
    for entry in sets:
        assert "MIT" in entry["licence"] or "Apache-2.0" in entry["licence"]
        assert "sgd_switch" not in entry["name"] and len(entry["sha256"]) == 64


def test_words_of_farewell_have_a_small_linear_say_and_no_products():
    for combiner in (load_combiners().talk, load_combiners().work):
        for name in ("closing_user", "closing_model"):
            place = FEATURES.index(name)
            assert abs(combiner.linear[place]) <= 0.35
            assert not combiner.quadratic[place].any() and not combiner.quadratic[:, place].any()


def test_values_far_outside_training_are_clipped():
    combiner = load_combiners().talk
    far = combiner.mean + combiner.scale * combiner.clip
    assert combiner.log_odds(np.array([far])) == pytest.approx(combiner.log_odds(np.array([far + 1e6])))
    assert np.isfinite(combiner.log_odds(np.zeros((1, len(FEATURES))))).all()


def test_log_odds_is_the_formula_written_out():
    size = len(FEATURES)
    quadratic = np.zeros((size, size))
    quadratic[0, 1] = 2.0
    linear = np.zeros(size)
    linear[0] = 3.0
    combiner = Combiner(np.zeros(size), np.ones(size), 10.0, 0.5, linear, quadratic, 0.0)
    row = np.zeros((1, size))
    row[0, :2] = (4.0, 5.0)
    assert combiner.log_odds(row)[0] == pytest.approx(0.5 + 3 * 4 + 2 * 4 * 5)
    again = Combiner.from_json(combiner.to_json())
    assert again.log_odds(row)[0] == pytest.approx(combiner.log_odds(row)[0])


def test_weights_for_other_features_are_refused():
    old = raw() | {"features": ["something", "else"]}
    with pytest.raises(ValueError, match="training/segmenter"):
        Combiners.from_json(old)


def test_work_and_talk_are_weighed_by_a_combiner_each():
    size = len(FEATURES)
    nothing = np.zeros((size, size))
    talk, work = (
        Combiner(np.zeros(size), np.ones(size), 3.0, odds, np.zeros(size), nothing, 0.5)
        for odds in (2.0, -1.0)
    )
    rows = np.zeros((2, size))
    rows[1, FEATURES.index(SHAPE)] = 1.0
    assert Combiners(talk, work).margin(rows) == pytest.approx([1.5, -1.5])
