"""Killed at the moments that chance rarely hits: two cycles later the store, its windows and Dagster's events are those
of an undisturbed run."""

import json
import os
import signal
import subprocess
import sys

import dagster as dg
import pytest

from tests.faults.job import MOMENTS
from tests.faults.world import ASSETS, digest, drop_files, settings_of, undisturbed
from tests.pipelines.test_runs import run, tick
from ultron_core.client import Ultron
from ultron_pipelines.build import build_defs
from ultron_pipelines.resources import UltronResource

FILES_DROPPED = 15


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A drop folder, and the digest of what an undisturbed run makes of it."""
    drop = drop_files(tmp_path_factory.mktemp("drop"), FILES_DROPPED)
    return drop, undisturbed(settings_of(tmp_path_factory.mktemp("quiet"), drop))


@pytest.fixture
def here(world, settings, tmp_path, monkeypatch):
    """(settings on the test's database, definitions, a Dagster instance that another process can open too)."""
    drop, _ = world
    own = settings_of(settings.store.home, drop).model_copy(update={"store": settings.store})
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    (tmp_path / "dagster").mkdir()
    (tmp_path / "dagster" / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    with dg.DagsterInstance.get() as instance:
        yield own, build_defs(own, resource=UltronResource.of(own)), instance


def killed(settings, job, moment, config=None):
    given = {"settings": settings.model_dump_json(), "config": config or {}}
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.job", job, moment],
        input=json.dumps(given), text=True, capture_output=True, check=False, env=os.environ,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, f"never came: {moment}\n{done.stderr[-2000:]}"


def cycle(defs, instance):
    """What the sensors ask for when a run ended badly: files, pending work, events that are missing."""
    requests, _ = tick(defs, instance)
    for request in requests:
        run(defs, instance, "ingest_sessions", run_config=request.run_config)
    assert run(defs, instance, "pending_work").success
    assert run(defs, instance, "reconcile_events").success


@pytest.mark.parametrize("moment", MOMENTS)
def test_two_cycles_after_a_kill_nothing_is_missing(here, world, moment):
    settings, defs, instance = here
    (request,), _ = tick(defs, instance)
    if "files" in moment:
        killed(settings, "ingest_sessions", moment, request.run_config)
    else:
        assert run(defs, instance, "ingest_sessions", run_config=request.run_config).success
        killed(settings, "pending_work", moment)
    # the process is gone and says nothing more: the code server sees that
    for lost in instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])):
        instance.report_run_failed(lost)
    for _ in range(2):
        cycle(defs, instance)
    with Ultron(settings) as ultron:
        assert digest(ultron) == world[1]
    for asset in ASSETS:
        assert len(instance.get_materialized_partitions(dg.AssetKey(asset))) == FILES_DROPPED, asset
