"""Which hits are listed, in which order, and how a question about "this project" is put."""

import pytest

from ultron_core.search.here import named
from ultron_core.search.shown import collapse, own_first


@pytest.mark.parametrize(
    ("asked", "put"),
    [
        ("how are changes in this project checked", "how are changes in shop checked"),
        ("which tests does our repo have", "which tests does shop have"),
        ("which command runs the linter here", "which command runs the linter in shop"),
        ("这个项目怎么测试", "shop 怎么测试"),
        ("here's the log of pip", "here's the log of pip"),
        ("pip fails in docker", "pip fails in docker"),
    ],
)
def test_a_question_about_this_project_names_it(asked, put):
    assert named(asked, "shop") == put


def test_own_hits_come_first_in_their_order():
    assert own_first([3, 10, 4, 12], lambda hit: hit >= 10) == [10, 12, 3, 4]


def test_a_few_weak_hits_of_ones_own_stand_before_the_right_one_of_another_project_and_the_rest_behind():
    own, weak = set(range(10, 20)), {10, 11, 12, 13, 14, 4}
    ordered = own_first([10, 11, 3, 12, 4, 13, 14, 15], own.__contains__, weak.__contains__)
    assert ordered == [10, 11, 12, 15, 3, 13, 14, 4]


def test_equal_summaries_are_listed_once_and_near_equal_ones_told_apart():
    hits = [
        ("checked with npm", ".ts"),
        ("checked with npm", ".ts"),
        ("checked with npm", ".md"),
        ("other", ""),
    ]
    shown = collapse(hits, lambda hit: (hit[0],), lambda hit: hit[1])
    assert [(one.hit, len(one.same), one.differs) for one in shown] == [
        (hits[0], 1, ".ts"),
        (hits[2], 0, ".md"),
        (hits[3], 0, ""),
    ]
