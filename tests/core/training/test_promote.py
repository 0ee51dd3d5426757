"""An adapter is promoted when it is better than chance explains, and worse in nothing that matters."""

import math

import pytest

from ultron_core.training.promote import judge
from ultron_core.training.records import Calls, Evaluation, Losses, TypeLoss


def measured(loss, valid=4, rows=50, **types):
    by_type = {name: TypeLoss(*told) for name, told in types.items()}
    return Evaluation(Losses(rows, loss, by_type), Calls(8, valid))


def judged(before, after, *others):
    return judge(before, after, [after.losses, *(Losses(50, loss) for loss in others)])


def test_a_fall_by_more_than_the_spread_is_promoted():
    verdict = judged(measured(2.0), measured(1.8), 1.85, 1.79)
    assert verdict.promoted and verdict.reasons == ()
    assert (verdict.fall, verdict.spread) == (pytest.approx(0.2), pytest.approx(0.06))


def test_a_fall_within_the_spread_is_chance():
    verdict = judged(measured(2.0), measured(1.95), 2.0, 1.94)
    assert not verdict.promoted and "not by more than the spread" in verdict.reasons[0]


def test_a_task_type_of_twenty_rows_may_not_get_worse_beyond_the_spread():
    before = measured(2.0, debugging=(20, 1.0), qa=(19, 1.0))
    assert judged(before, measured(1.5, debugging=(20, 1.05), qa=(19, 9.0)), 1.6, 1.5).promoted
    verdict = judged(before, measured(1.5, debugging=(20, 1.2), qa=(19, 1.0)), 1.6, 1.5)
    assert verdict.reasons == ("debugging (20 rows) got worse by 0.2000",)


def test_fewer_valid_calls_refuse_it():
    verdict = judged(measured(2.0, valid=4), measured(1.0, valid=3), 1.0, 1.0)
    assert verdict.reasons == ("valid calls fell from 4 to 3 of 8 prompts",)
    assert judged(measured(2.0, valid=0), measured(1.0, valid=0), 1.0, 1.0).promoted


def test_without_validation_rows_nothing_is_known():
    nothing = measured(0.0, rows=0)
    assert judged(nothing, nothing, 0.0, 0.0).reasons == ("there is no validation row to measure by",)


def test_a_loss_that_is_no_number_is_no_fall():
    assert not judged(measured(2.0), measured(math.nan), 1.0, 1.0).promoted
