"""Writers with idempotency keys, readers and upkeep, while random connections are killed: the benchmark, short."""

from benchmarks.load import concurrency


def test_killed_connections_lose_nothing_and_double_nothing(new_database, tmp_path):
    row = concurrency.run(new_database(), tmp_path, seconds=6, writers=16, readers=16, kills_per_second=5)
    assert row["kills"] >= 5 and row["n"] >= 20 and row["searches"] >= 20 and row["rebalances"] >= 1
    assert row["facts"] == row["memories"] and row["contributions_off"] == 0
    assert concurrency.kept(row), row
