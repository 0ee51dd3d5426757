"""Five members make a cluster ready; three more make it ready again."""

import pytest

from ultron_core.clusters import ready_to_crystallize, ready_to_recrystallize


@pytest.mark.parametrize(
    ("size", "at", "first", "again"),
    [
        (4, None, False, False),
        (5, None, True, False),
        (9, None, True, False),
        (7, 5, False, False),
        (8, 5, False, True),
        (3, 5, False, False),
    ],
)
def test_readiness(size, at, first, again):
    assert ready_to_crystallize(size, at) is first
    assert ready_to_recrystallize(size, at) is again


def test_other_limits():
    assert ready_to_crystallize(2, None, threshold=2)
    assert ready_to_recrystallize(6, 5, delta=1)
