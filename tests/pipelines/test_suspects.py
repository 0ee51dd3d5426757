"""A file that ends the process which reads it: its neighbours are read, and it is shown as Failed with a reason."""

import os
import time

import dagster as dg
import pytest

from tests.pipelines.test_runs import failed_partitions, partitions_of, run, tick
from tests.support.worlds import task

pytestmark = pytest.mark.xdist_group("dagster")


def keys_of(request):
    return request.run_config["ops"]["read_session_files"]["config"]["keys"]


def dies(defs, instance, request):
    """A run of this request whose process is gone at its first file."""
    job = defs.resolve_job_def("ingest_sessions")
    begun = instance.create_run_for_job(
        job, run_config=request.run_config, status=dg.DagsterRunStatus.STARTING
    )
    began = dg.DagsterEvent("PIPELINE_START", job.name)
    instance.report_dagster_event(began, begun.run_id)
    instance.report_run_failed(instance.get_run_by_id(begun.run_id))
    return begun.run_id


def test_a_file_that_kills_comes_first_and_its_neighbours_are_read(defs, instance, drop):
    for name in "abc":
        drop(f"agent/{name}.jsonl", task(name))
    (request,), _ = tick(defs, instance)
    assert len(keys_of(request)) == 3
    dead = dies(defs, instance, request)
    others, alone = tick(defs, instance)[0]
    assert (keys_of(others), keys_of(alone)) == (["agent/b.jsonl", "agent/c.jsonl"], ["agent/a.jsonl"])
    assert instance.get_run_by_id(dead).tags["ultron/died_at"] == "agent/a.jsonl"
    assert run(defs, instance, "ingest_sessions", run_config=others.run_config).success
    assert partitions_of(instance, "session_files") == {"agent/b.jsonl", "agent/c.jsonl"}
    dies(defs, instance, alone)
    drop("agent/d.jsonl", task("d"))
    requests, _ = tick(defs, instance)
    assert [keys_of(request) for request in requests] == [["agent/d.jsonl"], ["agent/a.jsonl"]], "once more"
    dies(defs, instance, requests[1])
    assert run(defs, instance, "ingest_sessions", run_config=requests[0].run_config).success
    assert tick(defs, instance)[0] == [], "it waits for its next try as any other file that failed"
    assert failed_partitions(instance) == {"agent/a.jsonl"}
    (told,) = instance.fetch_observations(dg.AssetKey("session_files"), limit=10).records
    assert "memory of this machine" in told.asset_observation.metadata["reason"].value
    changed = drop("agent/a.jsonl", task("a"), task("smaller"))
    os.utime(changed, (time.time() + 60,) * 2)
    drop("agent/e.jsonl", task("e"))
    (request,), _ = tick(defs, instance)
    assert keys_of(request) == ["agent/a.jsonl", "agent/e.jsonl"], "it is another file now"
    assert run(defs, instance, "ingest_sessions", run_config=request.run_config).success
    assert failed_partitions(instance) == set()


def test_a_run_that_failed_and_told_of_its_files_makes_none_suspect(defs, instance, drop, drop_folder):
    drop("agent/a.jsonl", task("alpha"))
    (drop_folder / "agent" / "a.jsonl").write_bytes(bytes(range(256)) * 64)
    drop("agent/b.jsonl", task("beta"))
    os.utime(drop_folder / "agent" / "a.jsonl", (1, 1))
    (request,), _ = tick(defs, instance)
    assert not run(defs, instance, "ingest_sessions", run_config=request.run_config).success
    drop("agent/c.jsonl", task("gamma"))
    (request,), _ = tick(defs, instance)
    assert keys_of(request) == ["agent/c.jsonl"]
    assert instance.get_runs_count(dg.RunsFilter(tags={"ultron/died_at": "agent/a.jsonl"})) == 0


def test_a_run_that_ended_before_it_began_has_read_nothing(defs, instance, drop):
    drop("agent/a.jsonl", task("alpha"))
    drop("agent/b.jsonl", task("beta"))
    (request,), _ = tick(defs, instance)
    job = defs.resolve_job_def("ingest_sessions")
    instance.report_run_failed(instance.create_run_for_job(job, run_config=request.run_config))
    (request,), _ = tick(defs, instance)
    assert keys_of(request) == ["agent/a.jsonl", "agent/b.jsonl"]
