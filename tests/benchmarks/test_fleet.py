"""The simulated day: every file is done once, and the rule of the sensor is what cuts the runs."""

from benchmarks.load.fleet import COSTS, Fleet, simulate


def test_every_file_becomes_memories_and_is_counted_once():
    told = simulate(Fleet(files=2_000, cores=2, tick=300))
    assert told["files_done"] == told["files"] == 2_000
    assert 0 < told["p50"] <= told["p95"] <= told["worst"]
    cpu = sum(own for own, _ in COSTS.values()) / 1000 * 2_000
    assert abs(told["busy"] * 2 * 86_400 * (1 - told["start_share"]) - cpu) < 0.05 * cpu + 90


def test_a_slower_look_makes_fewer_runs():
    often, seldom = (simulate(Fleet(files=2_000, cores=2, tick=tick)) for tick in (60, 600))
    assert seldom["runs"] < often["runs"] / 4 and seldom["p50"] > often["p50"]


def test_too_few_cores_leave_files_undone_and_say_so():
    told = simulate(Fleet(files=2_000, cores=1, start_seconds=400.0, tick=300, batch=50))
    assert told["files_done"] < 2_000 and told["busy"] > 0.9


def test_no_batch_is_larger_than_asked_for():
    small, large = (simulate(Fleet(files=3_000, cores=4, batch=size, tick=3_600)) for size in (10, 500))
    assert small["runs"] > 2 * large["runs"]
