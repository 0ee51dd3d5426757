"""A bucket works as a drop folder and as an export target: the same content as a folder gives, by etag and size."""

import json
from datetime import timedelta

import dagster as dg
import pytest

from tests.pipelines.conftest import *  # noqa: F403 - the fixtures of Dagster's tests
from tests.pipelines.test_runs import over_all, partitions_of, run, tick
from tests.support.worlds import rows_written, solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.steps.audit.rows import dataset_matches_manifest
from ultron_core.steps.files.drop_folder import scan
from ultron_core.steps.files.ingest import ingest_files
from ultron_core.steps.files.receive import receive_log
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.steps.stages.table import STAGES
from ultron_core.store.digest import content_digest

FOLDER = "s3://ultron/logs"


@pytest.fixture
def put(s3):
    """Puts a log into the bucket."""

    def upload(name, *tasks):
        body = "".join(json.dumps(line) + "\n" for lines in tasks for line in lines)
        s3.put_object(Bucket="ultron", Key=f"logs/{name}", Body=body.encode())

    return upload


@pytest.fixture
def dagster_settings(settings, s3):
    sessions = settings.sessions.model_copy(update={"sessions_url": FOLDER})
    store = settings.store.model_copy(update={"exports_url": "s3://ultron/datasets"})
    return settings.model_copy(update={"sessions": sessions, "store": store})


@pytest.fixture
def ultron(dagster_settings):
    with Ultron(dagster_settings) as opened:
        yield opened


def read_all(ultron, after=timedelta(0)):
    """What became of each file that is new or has changed."""
    found = scan(ultron.runtime, ultron.runtime.clock() + after)
    return [result.status for result in ingest_files(ultron.runtime, [seen.file for seen in found.changed])]


def test_a_drop_in_the_bucket_goes_all_the_way(defs, instance, put, database, dagster_settings):
    put("agent/one.jsonl", solved("alpha", "pandas"))
    put("agent/deep/two.jsonl", task("beta"))
    put("agent/.hidden.jsonl", task("gamma"))
    put("agent/notes.txt", task("delta"))
    requests, _ = tick(defs, instance)
    assert run(defs, instance, "ingest_sessions", run_config=requests[0].run_config).success
    keys = {"agent/one.jsonl", "agent/deep/two.jsonl"}
    assert partitions_of(instance, "session_files") == keys
    for stage in STAGES:
        assert run(defs, instance, f"{stage.name}_job", tags=over_all(instance)).success
    with Ultron(dagster_settings) as ultron:
        hits = ultron.search_memories("ModuleNotFoundError pandas", record_hits=False)
    assert "pandas" in hits[0].record.summary_l0
    before = rows_written(database)
    assert tick(defs, instance) == ([], "2 files unchanged, 0 settling.")
    assert rows_written(database) == before


def test_an_object_is_known_by_its_etag_and_not_by_its_time(ultron, put):
    put("agent/one.jsonl", task("alpha"))
    assert read_all(ultron) == ["new"]
    put("agent/one.jsonl", task("alpha"))  # the same bytes, uploaded again: a new time
    assert scan(ultron.runtime).unchanged == 1
    put("agent/one.jsonl", task("alpha"), task("beta"))
    assert read_all(ultron) == ["appended"]


def test_a_moved_object_is_the_same_session_and_a_deleted_one_is_missing(ultron, put, s3):
    put("agent/one.jsonl", task("alpha"))
    read_all(ultron)
    s3.copy_object(
        Bucket="ultron",
        Key="logs/agent/two.jsonl",
        CopySource={"Bucket": "ultron", "Key": "logs/agent/one.jsonl"},
    )
    s3.delete_object(Bucket="ultron", Key="logs/agent/one.jsonl")
    assert read_all(ultron) == ["renamed"]
    s3.delete_object(Bucket="ultron", Key="logs/agent/two.jsonl")
    assert scan(ultron.runtime).missing == ("agent/two.jsonl",)


def test_a_bucket_that_is_not_there_is_a_problem_and_nothing_is_missing(ultron, put, dagster_settings):
    put("agent/one.jsonl", task("alpha"))
    read_all(ultron)
    sessions = dagster_settings.sessions.model_copy(update={"sessions_url": "s3://nowhere/logs"})
    with Ultron(dagster_settings.model_copy(update={"sessions": sessions})) as elsewhere:
        found = scan(elsewhere.runtime)
    assert found.missing == () and "s3://nowhere/logs cannot be listed" in found.problem


def test_a_bad_object_fails_with_its_reason(ultron, s3):
    s3.put_object(Bucket="ultron", Key="logs/agent/bad.jsonl", Body=bytes(range(256)) * 64)
    assert read_all(ultron) == ["failed"]
    with ultron.runtime.database.connection() as conn:
        (row,) = conn.execute("SELECT error, state FROM ultron.source_files").fetchall()
    assert row["state"] == "failed" and "s3://ultron/logs/agent/bad.jsonl" in row["error"]


def test_folder_and_bucket_give_the_same_content(settings, dagster_settings, new_database, put, tmp_path):
    tasks = {
        "agent/one.jsonl": (solved("alpha", "pandas"), task("beta")),
        "agent/two.jsonl": (task("gamma"),),
    }
    for name, logs in tasks.items():
        put(name, *logs)
        write_log(tmp_path / "drop" / name, *logs)
    digests = []
    for url, folder in ((FOLDER, None), (None, tmp_path / "drop")):
        store = settings.store.model_copy(update={"database_url": new_database()})
        sessions = settings.sessions.model_copy(update={"sessions_url": url, "sessions_dir": folder})
        with Ultron(settings.model_copy(update={"store": store, "sessions": sessions})) as ultron:
            # a file that was written just now has to settle, an object has not
            assert read_all(ultron, timedelta(minutes=1 if folder else 0)) == ["new", "new"]
            ultron.process_pending()
            digests.append(content_digest(ultron.runtime.database))
    assert digests[0] == digests[1]


def test_a_dataset_is_copied_to_the_bucket_and_fetched_on_another_machine(ultron, put, s3, tmp_path):
    put("agent/one.jsonl", solved("alpha", "pandas"))
    read_all(ultron)
    ultron.process_pending()
    export = export_dataset(ultron.runtime, ExportRequest(min_quality_score=0.3))
    listed = s3.list_objects_v2(Bucket="ultron", Prefix="datasets/")["Contents"]
    place = f"datasets/ultron/{export.version}"
    files = sorted(p.relative_to(export.path).as_posix() for p in export.path.rglob("*") if p.is_file())
    assert sorted(o["Key"] for o in listed) == [f"{place}/{name}" for name in files]
    times = {o["Key"]: o["LastModified"] for o in listed}
    export.path.rename(tmp_path / "gone")  # as on a machine that has not made it
    assert dataset_matches_manifest(ultron.runtime).count == 0
    fetched = sorted(p.relative_to(export.path).as_posix() for p in export.path.rglob("*") if p.is_file())
    assert fetched == files
    again = export_dataset(ultron.runtime, ExportRequest(min_quality_score=0.3))
    assert again.unchanged and again.version == export.version
    listed = s3.list_objects_v2(Bucket="ultron", Prefix="datasets/")["Contents"]
    assert {o["Key"]: o["LastModified"] for o in listed} == times, "nothing was copied again"


def test_what_a_program_sends_lands_in_the_bucket(ultron, s3):
    body = "".join(json.dumps(line) + "\n" for line in task("alpha")).encode()
    assert receive_log(ultron.runtime, body, "agent", "project/log.jsonl").status == "new"
    assert s3.get_object(Bucket="ultron", Key="logs/agent/project/log.jsonl")["Body"].read() == body
    assert scan(ultron.runtime).unchanged == 1


def test_compute_logs_go_to_a_bucket(s3, tmp_path):
    """As deploy/celery/dagster.yaml says it."""
    overrides = {
        "compute_logs": {
            "module": "dagster_aws.s3.compute_log_manager",
            "class": "S3ComputeLogManager",
            "config": {
                "bucket": "ultron",
                "prefix": "logs-of-runs",
                "local_dir": str(tmp_path),
                "endpoint_url": s3.meta.endpoint_url,
            },
        }
    }

    @dg.op
    def speaks():
        print("said in a run")

    @dg.job
    def job():
        speaks()

    with dg.instance_for_test(overrides=overrides) as instance:
        assert job.execute_in_process(instance=instance).success
    keys = [o["Key"] for o in s3.list_objects_v2(Bucket="ultron", Prefix="logs-of-runs")["Contents"]]
    bodies = [s3.get_object(Bucket="ultron", Key=key)["Body"].read().decode() for key in keys]
    assert any("said in a run" in body for body in bodies)
