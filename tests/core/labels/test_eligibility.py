from dataclasses import replace

import pytest

from tests.core.labels.talks import RULED
from ultron_core.labels import Eligibility, is_memory_eligible, is_sft_eligible, label_segment


def raw(**summary):
    return {"summary": {"overall_score": 0.9, "memory_score": 0.9, "outcome": "unknown", **summary}}


@pytest.mark.parametrize(("score", "ok"), [(0.69, False), (0.70, True), (1.7, True), (-1, False)])
def test_the_memory_gate_opens_at_its_threshold(score, ok):
    assert is_memory_eligible(raw(memory_score=score)).ok is ok


@pytest.mark.parametrize(("score", "ok"), [(0.79, False), (0.80, True)])
def test_the_training_gate_opens_at_its_threshold(score, ok):
    assert is_sft_eligible(raw(overall_score=score)) == Eligibility(ok, "ok" if ok else "below_threshold")


def test_thresholds_can_be_set():
    assert is_memory_eligible(raw(memory_score=0.5), threshold=0.4).ok
    assert not is_sft_eligible(raw(overall_score=0.9), threshold=0.95).ok


def test_a_failure_is_a_memory_but_never_training_data_whatever_its_score():
    label = label_segment(RULED)
    failed = replace(label, summary=replace(label.summary, overall_score=1.0, outcome="failure"))
    assert is_sft_eligible(failed, threshold=0.0).reason == "outcome_failure"
    assert is_sft_eligible(failed.to_json()).reason == "outcome_failure"
    assert is_memory_eligible(failed).ok


def test_each_refusal_has_its_word():
    assert is_sft_eligible(None).reason == is_memory_eligible(None).reason == "no_label"
    assert is_sft_eligible({}).reason == "no_label"
    assert is_sft_eligible({"summary": "good"}).reason == "bad_label"
    assert is_sft_eligible(raw(overall_score="high")).reason == "bad_label"
    assert is_memory_eligible(raw(memory_score=float("nan"))).reason == "bad_label"
    assert is_sft_eligible(raw(outcome="partial")).reason == "outcome_partial"
    unsafe = raw() | {"metrics": {"safety": {"score": 0.2}}}
    assert is_sft_eligible(unsafe).reason == "unsafe"


def test_a_label_and_its_json_are_judged_alike():
    label = label_segment(RULED)
    assert is_sft_eligible(label) == is_sft_eligible(label.to_json())
    assert is_memory_eligible(label) == is_memory_eligible(label.to_json())


def test_what_nobody_knows_yet_is_left_to_the_extraction():
    """A model that judged alone was not asked what there is to learn."""
    assert is_memory_eligible(raw(memory_score=None)).ok
