import json
import math
from importlib.resources import files

import pytest

from ultron_core.labels.features import ANSWER_FEATURES, WORK_FEATURES, text_size
from ultron_core.labels.success import LinearModel, shipped_models, sigmoid

MODEL = LinearModel(("a", "b"), (1.0, 0.0), (2.0, 1.0), (0.5, -1.0), slope=0.5, intercept=0.2)


def test_the_probability_is_that_of_logistic_regression():
    assert MODEL.evidence({"a": 3.0, "b": 0.5}) == pytest.approx(0.5 * 1.0 - 1.0 * 0.5)
    assert MODEL.probability({"a": 3.0, "b": 1.0}) == pytest.approx(1 / (1 + math.exp(-(0.5 * -0.5 + 0.2))))


def test_one_odd_number_does_not_decide_alone():
    assert MODEL.evidence({"a": 1e9, "b": 0.0}) == pytest.approx(3.0)


def test_a_missing_feature_is_an_error():
    with pytest.raises(KeyError):
        MODEL.probability({"a": 1.0})


def test_a_model_survives_json():
    assert LinearModel.from_json(json.loads(json.dumps(MODEL.to_json()))) == MODEL


def test_the_shipped_models_match_the_features_of_this_version_and_name_their_data():
    models = shipped_models()
    assert models["work"].names == WORK_FEATURES
    assert models["answer"].names == ANSWER_FEATURES
    raw = json.loads(files("ultron_core.labels").joinpath("success_model.json").read_text("utf-8"))
    for sources in raw["fitted_on"].values():
        assert all("MIT" in s["source"] or "Apache-2.0" in s["source"] for s in sources.values())


def test_sigmoid_and_text_size():
    assert sigmoid(0.0) == 0.5
    assert text_size("abc") == text_size("中") == 3
