"""When two requests are the same task, and which rows are split together."""

import numpy as np
import pytest

from ultron_core.sft.curate.same_task import first_request, join_groups, task_key


def test_courtesy_and_filler_words_make_no_other_task():
    one = task_key("p", "Hi! I'd like to book the same flights as my current reservation for my friend Ivan.")
    other = task_key(
        "p", "Hello, I need to book the same flight as my current reservation for my friend Ivan, please"
    )
    assert one == other
    assert task_key("p", "你能帮我订一个披萨吗？") == task_key("p", "你可以帮我订一个披萨吗？")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "You see a bed 1. Your task is to: look at the bowl.",
            "You see a bed 1. Your task is to: look at the mug.",
        ),
        ("Build with port 5432", "Build with port 5433"),
        ("move north to south", "move south to north"),
    ],
)
def test_one_word_that_differs_makes_another_task(one, other):
    assert task_key("p", one) != task_key("p", other)


def test_another_project_is_another_task_unless_the_outcomes_name_it():
    assert task_key("p", "fix the parser") != task_key("q", "fix the parser")
    assert task_key("p", "fix it", "astropy-1") == task_key("q", "repair it", "astropy-1")


def test_a_request_of_filler_words_alone_is_compared_as_it_is():
    assert task_key("p", "ok now you") != task_key("p", "thank you")


def groups(members):
    keys = np.array(members, "S").reshape(-1, 2)
    return [group.decode() for group in join_groups(keys[:, 0], keys[:, 1])]


def test_groups_join_sessions_through_their_tasks_in_any_order():
    members = [("s1", "t1"), ("s1", "t2"), ("s2", "t2"), ("s3", "t3"), ("s2", "t4")]
    assert groups(members) == ["t1", "t1", "t1", "t3", "t1"]
    assert groups(members[::-1])[::-1] == groups(members)
    assert groups([]) == []


def test_the_first_request_is_the_first_users():
    assert first_request([{"role": "system", "content": "x"}, {"role": "user", "content": "y"}]) == "y"
