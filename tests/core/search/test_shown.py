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
