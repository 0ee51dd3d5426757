import pytest

from tests.core.labels.talks import SOLVED, says, user
from tests.support.records import messages_in
from ultron_core.errors import (
    BudgetExceededError,
    ContextTooLongError,
    ModelAnswerError,
    ModelUnavailableError,
)
from ultron_core.labels import is_sft_eligible, label_segment
from ultron_core.labels.judge import Judgement, MetricJudgement, label_with_model, labeler_of
from ultron_core.llm.tokens import count_tokens
from ultron_core.models import Message, as_messages


def judgement(goal=0.9, outcome="success", **more):
    metrics = [
        MetricJudgement(name="goal_reached", score=goal, messages=[7, 99], note="tests pass"),
        MetricJudgement(name="completeness", score=1.0, messages=[8]),
        MetricJudgement(name="safety", score=more.pop("safety", 1.0)),
    ]
    values = {"outcome": outcome, "task_type": "debug", "success_probability": 0.8, "metrics": metrics} | more
    return Judgement(**values)


class Judge:
    """Answers from a list, and keeps what it was asked."""

    model_id = "judge-1"

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def complete(self, messages, schema, *, stage=""):
        assert schema is Judgement
        assert stage == "label"
        self.asked.append(messages)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_the_label_is_the_models_word_in_our_shape():
    judge = Judge(judgement())
    label = label_segment(SOLVED, judge, topic="parser")
    assert label.labeler == labeler_of(judge)
    assert label.labeler.startswith("model:judge-1#")
    assert label.summary.outcome == "success"
    assert label.summary.task_type == "debug"
    assert label.summary.memory_score is None, "it was not asked for notes"
    assert label.metrics["goal_reached"].lines == (7,), "message 99 was never shown"
    assert label.metrics["recovery"].weight == 0.0, "not judged, so it does not count"
    assert 0.9 < label.summary.overall_score <= 1.0
    asked = judge.asked[0][1]["content"]
    assert "Topic: parser" in asked
    assert [shown.who for shown in messages_in(asked)][:3] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("error", [ModelUnavailableError, ModelAnswerError, BudgetExceededError])
def test_errors_of_the_model_go_up_and_never_become_an_offline_label(error):
    with pytest.raises(error):
        label_segment(SOLVED, Judge(error("no")))


def test_an_answer_without_the_main_metric_is_asked_again_with_the_reason():
    safety_alone = judgement(metrics=[MetricJudgement(name="safety", score=1.0)])
    judge = Judge(safety_alone, judgement())
    assert label_segment(SOLVED, judge).summary.outcome == "success"
    assert "no score for completeness, goal_reached" in judge.asked[1][-1]["content"]
    with pytest.raises(ModelAnswerError, match="goal_reached"):
        label_segment(SOLVED, Judge(safety_alone, safety_alone))


def test_a_segment_too_long_for_the_model_is_judged_in_smaller_windows():
    long = [*SOLVED, *(Message("assistant", "word " * 1_000) for _ in range(6))]
    judge = Judge(ContextTooLongError("8192 tokens"), *[judgement()] * 6)
    assert label_segment(long, judge).summary.outcome == "success"
    assert len(judge.asked[0][-1]["content"]) > 1.8 * max(
        len(chat[-1]["content"]) for chat in judge.asked[1:]
    )


def test_a_known_failure_is_held_down_also_when_the_model_scores_it_high():
    assert label_segment(SOLVED, Judge(judgement(outcome="failure"))).summary.overall_score <= 0.5


@pytest.mark.parametrize(("sure", "ok"), [(0.9, True), (0.6, False)])
def test_without_a_verdict_the_model_must_be_sure_for_training_data(sure, ok):
    label = label_segment(SOLVED, Judge(judgement(outcome="unknown", success_probability=sure)))
    assert is_sft_eligible(label).ok is ok


def test_harness_text_alone_needs_no_call():
    label = label_segment([Message("user", "<reminder>", origin="harness")], Judge())
    assert label.summary.overall_score == 0.0
    assert label.labeler == labeler_of(Judge())


def test_an_unknown_task_type_becomes_other():
    assert label_segment(SOLVED, Judge(judgement(task_type="juggling"))).summary.task_type == "other"


def test_a_long_segment_is_read_in_windows_that_carry_notes():
    talk = [
        m for n in range(30) for m in (user(f"Question {n} " + "x " * 400), says(f"Answer {n} " + "y " * 300))
    ]
    first = judgement(goal=0.2, outcome="partial", safety=0.5, notes="the first half was slow")
    judge = Judge(first, *[judgement()] * 3)
    label = label_with_model(as_messages(talk), judge, window_tokens=12_000)
    assert len(judge.asked) == 3
    assert all(count_tokens(asked[1]["content"]) <= 12_000 for asked in judge.asked)
    assert "the first half was slow" in judge.asked[1][1]["content"]
    assert label.metrics["goal_reached"].score == 0.9, "the end decides"
    assert 0.5 < label.metrics["safety"].score < 1.0, "the whole course counts"
    shown = "".join(asked[1]["content"] for asked in judge.asked)
    assert all(f"Question {n} " in shown and f"Answer {n} " in shown for n in range(30))


def test_one_huge_message_is_shown_by_head_and_tail():
    judge = Judge(judgement())
    label_segment([user("start " + "x" * 500_000 + " end"), says("ok")], judge)
    text = judge.asked[0][1]["content"]
    assert len(text) < 20_000
    assert "start " in text
    assert " end" in text
