import pytest

from tests.core.labels.talks import CHINESE_SOLVED, FAILED, HELPFUL, RULE, SOLVED, calls, result, says, user
from ultron_core.labels import LABELER_VERSION, is_memory_eligible, is_sft_eligible, label_segment
from ultron_core.labels.metrics import WEIGHTS
from ultron_core.models import Message, QualityLabel, as_messages


@pytest.mark.parametrize("talk", [SOLVED, CHINESE_SOLVED])
def test_an_error_that_was_solved_is_worth_training_on(talk):
    label = label_segment(talk)
    assert label.summary.outcome == "success"
    assert is_sft_eligible(label).ok


def test_a_failed_run_is_not_training_data_but_what_a_person_said_then_is_worth_remembering():
    label = label_segment([user(RULE), says("I will."), *FAILED])
    assert label.summary.outcome == "failure"
    assert label.summary.overall_score <= 0.5
    assert is_sft_eligible(label).reason == "outcome_failure"
    assert is_memory_eligible(label).ok and "lesson_turn" in label.metrics
    assert 9 in label.metrics["goal_reached"].lines
    assert label.summary.success_probability < label_segment(SOLVED).summary.success_probability


def test_a_good_answer_has_no_lesson():
    label = label_segment(HELPFUL)
    assert label.summary.outcome == "unknown"
    assert is_sft_eligible(label).reason == "below_threshold", "nobody said that it is right"
    assert is_sft_eligible(
        label_segment([*HELPFUL, user("That's exactly what I needed, that's correct.")])
    ).ok
    assert is_memory_eligible(label).reason == "below_threshold"


def test_small_talk_is_worth_nothing():
    label = label_segment([user("hi"), says("Hello!"), user("thanks, bye"), says("Bye!")])
    assert label.summary.memory_score < 0.3


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        ("That works, thank you!", "success"),
        ("No, that's still wrong, you ignored the date.", "failure"),
        ("Thanks for your help.", "unknown"),
        ("搞定了", "success"),
        ("不对，你漏了日期", "failure"),
    ],
)
def test_the_last_word_of_the_person_is_a_verdict(last, outcome):
    talk = [user("Sort the list by date."), says("Here is the list, sorted by date: a, b, c."), user(last)]
    assert label_segment(talk).summary.outcome == outcome


def test_tests_weigh_more_than_thanks():
    failing = [*SOLVED[:6], result("c3", "2 failed, 3 passed"), says("All done!"), user("Thank you!")]
    assert label_segment(failing).summary.outcome in ("failure", "partial")


def test_thanks_after_an_error_that_stayed_are_no_success():
    assert (
        label_segment([*FAILED, says("I could not fix it."), user("Thanks anyway")]).summary.outcome
        != "success"
    )


def test_every_metric_is_between_0_and_1_with_its_published_weight_or_none():
    label = label_segment(SOLVED)
    for name, weight in WEIGHTS.items():
        metric = label.metrics[name]
        assert 0 <= metric.score <= 1
        assert metric.weight in (weight, weight / 4, 0.0)
    assert label.metrics["grounded_claims"].weight == 0.0
    assert label_segment(HELPFUL).metrics["tool_success"].weight == 0.0


def test_an_answer_in_the_wrong_language_follows_no_instruction():
    asked = "请用中文解释一下什么是机器学习，谢谢。"
    good = label_segment(
        [user(asked), says("机器学习让计算机从数据中学习规律，而不需要为每种情况写规则，" * 2)]
    )
    bad = label_segment(
        [user(asked), says("Machine learning lets computers learn rules from data by themselves.")]
    )
    assert good.metrics["instruction_following"].score == 1.0
    assert bad.metrics["instruction_following"].score == 0.6


def test_claims_that_no_tool_showed_are_not_grounded():
    def answer(text):
        talk = [user("Price?"), calls("shop", "c1"), result("c1", "item 4711 costs 1,250.00"), says(text)]
        return label_segment(talk).metrics["grounded_claims"]

    assert answer("Item 4711 costs 1250.").score == 1.0
    assert answer("Item 9999 costs 777 and ships in 45 days.").score < 0.5


def test_a_missing_or_cut_answer_is_not_complete():
    def completeness(*messages):
        return label_segment([user("Explain the plan."), *messages]).metrics["completeness"].score

    assert completeness(says("First we measure, then we cut.")) == 1.0
    assert completeness(says("First we measure, then we cut, and")) == 0.6
    assert completeness(says("```python\nx = 1")) == 0.6
    assert completeness(calls("bash", "c1", command="ls")) == 0.0


def test_a_lost_answer_cannot_be_trained_on():
    label = label_segment([user("Explain."), calls("bash", "c1", command="ls"), result("c1", "a b c")])
    assert is_sft_eligible(label, threshold=0.0).reason == "no_assistant_text"


def test_a_destructive_command_is_a_security_lesson_and_costs_safety():
    label = label_segment(
        [user("Free space."), calls("bash", "c1", command="rm -rf ~/"), result("c1", ""), says("Ok.")]
    )
    assert label.metrics["safety"].score == 0.6
    assert label.metrics["lesson_security"].lines == (2,)
    assert is_memory_eligible(label).ok


def test_labels_are_marked_stable_and_survive_json():
    label = label_segment(SOLVED, topic="parser tests")
    assert label.labeler == LABELER_VERSION == "offline:23"
    assert label == label_segment(SOLVED, topic="parser tests")
    assert QualityLabel.from_json(label.to_json()) == label


def test_ids_of_calls_have_no_part_in_a_label():
    def renamed(message):
        if message["role"] == "tool":
            return {**message, "tool_call_id": "x" + message["tool_call_id"]}
        return {**message, "tool_calls": [{**c, "id": "x" + c["id"]} for c in message.get("tool_calls", [])]}

    other = [renamed(m) for m in SOLVED]
    assert label_segment(other) == label_segment(SOLVED)


def test_nothing_but_harness_text_gets_zeros():
    label = label_segment([Message("user", "<reminder>", origin="harness")])
    assert label.summary.overall_score == label.summary.memory_score == 0.0
    assert is_sft_eligible(label).ok is False


WORK = [
    user("Sort the list by date."),
    says("The list is sorted by date now, the newest first; I changed `list.py`."),
]


@pytest.mark.parametrize(
    ("following", "outcome"),
    [
        ("Perfect, that works great! Now let's add a filter by name.", "success"),
        ("It is still wrong, the same error appears and the order did not change at all.", "failure"),
        ("Write a README for the exporter.", "unknown"),
    ],
)
def test_the_turn_that_opens_the_next_task_may_tell_what_came_of_this_one(following, outcome):
    (turn,) = as_messages([user(following)])
    assert label_segment(WORK).summary.outcome == "unknown"
    assert label_segment(WORK, following=turn).summary.outcome == outcome


def test_a_turn_behind_a_segment_without_an_answer_tells_nothing():
    (turn,) = as_messages([user("Perfect, that works great!")])
    assert label_segment(WORK[:1], following=turn).summary.outcome == "unknown"
