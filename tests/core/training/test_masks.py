"""What is trained is what the model said, and nothing else."""

from dataclasses import replace

import pytest

from tests.support.learner import FakeLearner
from ultron_core.training.masks import mask_problems, stretches
from ultron_core.training.records import RowRef

REF = RowRef("r", "c", "g", "train")
CALL = {"id": "a", "type": "function", "function": {"name": "grep", "arguments": {"for": 'x\n\\d "y"'}}}
ASKED = "Please find the line that says where the configuration of the server is read from."
MESSAGES = [
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {
        "role": "tool",
        "tool_call_id": "a",
        "content": "server.py:12: config = read_configuration(place, user)",
    },
    {"role": "assistant", "content": "It is read in line 12 of server.py."},
]


def encoded(messages=MESSAGES):
    learner = FakeLearner()
    return learner, learner.encode(REF, {"messages": messages, "task_type": "qa"})


def problems(learner, row, messages=MESSAGES):
    return list(mask_problems(messages, row, learner.decode))


def test_stretches_of_trained_tokens():
    assert stretches([False, True, True, False, True]) == [(1, 3), (4, 5)]
    assert stretches([]) == stretches([False]) == []


def test_a_row_whose_own_turns_are_trained_is_right():
    learner, row = encoded()
    assert problems(learner, row) == []


def test_a_call_that_is_not_trained_is_told():
    learner, row = encoded()
    (start, _), _ = stretches(row.trained)
    cut = [trained and place > start + 8 for place, trained in enumerate(row.trained)]
    assert "'grep' is not trained" in problems(learner, replace(row, trained=cut))[0]


def test_an_answer_that_is_not_trained_is_told():
    learner, row = encoded()
    last = stretches(row.trained)[-1]
    cut = [trained and place < last[1] - 2 for place, trained in enumerate(row.trained)]
    assert "is not trained" in problems(learner, replace(row, trained=cut))[0]


@pytest.mark.parametrize(("place", "role"), [(0, "user"), (2, "tool")])
def test_text_of_another_that_is_trained_is_told(place, role):
    learner, row = encoded()
    words = [learner.words[token] for token in row.tokens]
    begin = words.index(f"{role}:")
    end = stretches(row.trained)[place // 2][0]
    # the mask of the next turn begins too early, at this one
    wide = [trained or begin <= number < end for number, trained in enumerate(row.trained)]
    if place:
        assert f"text of the {role} is trained" in " ".join(problems(learner, replace(row, trained=wide)))
    else:
        assert f"text of the {role} is trained" in problems(learner, replace(row, trained=wide))[0]


def test_an_answer_that_quotes_the_user_is_no_text_of_the_user():
    messages = [MESSAGES[0], {"role": "assistant", "content": f"You ask: {ASKED}"}]
    learner, row = encoded(messages)
    assert problems(learner, row, messages) == []


def test_a_masked_turn_is_not_trained_and_must_not_be():
    masked = [*MESSAGES[:1], {**MESSAGES[1], "loss": False}, *MESSAGES[2:]]
    learner, row = encoded(masked)
    assert len(stretches(row.trained)) == 1 and problems(learner, row, masked) == []
    _, whole = encoded()
    assert problems(learner, whole, masked) == ["1 turns of the model, but 2 trained stretches"]
