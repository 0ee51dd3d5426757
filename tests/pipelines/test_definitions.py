"""What a Dagster user sees: names are data (events and partitions hang on them), so they are pinned here."""

import json
from pathlib import Path

import dagster as dg
import pytest

from ultron_core.settings import Settings
from ultron_pipelines.build import build_defs
from ultron_pipelines.triggers.schedules import cron_for, is_due

SNAPSHOT = Path(__file__).with_name("definitions.json")
PARTITIONED = {"session_files", "segments", "quality_labels", "extracted_memories", "message_windows"}


def test_the_assets_their_partitions_and_what_they_rest_on(defs):
    graph = defs.resolve_asset_graph()
    found = {
        key.to_user_string(): {parent.to_user_string() for parent in graph.get(key).parent_keys}
        for key in graph.materializable_asset_keys
    }
    assert found == {
        "session_files": set(),
        "segments": {"session_files"},
        "quality_labels": {"segments"},
        "extracted_memories": {"quality_labels"},
        "message_windows": {"session_files"},
        "tier_assignments": {"extracted_memories"},
        "clusters": {"extracted_memories"},
        "sft_dataset": {"quality_labels"},
        "sft_training": {"sft_dataset"},
        "pipeline_summary": PARTITIONED,
    }
    partitioned = {k.to_user_string() for k in graph.materializable_asset_keys if graph.get(k).is_partitioned}
    assert partitioned == PARTITIONED


def test_every_asset_has_a_group_a_description_and_a_check(defs):
    graph = defs.resolve_asset_graph()
    checked = {check.asset_key for check in graph.asset_check_keys}
    for key in graph.materializable_asset_keys:
        node = graph.get(key)
        assert node.group_name != "default" and node.description and node.kinds
        told_of_all_checks = key == dg.AssetKey("pipeline_summary")
        assert key in checked or told_of_all_checks, f"{key} has no check"


def test_the_definitions_are_those_of_the_snapshot():
    """Events, schedules that people switched on and bookmarks hang on these names: a change is made on purpose."""
    held = json.loads(SNAPSHOT.read_text("utf-8"))
    assert snapshot(build_defs(Settings())) == held, (
        "if it is meant: python -m tests.pipelines.test_definitions"
    )


def snapshot(defs):
    """All definitions as they are told to Dagster, without the versions of code."""
    repository, graph = defs.get_repository_def(), defs.resolve_asset_graph()
    specs = {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}
    return {
        "assets": {
            name: {
                "after": sorted(dep.asset_key.to_user_string() for dep in spec.deps),
                "group": spec.group_name,
                "kinds": sorted(spec.kinds),
                "owners": list(spec.owners),
                "tags": {k: v for k, v in sorted(spec.tags.items()) if k.startswith("ultron/")},
                "metadata": sorted(spec.metadata),
                "partitions": spec.partitions_def.name if spec.partitions_def else None,
                "condition": spec.automation_condition.get_label() if spec.automation_condition else None,
                "freshness": str(spec.freshness_policy),
                "checks": sorted(k.name for k in graph.asset_check_keys if k.asset_key == spec.key),
            }
            for name, spec in sorted(specs.items())
        },
        "jobs": sorted(job.name for job in repository.get_all_jobs()),
        "sensors": {s.name: s.minimum_interval_seconds for s in repository.sensor_defs},
        "schedules": {s.name: [s.cron_schedule, s.job_name] for s in repository.schedule_defs},
    }


def test_jobs_sensors_and_schedules_by_name(defs):
    repository = defs.get_repository_def()
    assert {s.name for s in repository.sensor_defs} >= {
        "session_drop_sensor",
        "pending_work_sensor",
        "reconcile_sensor",
        "message_windows_automation",
        "session_files_automation",
        "segments_automation",
        "quality_labels_automation",
        "extracted_memories_automation",
        "failure_sensor",
    }
    assert {s.name for s in repository.schedule_defs} == {
        "rebalance_schedule",
        "sft_export_schedule",
        "sft_training_schedule",
        "checks_schedule",
    }
    assert {"ingest_sessions", "pending_work", "rebalance_job", "sft_export_job", "checks_job"} <= {
        job.name for job in repository.get_all_jobs()
    }


@pytest.mark.parametrize("running", [True, False])
def test_sensors_run_by_default_only_when_asked_for(running):
    repository = build_defs(Settings(), running=running).get_repository_def()
    status = dg.DefaultSensorStatus.RUNNING if running else dg.DefaultSensorStatus.STOPPED
    names = {"session_drop_sensor", "pending_work_sensor", "segments_automation"}
    assert {s.default_status for s in repository.sensor_defs if s.name in names} == {status}


def test_intervals_become_cron_lines():
    assert cron_for(6) == "0 */6 * * *"
    assert cron_for(0.5) == "*/30 * * * *"
    assert cron_for(24) == "0 0 * * *"
    assert cron_for(0.1) == "*/6 * * * *"
    assert cron_for(2.5) == "*/6 * * * *"


def test_an_interval_that_cron_cannot_say_is_due_once_an_interval():
    ticks = range(0, 10 * 3600, 360)
    assert sum(is_due(2.5, at) for at in ticks) == 4
    assert all(is_due(0.1, at) for at in ticks)


if __name__ == "__main__":
    SNAPSHOT.write_text(
        json.dumps(snapshot(build_defs(Settings())), indent=1, sort_keys=True) + "\n", "utf-8"
    )
