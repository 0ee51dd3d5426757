"""Tiers by share of hits."""

from datetime import UTC, datetime

from ultron_core.memories import TierRow, assign_tiers

EARLY, LATE = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)


def test_cuts_are_rounded_up():
    rows = [TierRow(i, 100 - i, LATE) for i in range(11)]
    tiers = list(assign_tiers(rows, 10, 40).values())
    assert tiers == ["hot"] * 2 + ["warm"] * 5 + ["cold"] * 4


def test_ties_go_to_the_latest_hit_then_none_last_then_the_id():
    rows = [TierRow("d", 5, None), TierRow("c", 5, EARLY), TierRow("b", 5, LATE), TierRow("a", 5, None)]
    assert list(assign_tiers(rows)) == ["b", "c", "a", "d"]


def test_one_row_is_hot_and_no_row_is_nothing():
    assert assign_tiers([TierRow("x", 1, None)]) == {"x": "hot"}
    assert assign_tiers([]) == {}


def test_a_rule_that_nobody_confirmed_is_passed_over_and_the_hot_share_is_of_the_others():
    rows = [TierRow(i, 100 - i, LATE, confirmed=i % 2 == 1) for i in range(20)]
    tiers = assign_tiers(rows, 10, 40)
    assert [i for i, tier in tiers.items() if tier == "hot"] == [1]  # ceil(10 x 0.1), not ceil(20 x 0.1)
    assert [i for i, tier in tiers.items() if tier == "warm"] == [0, *range(2, 9)]


def test_without_a_confirmed_rule_nothing_is_hot():
    assert assign_tiers([TierRow("x", 1, None, confirmed=False)]) == {"x": "warm"}
