"""What is read and reconciled at one time is told once, by whoever reads it."""

import threading

import dagster as dg
import pytest

from tests.pipelines.test_runs import events_of, over_all, partitions_of, run, tick
from tests.support.worlds import task
from ultron_core.client import Ultron
from ultron_core.steps.stages.waiting.leases import telling
from ultron_pipelines import jobs as jobs_module
from ultron_pipelines.assets import sessions as sessions_module
from ultron_pipelines.triggers.queue import ingest_config, keys_being_read

pytestmark = pytest.mark.xdist_group("dagster")

READS = [
    ("ingest_sessions", {"run_config": ingest_config(["agent/one.jsonl"])}),
    ("session_files_job", {"tags": {"dagster/partition": "agent/one.jsonl"}}),
    (
        "session_files_job",
        {
            "tags": {
                "dagster/asset_partition_range_start": "agent/one.jsonl",
                "dagster/asset_partition_range_end": "agent/one.jsonl",
            }
        },
    ),
]


@pytest.mark.parametrize(("job", "given"), READS, ids=["batch", "partition", "range"])
def test_what_a_run_has_stored_and_not_told_yet_is_left_to_it(
    defs, instance, drop, dagster_settings, job, given
):
    drop("agent/one.jsonl", task("alpha"))
    drop("agent/two.jsonl", task("beta"))
    instance.add_dynamic_partitions("sessions", ["agent/one.jsonl", "agent/two.jsonl"])
    with Ultron(dagster_settings) as ultron:
        ultron.ingest([dagster_settings.sessions_dir], "agent")
    reading = instance.create_run_for_job(
        defs.resolve_job_def(job), status=dg.DagsterRunStatus.STARTED, **given
    )
    assert run(defs, instance, "reconcile_events").success
    assert partitions_of(instance, "session_files") == {"agent/two.jsonl"}
    instance.report_run_failed(reading)
    assert run(defs, instance, "reconcile_events").success
    assert partitions_of(instance, "session_files") == {"agent/one.jsonl", "agent/two.jsonl"}
    assert events_of(instance, "session_files") == 2


def test_a_run_of_later_stages_reads_no_file(defs, instance, drop):
    instance.add_dynamic_partitions("sessions", ["agent/one.jsonl"])
    instance.create_run_for_job(
        defs.resolve_job_def("segments_job"),
        status=dg.DagsterRunStatus.STARTED,
        tags={"dagster/partition": "agent/one.jsonl"},
    )
    assert keys_being_read(instance) == frozenset()


def test_what_was_reconciled_after_a_library_call_is_not_told_by_the_next_read(
    defs, instance, drop, dagster_settings
):
    drop("agent/one.jsonl", task("alpha"))
    with Ultron(dagster_settings) as ultron:
        ultron.ingest([dagster_settings.sessions_dir / "agent" / "one.jsonl"], "agent")
    assert run(defs, instance, "reconcile_events").success
    assert tick(defs, instance)[0] == [], "nothing is unreported"
    assert run(defs, instance, "ingest_sessions").success
    assert events_of(instance, "session_files") == 1


@pytest.mark.parametrize("job", ["ingest_sessions", "session_files_job"])
def test_a_read_waits_while_another_tells_of_files(defs, instance, drop, dagster_settings, job, monkeypatch):
    drop("agent/one.jsonl", task("alpha"))
    instance.add_dynamic_partitions("sessions", ["agent/one.jsonl"])
    given = {"run_config": ingest_config(["agent/one.jsonl"])}
    given = given if job == "ingest_sessions" else {"tags": over_all(instance)}
    stored = threading.Event()
    for module in (jobs_module, sessions_module):
        monkeypatch.setattr(module, "ingest_partitions", then(module.ingest_partitions, stored.set))
    reading = threading.Thread(target=lambda: run(defs, instance, job, **given))
    with Ultron(dagster_settings) as ultron, telling(ultron.runtime, "session_files"):
        reading.start()
        assert stored.wait(60)
        reading.join(timeout=1)
        assert events_of(instance, "session_files") == 0
    reading.join(timeout=60)
    assert events_of(instance, "session_files") == 1


def then(function, what):
    def both(*arguments, **named):
        result = function(*arguments, **named)
        what()
        return result

    return both
