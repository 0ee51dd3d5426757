"""What `ultron dev` keeps up: a part that ends is started again, one that keeps ending is given up, and it is alone."""

import os
import signal
import subprocess
import sys
import threading
import time

import dagster as dg
import pytest

from ultron_core.errors import StoreError
from ultron_pipelines.host import supervise
from ultron_pipelines.host.code_server import fail_lost_runs, start_of_runs
from ultron_pipelines.host.supervise import Part, only_one

SLEEPS = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture
def kept_up():
    """Run the loop in a thread with its own stop; returns what it said, its code and a way to stop it."""
    stop, said, code = threading.Event(), [], []
    parts: list[Part] = []

    def begin(*given, revive=lambda: False):
        parts.extend(given)

        def loop():
            code.append(supervise._keep_up(given, os.environ, revive, said.append, stop))

        thread = threading.Thread(target=loop)
        thread.start()
        return thread

    yield begin, said, code, stop
    stop.set()
    for part in parts:
        part.stop()


def until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_killed_part_is_started_again(kept_up):
    begin, said, code, stop = kept_up
    part = Part("daemon", SLEEPS)
    thread = begin(part)
    until(lambda: part.process)
    first = part.process.pid
    os.kill(first, signal.SIGKILL)
    until(lambda: part.process and part.process.pid != first and part.process.poll() is None)
    assert said == ["Dagster's daemon ended (exit code -9) and is started again."]
    stop.set()
    thread.join()
    assert code == [0]


def test_a_part_that_is_killed_again_and_again_is_started_again_each_time(kept_up):
    begin, said, _, _ = kept_up
    part, killed = Part("daemon", SLEEPS), []
    begin(part)
    for _ in range(6):
        until(lambda: part.process and part.process.pid not in killed)
        killed.append(part.process.pid)
        os.kill(killed[-1], signal.SIGKILL)
    until(lambda: len(said) == len(killed))
    assert not any("giving up" in line for line in said)


def test_the_database_is_looked_after_while_a_part_waits_for_it(kept_up, monkeypatch):
    monkeypatch.setattr(supervise, "_DATABASE_SECONDS", 0)
    begin, said, _, _ = kept_up
    down = [True]
    begin(
        Part("code server", SLEEPS, lambda: not down),
        Part("daemon", SLEEPS),
        revive=lambda: bool(down and down.pop()),
    )
    until(lambda: said)
    assert said == ["PostgreSQL had ended and was started again; Dagster begins anew."]


def test_a_part_that_keeps_ending_is_given_up_and_named(kept_up):
    begin, said, code, _ = kept_up
    begin(Part("webserver", [sys.executable, "-c", "raise SystemExit(3)"])).join()
    assert code == [1]
    assert said[-1] == "Dagster's webserver ended 5 times in 60 s (exit code 3): giving up."


def test_all_parts_begin_anew_when_the_database_was_started_again(kept_up, monkeypatch):
    monkeypatch.setattr(supervise, "_DATABASE_SECONDS", 0)
    begin, said, _, _ = kept_up
    part, dead = Part("daemon", SLEEPS), [False, True]
    begin(part, revive=lambda: bool(dead and dead.pop(0)))
    until(lambda: said)
    assert said == ["PostgreSQL had ended and was started again; Dagster begins anew."]
    until(lambda: part.process and part.process.poll() is None)


def test_runs_that_died_with_the_code_server_are_said_to_have_failed(defs):
    job = defs.resolve_job_def("reconcile_events")
    with dg.instance_for_test(
        {"run_launcher": {"module": "dagster._core.launcher", "class": "DefaultRunLauncher"}}
    ) as instance:
        lost = instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
        waits = instance.create_run_for_job(job, status=dg.DagsterRunStatus.NOT_STARTED)
        assert fail_lost_runs(instance) == 1
        assert instance.get_run_by_id(lost.run_id).status == dg.DagsterRunStatus.FAILURE
        assert instance.get_run_by_id(waits.run_id).status == dg.DagsterRunStatus.NOT_STARTED
        assert fail_lost_runs(instance) == 0


def test_a_second_one_on_the_same_home_is_refused_with_a_sentence(tmp_path):
    with (
        only_one(tmp_path),
        pytest.raises(StoreError, match="Another `ultron dev` runs on"),
        only_one(tmp_path),
    ):
        pass
    with only_one(tmp_path):
        pass


def test_the_lock_goes_with_a_killed_process(tmp_path):
    hold = (
        "import time; from pathlib import Path; from ultron_pipelines.host.supervise import only_one\n"
        f"with only_one(Path({str(tmp_path)!r})):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StoreError), only_one(tmp_path):
            pass
        other.kill()
        other.wait()
        with only_one(tmp_path):
            pass


def test_a_run_begins_with_definitions_imported_and_models_loaded():
    context = start_of_runs()
    loaded = context.Queue()
    process = context.Process(target=tell_what_is_loaded, args=(loaded,))
    process.start()
    assert loaded.get(timeout=120) == {
        "definitions": True,
        "names": True,
        "sentences": True,
        "passages": True,
    }
    process.join()


def tell_what_is_loaded(loaded):
    from ultron_core.embeddings.local import local_embedder
    from ultron_core.redaction import default_redactor
    from ultron_core.transcript.sense.reader import _loaded

    found = {
        "definitions": "ultron_pipelines.definitions" in sys.modules,
        "names": default_redactor()._nlp is not None,
        "sentences": local_embedder()._model is not None,
        "passages": _loaded.cache_info().currsize == 1,
    }
    loaded.put(found)
