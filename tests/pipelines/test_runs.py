"""Real runs: a drop is read, the stages follow, one bad file fails alone, nothing new writes nothing."""

import threading

import dagster as dg
import pytest
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value

from tests.support.worlds import rows_written, solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.steps.stages.table import STAGES
from ultron_core.steps.stages.waiting.leases import telling
from ultron_pipelines.assets import stages as stage_assets
from ultron_pipelines.partitions import SESSIONS_NAME, sessions_partitions
from ultron_pipelines.triggers.queue import ingest_config

pytestmark = pytest.mark.xdist_group("dagster")


def tick(defs, instance):
    """One tick of the drop sensor, with its partitions added as the daemon would."""
    repository = defs.get_repository_def()
    sensor = repository.get_sensor_def("session_drop_sensor")
    context = dg.build_sensor_context(
        instance=instance,
        repository_def=repository,
        sensor_name="session_drop_sensor",
        resources=defs.resources,
    )
    result = sensor(context)
    if isinstance(result, dg.SkipReason):
        return [], result.skip_message
    for request in result.dynamic_partitions_requests or ():
        instance.add_dynamic_partitions(SESSIONS_NAME, list(request.partition_keys))
    return list(result.run_requests), None


def run(defs, instance, name, **arguments):
    return defs.resolve_job_def(name).execute_in_process(instance=instance, raise_on_error=False, **arguments)


def over_all(instance):
    keys = instance.get_dynamic_partitions(SESSIONS_NAME)
    return {
        "dagster/asset_partition_range_start": keys[0],
        "dagster/asset_partition_range_end": keys[-1],
    }


def partitions_of(instance, asset):
    return set(instance.get_materialized_partitions(dg.AssetKey(asset)))


def failed_partitions(instance):
    """What the UI shows as Failed."""
    status = get_and_update_asset_status_cache_value(
        instance, dg.AssetKey("session_files"), sessions_partitions
    )
    return set(status.deserialize_failed_partition_subsets(sessions_partitions).get_partition_keys())


def test_a_run_that_is_queued_holds_its_files(defs, instance, drop):
    drop("agent/one.jsonl", task("alpha"))
    (request,), _ = tick(defs, instance)
    job = defs.resolve_job_def("ingest_sessions")
    queued = instance.create_run_for_job(
        job, run_config=request.run_config, status=dg.DagsterRunStatus.NOT_STARTED
    )
    assert tick(defs, instance) == ([], "1 files wait; 1 runs hold others or these.")
    drop("agent/two.jsonl", task("beta"))
    assert tick(defs, instance)[0] == [], "joins the next full batch, or waits until nothing is queued"
    instance.report_run_canceled(queued)
    (request,), _ = tick(defs, instance)
    assert request.run_config["ops"]["read_session_files"]["config"]["keys"] == [
        "agent/one.jsonl",
        "agent/two.jsonl",
    ]


def test_a_drop_becomes_memories_and_a_second_tick_finds_nothing(
    defs, instance, drop, dagster_settings, database
):
    drop("agent/one.jsonl", solved("alpha", "pandas"))
    drop("agent/deep/two.jsonl", task("beta"))
    requests, _ = tick(defs, instance)
    assert len(requests) == 1, "one run for both files"
    result = run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    assert result.success
    keys = {"agent/one.jsonl", "agent/deep/two.jsonl"}
    assert partitions_of(instance, "session_files") == keys
    for stage in (stage.name for stage in STAGES):
        assert run(defs, instance, f"{stage}_job", tags=over_all(instance)).success
        assert partitions_of(instance, stage) == keys
    with Ultron(dagster_settings) as ultron:
        hits = ultron.search_memories("ModuleNotFoundError pandas", record_hits=False)
    assert hits and "pandas" in hits[0].record.summary_l0
    before = rows_written(database)
    assert tick(defs, instance) == ([], "2 files unchanged, 0 settling.")
    for stage in (stage.name for stage in STAGES):
        assert run(defs, instance, f"{stage}_job", tags=over_all(instance)).success
    assert rows_written(database) == before


def test_one_bad_file_fails_alone(defs, instance, drop, drop_folder, dagster_settings):
    drop("agent/a.jsonl", task("alpha"))
    (drop_folder / "agent" / "b.jsonl").write_bytes(bytes(range(256)) * 64)
    drop("agent/c.jsonl", task("gamma"))
    import os

    os.utime(drop_folder / "agent" / "b.jsonl", (1, 1))
    requests, _ = tick(defs, instance)
    assert not run(defs, instance, "ingest_sessions", run_config=requests[0].run_config).success
    assert partitions_of(instance, "session_files") == {"agent/a.jsonl", "agent/c.jsonl"}
    assert failed_partitions(instance) == {"agent/b.jsonl"}, "shown as Failed at its first try"
    (told,) = instance.fetch_observations(dg.AssetKey("session_files"), limit=10).records
    reason = told.asset_observation.metadata["reason"].value
    assert told.partition_key == "agent/b.jsonl" and "is a binary file" in reason
    assert tick(defs, instance)[0] == [], "the bad file waits until its next try is due"
    failed = run(defs, instance, "session_files_job", tags=over_all(instance))
    assert not failed.success
    event = next(e for e in failed.all_events if e.event_type_value == "STEP_FAILURE")
    assert "agent/b.jsonl" in str(event.event_specific_data) and "1 of 3" in str(event.event_specific_data)
    with Ultron(dagster_settings) as ultron:
        stats = ultron.trajectory_service.get_trajectory_stats()["sessions"]
    assert (stats["total"], stats["failed"]) == (3, 1)


def test_a_library_ingest_is_reported_to_dagster(defs, instance, tmp_path, dagster_settings):
    with Ultron(dagster_settings) as ultron:
        ultron.ingest([write_log(tmp_path / "elsewhere" / "log.jsonl", task("alpha"))], "agent")
    requests, _ = tick(defs, instance)
    assert run(defs, instance, "ingest_sessions", run_config=requests[0].run_config).success
    (key,) = partitions_of(instance, "session_files")
    assert key.startswith("agent/@abs/") and key.endswith("/log.jsonl")
    assert tick(defs, instance)[0] == []


def test_tiers_clusters_dataset_and_checks(defs, instance, drop):
    drop("agent/a.jsonl", solved("a", "pandas"))
    drop("agent/b.jsonl", solved("b", "requests", "Please never push to main without asking me."))
    drop("agent/c.jsonl", solved("c", "lxml", "I prefer short commit messages."))
    requests, _ = tick(defs, instance)
    run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    for stage in (stage.name for stage in STAGES):
        run(defs, instance, f"{stage}_job", tags=over_all(instance))
    assert run(defs, instance, "rebalance_job").success
    assert run(defs, instance, "sft_export_job").success
    result = run(defs, instance, "checks_job")
    assert result.success
    evaluations = result.get_asset_check_evaluations()
    assert len(evaluations) == len({e.check_name for e in evaluations}) == 16, "each check ran once"
    assert [e.check_name for e in evaluations if not e.passed] == []
    summary = instance.get_latest_materialization_event(dg.AssetKey("pipeline_summary"))
    numbers = {k: v.value for k, v in summary.asset_materialization.metadata.items()}
    assert (numbers["files"], numbers["files_failed"], numbers["sessions"]) == (3, 0, 3)
    assert numbers["memories"] >= 3 and 0 < numbers["mean_overall_score"] <= 1
    assert {name for name in numbers if name.startswith("violations_")} == {
        f"violations_{e.check_name}" for e in evaluations
    }, "the checks of the same run came first"
    assert numbers["violations_no_secret_stored"] == numbers["violations_memories_pass_gate"] == 0
    assert "new_memories" not in numbers, "there is nothing yet that they could be newer than"
    assert run(defs, instance, "checks_job").success
    again = instance.get_latest_materialization_event(dg.AssetKey("pipeline_summary")).asset_materialization
    assert again.metadata["new_memories"].value == 0


class Sensors:
    """The automation sensors, each with a cursor of its own as in the daemon."""

    def __init__(self, defs, instance):
        self.defs, self.instance, self.cursors = defs, instance, {}

    def tick(self):
        asked = {}
        for stage in (stage.name for stage in STAGES):
            result = dg.evaluate_automation_conditions(
                defs=self.defs,
                instance=self.instance,
                asset_selection=dg.AssetSelection.assets(stage),
                cursor=self.cursors.get(stage),
            )
            self.cursors[stage] = result.cursor
            asked[stage] = result.get_requested_partitions(dg.AssetKey(stage))
        return {stage: keys for stage, keys in asked.items() if keys}


def test_new_content_asks_for_one_stage_after_the_other_and_old_content_for_nothing(defs, instance, drop):
    sensors = Sensors(defs, instance)
    assert sensors.tick() == {}
    path = drop("agent/one.jsonl", solved("alpha", "pandas"))
    drop("agent/two.jsonl", task("beta"))
    requests, _ = tick(defs, instance)
    run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    both = {"agent/one.jsonl", "agent/two.jsonl"}
    for stages in (("segments", "message_windows"), ("quality_labels",), ("extracted_memories",)):
        assert sensors.tick() == dict.fromkeys(stages, both)
        for stage in stages:
            run(defs, instance, f"{stage}_job", tags=over_all(instance))
    assert sensors.tick() == {}
    run(defs, instance, "segments_job", tags=over_all(instance))
    assert sensors.tick() == {}, "the same content again is nothing new"
    drop("agent/one.jsonl", solved("alpha", "pandas"), task("gamma"))
    assert path.exists()
    requests, _ = tick(defs, instance)
    run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    assert sensors.tick() == {stage: {"agent/one.jsonl"} for stage in ("segments", "message_windows")}


def test_what_a_cancelled_backfill_left_undone_is_asked_for_again(defs, instance, drop):
    sensors = Sensors(defs, instance)
    sensors.tick()
    drop("agent/one.jsonl", solved("alpha", "pandas"))
    requests, _ = tick(defs, instance)
    run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    assert "segments" in sensors.tick()
    # a person cancels what automation asked for: it asks once for each change
    assert sensors.tick() == {}
    repository = defs.get_repository_def()
    asked, cursor = [], None
    for _ in range(2):
        context = dg.build_sensor_context(
            instance=instance,
            repository_def=repository,
            sensor_name="pending_work_sensor",
            resources=defs.resources,
            cursor=cursor,
        )
        asked.append(repository.get_sensor_def("pending_work_sensor")(context))
        cursor = context.cursor
    assert isinstance(asked[0], dg.SkipReason) and isinstance(asked[1], dg.RunRequest)
    assert run(defs, instance, "pending_work").success
    for stage in STAGES:
        assert partitions_of(instance, stage.name) == {"agent/one.jsonl"}


def test_what_pending_work_has_told_is_not_told_again_by_the_run_that_automation_asked_for(
    defs, instance, drop
):
    drop("agent/one.jsonl", solved("alpha", "pandas"))
    drop("agent/two.jsonl", task("beta"))
    requests, _ = tick(defs, instance)
    run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    assert run(defs, instance, "pending_work").success
    told = {stage.name: events_of(instance, stage.name) for stage in STAGES}
    assert all(events == 2 for events in told.values()), "one for each file"
    for stage in STAGES:
        assert run(defs, instance, f"{stage.name}_job", tags=over_all(instance)).success
    assert run(defs, instance, "pending_work").success
    assert {stage.name: events_of(instance, stage.name) for stage in STAGES} == told
    by_hand = {**over_all(instance), "dagster/backfill": "by-hand"}
    assert run(defs, instance, "segments_job", tags=by_hand).success
    for name in ("quality_labels_job", "message_windows_job"):
        assert run(defs, instance, name, tags=over_all(instance)).success
    assert run(defs, instance, "reconcile_events").success
    assert {stage.name: events_of(instance, stage.name) for stage in STAGES} == {**told, "segments": 4}, (
        "what is made of the same segments is not told again because these were"
    )


def test_of_runs_that_end_at_once_one_tells_and_the_others_look_after_that(
    defs, instance, drop, dagster_settings, monkeypatch
):
    drop("agent/one.jsonl", solved("alpha", "pandas"))
    requests, _ = tick(defs, instance)
    run(defs, instance, "ingest_sessions", run_config=requests[0].run_config)
    order, ask, tell = [], stage_assets.not_told, stage_assets.log_partitions

    def other_run():
        with telling(ultron.runtime, "segments"):
            order.append("another looks")

    def ask_while_another_ends(*arguments, **named):
        order.append("asks")
        another.start()
        another.join(timeout=1)
        return ask(*arguments, **named)

    def tell_and_note(*arguments, **named):
        order.append("tells")
        tell(*arguments, **named)

    monkeypatch.setattr(stage_assets, "not_told", ask_while_another_ends)
    monkeypatch.setattr(stage_assets, "log_partitions", tell_and_note)
    with Ultron(dagster_settings) as ultron:
        another = threading.Thread(target=other_run)
        assert run(defs, instance, "segments_job", tags=over_all(instance)).success
        another.join(timeout=30)
    assert order == ["asks", "tells", "another looks"]
    assert events_of(instance, "segments") == 1


def events_of(instance, asset):
    return len(instance.fetch_materializations(dg.AssetKey(asset), limit=100).records)


def test_two_runs_at_once_tell_of_their_own_files_alone(defs, instance, drop, dagster_settings):
    drop("agent/one.jsonl", task("alpha"))
    drop("agent/two.jsonl", task("beta"))
    job = defs.resolve_job_def("ingest_sessions")
    # the other run has stored its file and not told of it yet
    with Ultron(dagster_settings) as ultron:
        ultron.ingest([dagster_settings.sessions_dir / "agent" / "two.jsonl"], "agent")
    other = instance.create_run_for_job(
        job, run_config=ingest_config(["agent/two.jsonl"]), status=dg.DagsterRunStatus.STARTED
    )
    assert run(defs, instance, "ingest_sessions", run_config=ingest_config(["agent/one.jsonl"])).success
    assert partitions_of(instance, "session_files") == {"agent/one.jsonl"}
    instance.report_run_failed(other)
    (request,), _ = tick(defs, instance)
    assert run(defs, instance, "ingest_sessions", run_config=request.run_config).success
    assert partitions_of(instance, "session_files") == {"agent/one.jsonl", "agent/two.jsonl"}


def test_work_that_waited_long_ago_does_not_shorten_the_wait_of_what_waits_now(defs, instance):
    """What is fresh is left to automation for one tick."""
    repository = defs.get_repository_def()
    context = dg.build_sensor_context(
        instance=instance,
        repository_def=repository,
        sensor_name="pending_work_sensor",
        resources=defs.resources,
        cursor="waiting",
    )
    assert isinstance(repository.get_sensor_def("pending_work_sensor")(context), dg.SkipReason)
    assert not context.cursor
