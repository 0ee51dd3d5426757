import json
from importlib.resources import files

import pytest

from tests.core.labels.talks import FAILED, HELPFUL, SOLVED, calls, result, says, user
from ultron_core.labels import label_segment
from ultron_core.labels.features import ANSWER_FEATURES, WORK_FEATURES, features_of, text_size
from ultron_core.labels.signals import observe
from ultron_core.labels.success import (
    LinearModel,
    estimate_from,
    estimate_success,
    logit,
    shipped_models,
    sigmoid,
)
from ultron_core.models import as_messages
from ultron_core.transcript.dialogue import read_dialogue

MODEL = LinearModel(
    ("a", "b"), (1.0, 0.0), (2.0, 1.0), (0.5, -1.0), base_rate=0.4, against=1.0, favour=0.1, bound=0.5
)


def signals_of(talk):
    return observe(read_dialogue(as_messages(talk)))


def search(query, call_id, answer):
    return [calls("search", call_id, query=query), result(call_id, answer)]


def test_evidence_is_that_of_logistic_regression():
    assert MODEL.evidence({"a": 3.0, "b": 0.5}) == pytest.approx(0.5 * 1.0 - 1.0 * 0.5)


def test_without_evidence_the_probability_is_the_base_rate():
    assert MODEL.probability(0.0) == pytest.approx(0.4)


def test_evidence_against_counts_in_full_and_evidence_in_favour_little():
    assert MODEL.probability(-2.0) == pytest.approx(sigmoid(logit(0.4) - 2.0))
    assert MODEL.probability(2.0) == pytest.approx(sigmoid(logit(0.4) + 0.2))


def test_training_data_needs_the_evidence_of_the_bound():
    def above(a):
        return estimate_from("work", {"a": a, "b": 0.0}, "unknown", {"work": MODEL}).above_bound

    assert above(3.1) and not above(2.9)


def test_one_odd_number_does_not_decide_alone():
    assert MODEL.evidence({"a": 1e9, "b": 0.0}) == pytest.approx(3.0)


def test_a_missing_feature_is_an_error():
    with pytest.raises(KeyError):
        MODEL.evidence({"a": 1.0})


def test_a_model_survives_json():
    assert LinearModel.from_json(json.loads(json.dumps(MODEL.to_json()))) == MODEL


def test_the_shipped_models_match_the_features_of_this_version_and_name_their_data():
    models = shipped_models()
    assert models["work"].names == WORK_FEATURES
    assert models["answer"].names == ANSWER_FEATURES
    assert models["answer"].bound is None, "no outcome was ever seen for a single answer"
    raw = json.loads(files("ultron_core.labels").joinpath("success_model.json").read_text("utf-8"))
    assert len(raw["fitted_on"]["work"]) == 8
    for sources in raw["fitted_on"].values():
        assert all("MIT" in s["source"] or "Apache-2.0" in s["source"] for s in sources.values())


def test_a_verdict_in_the_log_goes_before_the_model():
    solved, failed = (
        estimate_success(signals_of(t), o) for t, o in ((SOLVED, "success"), (FAILED, "failure"))
    )
    assert solved.probability >= 0.8
    assert failed.probability <= 0.06
    assert not failed.above_bound


def test_a_single_answer_is_said_to_rest_on_the_base_rate():
    label = label_segment(HELPFUL)
    assert abs(label.summary.success_probability - shipped_models()["answer"].base_rate) < 0.1
    assert "base rate" in label.metrics["expected_success"].note


def test_going_in_circles_and_giving_up_speak_against_success():
    page = "The Laleli Mosque stands in the Fatih district of Istanbul."
    asked = user("In which district is the mosque?")
    straight = [asked, *search("Laleli Mosque", "c1", page), says("Fatih.")]
    circles = [asked, *search("mosque", "c1", "Many."), *search("mosque", "c2", "Many."), says("Fatih.")]
    given_up = [asked, *search("Laleli Mosque", "c1", page), says("I could not find the district.")]
    best, *worse = (label_segment(t).summary.success_probability for t in (straight, circles, given_up))
    assert all(one < best for one in worse)


def test_words_before_the_last_act_are_not_how_the_work_ended():
    sorry = "Unfortunately I cannot change this ticket, so I transfer you."
    act = {**calls("transfer", "c1", to="an agent"), "content": sorry}
    silent = [user("Change my ticket."), says(sorry), calls("transfer", "c1", to="an agent")]
    assert features_of(signals_of([user("Change my ticket."), act]))[1]["gave_up"] == -1
    assert features_of(signals_of(silent))[1]["gave_up"] == 0


def test_a_result_that_brings_nothing_new_lowers_new_information():
    def new(*answers):
        talk = [user("Find it."), *(m for n, a in enumerate(answers) for m in search(str(n), f"c{n}", a))]
        return features_of(signals_of(talk))[1]["new_information"]

    assert new("alpha beta", "gamma delta") == 1.0
    assert new("alpha beta", "alpha beta") == 0.5
    assert new("alpha beta", "alpha gamma") == 0.75


def test_several_turns_are_work_and_one_answer_is_not():
    assert features_of(signals_of(HELPFUL))[0] == "answer"
    assert features_of(signals_of([*HELPFUL, user("And of Austria?"), says("Vienna.")]))[0] == "work"
    assert features_of(signals_of([user("Look it up."), calls("search", "c1", query="it")]))[0] == "work"


def test_sigmoid_and_text_size():
    assert sigmoid(0.0) == 0.5
    assert logit(0.5) == 0.0
    assert text_size("abc") == text_size("中") == 3
