"""Automation evaluates its conditions when something has happened, and then asks for what it would ask for anyway."""

import json

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._time import get_current_timestamp

from tests.pipelines.test_runs import over_all, run, tick
from tests.support.worlds import task
from ultron_pipelines.triggers.quiet import QuietAutomationSensor

NOTHING_NEW = "Nothing has happened since."


@pytest.fixture
def look(defs, instance):
    """One look of a sensor, by name; its cursor is kept as the daemon keeps it."""
    repository, cursors = defs.get_repository_def(), {}

    def evaluate(name="segments_automation", *, cursor_is_kept=True):
        context = dg.build_sensor_context(
            instance=instance, repository_def=repository, sensor_name=name, cursor=cursors.get(name)
        )
        told = repository.get_sensor_def(name).evaluate_tick(context)
        if cursor_is_kept:
            cursors[name] = told.cursor
        return told

    return evaluate


@pytest.fixture
def read(defs, instance, drop):
    """Drops a file and reads it, so that its segments are wanted."""

    def drop_and_read(name, *tasks):
        drop(name, *tasks)
        requests, _ = tick(defs, instance)
        run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)

    return drop_and_read


def asked_for(told):
    return {key for request in told.run_requests or () for key in keys_of(request)}


def keys_of(request):
    if request.partition_key:
        return {request.partition_key}
    (subset,) = request.asset_graph_subset.partitions_subsets_by_asset_key.values()
    return set(subset.get_partition_keys())


def test_all_automation_is_of_this_kind(defs):
    sensors = defs.get_repository_def().sensor_defs
    ours = [sensor for sensor in sensors if sensor.name.endswith("_automation")]
    assert len(ours) == 5 and all(type(sensor) is QuietAutomationSensor for sensor in ours)


def test_conditions_are_evaluated_again_only_when_something_has_happened(defs, instance, read, look):
    look()
    assert look().skip_message == NOTHING_NEW
    read("agent/one.jsonl", task("alpha"))
    read("agent/two.jsonl", task("beta"))
    assert asked_for(look()) == {"agent/one.jsonl", "agent/two.jsonl"}
    again = look()
    assert again.skip_message != NOTHING_NEW, "after a request it looks once more"
    assert not again.run_requests, "and does not ask twice"
    assert look().skip_message == NOTHING_NEW
    assert run(defs, instance, "segments_job", tags=over_all(instance)).success
    after = look()
    assert after.skip_message != NOTHING_NEW and not after.run_requests
    assert look().skip_message == NOTHING_NEW


def test_what_a_killed_daemon_did_not_request_is_asked_for_again(read, look):
    look()
    read("agent/one.jsonl", task("alpha"))
    assert asked_for(look(cursor_is_kept=False)) == {"agent/one.jsonl"}
    assert asked_for(look()) == {"agent/one.jsonl"}
    assert not look().run_requests


def test_the_daemon_keeps_a_name_and_a_cursor_of_an_older_version_goes_on(instance, read, look, defs):
    look()
    for number in range(3):
        read(f"agent/{number:02}.jsonl", task("alpha"))
        told = look()
    assert len(told.cursor) < 40
    name = "segments_automation"
    kept = json.loads(instance.daemon_cursor_storage.get_cursor_values({f"ultron/{name}"})[f"ultron/{name}"])
    assert len(kept) == 2 and told.cursor in kept, "the last one and the one before"
    repository = defs.get_repository_def()
    context = dg.build_sensor_context(
        instance=instance, repository_def=repository, sensor_name=name, cursor=kept[told.cursor]
    )
    again = repository.get_sensor_def(name).evaluate_tick(context)
    assert not again.run_requests, "what was asked for with it is known"


def test_the_end_of_a_backfill_is_something_new(instance, look):
    look()
    assert look().skip_message == NOTHING_NEW
    backfill = PartitionBackfill(
        backfill_id="by-hand",
        status=BulkActionStatus.REQUESTED,
        from_failure=False,
        tags={},
        backfill_timestamp=get_current_timestamp(),
    )
    instance.add_backfill(backfill)
    assert look().skip_message == NOTHING_NEW
    instance.update_backfill(backfill.with_status(BulkActionStatus.COMPLETED_SUCCESS))
    assert look().skip_message != NOTHING_NEW


def test_after_half_an_hour_it_looks_whatever_happened(look, monkeypatch):
    look()
    assert look().skip_message == NOTHING_NEW
    monkeypatch.setattr("ultron_pipelines.triggers.quiet.monotonic", lambda: float("inf"))
    assert look().skip_message != NOTHING_NEW
