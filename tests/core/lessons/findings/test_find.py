"""What the agent states and a note-taker would keep, as the shipped model reads it."""

import dataclasses
import json
from importlib.resources import files

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.findings.draft import finding_draft
from ultron_core.lessons.findings.find import find_findings, has_a_place
from ultron_core.lessons.findings.listen import read_answers
from ultron_core.lessons.findings.reader import AnswerModel, load_answer_model
from ultron_core.lessons.reading import read_segment

CAUSE = "`flush()` is never called when the worker stops, so the numbers of the last minute are lost without a warning."
CURE = "Added a call of `flush()` to `stop()` in `worker.py`."
WHY = "This happens because the signal handler ends the process before the queue is empty."


def findings(said, *, request="Why are the last numbers missing?", then=(), worth=0.0, project="shop"):
    """Findings of an answer after one call; `worth` replaces the bound for its sentences."""
    messages = talk(("user", request), (bash("cat worker.py"), "def stop(): ..."), ("assistant", said), *then)
    reading = read_segment(messages, "unknown", project)
    model = dataclasses.replace(
        load_answer_model(), **(dict.fromkeys(("bound", "remark", "beside"), worth) if worth else {})
    )
    judged = [model.judge(one) for one in read_answers(reading.messages, reading.actions, reading.turns)]
    return find_findings(judged, model)


def drafts(said, **more):
    return [finding_draft(one, more.get("project", "shop")) for one in findings(said, **more)]


def test_cause_and_cure_of_one_answer_are_one_memory():
    (draft,) = drafts(f"**Root cause:** {CAUSE}\n\n**Fix:** {CURE}\n", worth=0.15)
    assert draft.memory_type == "error"
    assert CAUSE in draft.content and draft.content.startswith("In shop: ")
    assert CURE in draft.resolution and "The agent's account" in draft.resolution
    assert "Why are the last numbers missing?" in draft.context
    assert [item.quote for item in draft.evidence] == [f"**Root cause:** {CAUSE}", f"**Fix:** {CURE}"]


def test_a_sentence_that_leans_on_the_one_before_it_takes_it_along():
    (found,) = findings(f"{CAUSE} {WHY}", worth=0.05)
    assert [part.text for part in found.parts] == [CAUSE, WHY]


def test_a_sentence_that_leans_on_nothing_is_left_out():
    assert findings(WHY, worth=0.01) == []


@pytest.mark.parametrize(
    "said",
    [
        "I should call `flush()` here because the statistics would be lost.",  # a plan
        "It might be that `flush()` is not called when the worker stops.",  # a guess
        "Now let me look at `worker.py` and at the tests of the worker.",  # a step
        "Shall I add a call of `flush()` to `stop()`?",
        "All tests pass.",
    ],
)
def test_plans_guesses_steps_and_questions_are_left_out(said):
    assert findings(said) == []


def test_an_answer_that_the_person_rejects_tells_nothing():
    rejected = ("user", "No, that's wrong, it is called there!")
    assert findings(CAUSE, worth=0.05)
    assert findings(CAUSE, then=(rejected,), worth=0.05) == []


def test_a_cause_after_which_it_still_fails_was_not_it():
    went_on = ((bash("make run"), "started"), ("assistant", "Done."))
    assert findings(CAUSE, then=went_on, worth=0.2)
    still = (*went_on, ("user", "no, it still crashes with the same error, nothing has changed"))
    assert findings(CAUSE, then=still, worth=0.2) == []


@pytest.mark.parametrize("asks", ["Please paste the output of both commands.", "把这两条命令的结果贴给我。"])
def test_a_cause_whose_proof_the_agent_asks_for_is_a_guess(asks):
    assert [one.kind for one in findings(CAUSE, worth=0.2)] == ["error"]
    assert findings(f"{CAUSE}\n\n{asks}", worth=0.2) == []


@pytest.mark.parametrize(
    "said",
    [
        "All 12 tests pass, and the logs show no error.",
        "Workers now send the results to the queue.",
        "已把错误信息发给前端。",
    ],
)
def test_what_only_speaks_of_results_asks_for_no_proof(said):
    assert [one.kind for one in findings(f"{CAUSE}\n\n{said}", worth=0.2)][:1] == ["error"]


def test_a_statement_made_twice_is_told_once():
    again = CAUSE.replace("the last minute", "one minute")
    repeated = (("user", "Go on."), ("assistant", again))
    assert len(findings(CAUSE, then=repeated, worth=0.05)) == 1


def test_the_sound_before_it_and_the_line_that_it_names_are_left_out():
    placed = CAUSE.replace("worker stops", "worker stops (worker.py:12-14)")
    (draft,) = drafts(f"Good news: {placed}", worth=0.05)
    assert draft.content == f"In shop: {CAUSE}"


@pytest.mark.parametrize("taken_back", ["Wait, the queue is there.", "But that's not the real reason."])
def test_what_the_same_message_takes_back_is_left_out(taken_back):
    assert not any(CAUSE in one.words for one in findings(f"{CAUSE} {taken_back}", worth=0.05))


def test_a_remark_before_a_call_must_be_worth_more_than_a_closing_answer():
    messages = talk(
        ("user", "Why are the last numbers missing?"),
        ("assistant", CAUSE),
        (bash("cat worker.py"), "def stop(): ..."),
        ("assistant", "Done."),
    )
    reading = read_segment(messages, "unknown", "shop")
    for remark, count in ((1.0, 0), (0.05, 1)):
        model = dataclasses.replace(load_answer_model(), bound=0.05, remark=remark)
        judged = [model.judge(one) for one in read_answers(reading.messages, reading.actions, reading.turns)]
        found = [one for one in find_findings(judged, model) if one.answer.message.content == CAUSE]
        assert len(found) == count


def test_a_sentence_that_was_broken_at_the_margin_goes_on():
    wrapped = CAUSE.replace("worker stops, so", "worker\nstops, so")
    for draft in drafts(wrapped, worth=0.01):
        assert "; " not in draft.content


def test_a_model_of_other_features_is_refused():
    raw = json.loads(files("ultron_core.lessons.findings").joinpath("model.json").read_text("utf-8"))
    with pytest.raises(ValueError, match="run benchmarks/training/answers"):
        AnswerModel.from_json(raw | {"dense": [*raw["dense"], "moon"]})


def test_a_finding_of_no_project_that_names_nothing_stands_in_any_textbook():
    textbook = "An object is an instance of a class, because a class only describes it."
    for said in (textbook, CAUSE):
        (found,) = findings(said, worth=0.01)
        assert has_a_place(found, "shop", acted=-1) and has_a_place(found, "", acted=0)
        assert has_a_place(found, "", acted=-1) is (said == CAUSE)


def test_members_of_data_are_no_sentences():
    assert findings('"reason": "The request fails because the award was never found."', worth=0.01) == []


def test_a_point_of_a_list_brings_the_line_that_leads_to_it():
    said = f"What the worker loses at its end:\n\n- {CAUSE}\n"
    (draft,) = drafts(said, worth=0.05)
    assert draft.content == f"In shop: What the worker loses at its end: {CAUSE}"


def test_a_sentence_that_ends_before_what_it_says_is_left_out():
    said = "The worker loses the numbers of the last minute because of the call of `flush()`"
    assert findings(f"{said} at:\n\n```\ndef stop():\n    flush()\n    exit()\n```\n", worth=0.01) == []
    assert len(findings(f"{said} in `worker.py`.", worth=0.01)) == 1


def test_of_a_long_request_the_sentence_that_speaks_of_it_stands_for_it():
    request = (
        "Please read the plan in `plan.md` first. Keep the names as they are. "
        "Then find out why the numbers of the last minute are missing. Do not touch the tests."
    )
    (draft,) = drafts(CAUSE, request=request, worth=0.05)
    assert "why the numbers of the last minute are missing" in draft.context
    assert "plan.md" not in draft.context


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        ("Explain to me what the registers of RISC-V are for.", False),
        ("给我讲解一下 RISC-V 的各种寄存器", False),
        ("Explain to me why `flush()` of worker.py loses numbers.", True),  # of a file that they have
        ("The last numbers are missing.", True),
        ("Why is my nginx returning 502 since the upgrade?", True),
    ],
)
def test_what_explains_a_matter_before_any_call_is_a_lecture(request_, kept):
    (found,) = findings("`x10` to `x17` hold the arguments of a function.", request=request_, worth=0.01)
    before_any_call = found.answer.position + 1
    assert has_a_place(found, "", acted=before_any_call) is kept
    assert has_a_place(found, "", acted=-1) is kept
    assert has_a_place(found, "", acted=0) and has_a_place(found, "kernel", acted=-1)
