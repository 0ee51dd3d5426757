"""overall_score: at or above the default of the training gate exactly when there is evidence of success."""

import pytest

from tests.core.labels.talks import HELPFUL, SOLVED, calls, result, says, user
from ultron_core.labels import is_sft_eligible, label_segment
from ultron_core.labels.metrics import UNPROVEN
from ultron_core.labels.verdict import GATE, overall_score
from ultron_core.models import Metric

GOOD = {name: Metric(1.0, 1.0) for name in ("goal_reached", "completeness", "safety")}
BAD = {**GOOD, "goal_reached": Metric(0.0, 1.0)}


@pytest.mark.parametrize("metrics", [GOOD, BAD])
def test_evidence_alone_decides_on_which_side_of_the_gate_a_segment_is(metrics):
    assert overall_score(metrics, "unknown", evidence=True) >= GATE
    assert overall_score(metrics, "unknown", evidence=False) < GATE


def test_the_metrics_order_segments_on_both_sides():
    for evidence in (True, False):
        assert overall_score(BAD, "unknown", evidence) < overall_score(GOOD, "unknown", evidence)


@pytest.mark.parametrize(("outcome", "cap"), [("failure", 0.5), ("partial", 0.75)])
def test_no_evidence_helps_a_known_failure(outcome, cap):
    assert overall_score(GOOD, outcome, evidence=True) <= cap


@pytest.mark.parametrize("name", ["completeness", "safety"])
def test_a_missing_answer_or_unsafe_work_stays_below_the_gate(name):
    assert overall_score({**GOOD, name: Metric(0.2, 1.0)}, "success", evidence=True) <= 0.6


def test_metrics_that_mislead_on_other_sources_have_no_weight():
    for talk in (SOLVED, HELPFUL):
        label = label_segment(talk)
        assert all(label.metrics[name].weight == 0.0 for name in UNPROVEN)


def test_what_the_agent_says_of_itself_is_no_evidence():
    talk = [
        user("Make the parser strip tokens."),
        calls("edit", "c1", path="parser.py", new="return token.strip()"),
        result("c1", "The file parser.py has been updated successfully."),
        says("Perfect! Everything works as expected and the task is complete."),
    ]
    boasting = label_segment(talk, project="shop")
    assert boasting.metrics["goal_reached"].weight == 0.0
    assert boasting.summary.outcome == "unknown" and not is_sft_eligible(boasting).ok
    assert boasting.metrics["goal_reached"].note == "only the agent says so"
    assert boasting.metrics["goal_reached"].lines == (4,)
    assert boasting.summary.success_probability is None
    accepted = label_segment([*talk, user("That works, thank you!")])
    assert is_sft_eligible(accepted).ok


def test_a_complaint_makes_an_earlier_pass_old():
    assert label_segment(SOLVED).summary.outcome == "success"
    assert (
        label_segment([*SOLVED, user("Thanks, but it still fails here."), says("I see.")]).summary.outcome
        != "success"
    )


def test_what_only_the_agent_says_of_work_that_git_refused_is_unknown():
    push = calls("bash", "c2", command="git push origin main")
    refused = result("c2", "error: failed to push some refs", error=True)
    look = (calls("bash", "c3", command="ls"), result("c3", "parser.py"))
    edit = (
        calls("edit", "c1", path="parser.py", new="return token.strip()"),
        result("c1", "The file parser.py has been updated successfully."),
    )
    talk = [user("Strip tokens and push."), *edit, push, refused, *look, says("Pushed.")]
    assert label_segment(talk).summary.outcome == "unknown"
